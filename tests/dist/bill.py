"""The software bill of materials: what an install from requirements/run.txt and the built wheels consists of."""

import sys
from pathlib import Path

from tests.dist.commands import quietly
from tests.dist.packages import ROOT

NAME = "citemark.cdx.json"
TOOLS = ROOT / ".build" / "dist-tools" / "bin"
_UV = (sys.executable, "-m", "uv", "--quiet")


def environment(folder: Path, wheels: Path) -> Path:
    """The Python of a new environment with the pinned dependencies and the built packages."""
    python = folder / "bin" / "python"
    install = [*_UV, "pip", "install", "--python", str(python)]
    # By name and not by path: an environment remembers the paths that it was installed from.
    ours = ["--no-deps", "--no-index", "--find-links", str(wheels), "citemark", "citemark-minilm"]
    for command in (
        [*_UV, "venv", "--clear", "--python", sys.executable, str(folder)],
        [*install, "--require-hashes", "--build-constraints", "requirements/build.txt", "-r", "requirements/run.txt"],
        [*install, *ours],
    ):
        quietly(command, ROOT)
    return python


def write(python: Path, into: Path) -> None:
    """Write the bill of an environment (CycloneDX, JSON)."""
    command = [str(TOOLS / "cyclonedx-py"), "environment", "--output-reproducible", "--output-format", "JSON"]
    quietly([*command, "--output-file", str(into / NAME), str(python)], ROOT)
