"""Wheels and source archives of the four packages, made from what git tracks."""

import os
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

from tests.dist.commands import quietly

ROOT = Path(__file__).resolve().parents[2]
MODEL_LIMIT = 80_000_000
"""Bytes that a wheel with an embedding model may have."""


@dataclass(frozen=True, slots=True)
class Package:
    """A package, and its folder below the root of the repository."""

    name: str
    folder: str

    def files(self, version: str) -> tuple[str, str]:
        """The names of its wheel and of its source archive."""
        stem = f"{self.name.replace('-', '_')}-{version}"
        return f"{stem}-py3-none-any.whl", f"{stem}.tar.gz"


PACKAGES = (
    Package("citemark", "."),
    Package("citemark-minilm", "packages/citemark-minilm"),
    Package("citemark-crossencoder", "packages/citemark-crossencoder"),
    Package("citemark-multilingual", "packages/citemark-multilingual"),
)


def snapshot(folder: Path) -> Path:
    """A copy of the files that git tracks, as they are now, with times of their own: a package has nothing else."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def build(tree: Path, into: Path) -> None:
    """The source archives and wheels of a tree."""
    for package in PACKAGES:
        _hatch(tree / package.folder, "sdist", into)
        _hatch(tree / package.folder, "wheel", into)


def build_again(tree: Path, scratch: Path, into: Path) -> None:
    """The source archives of a tree, and the wheels of those archives: whoever has one can make the same wheel."""
    for package in PACKAGES:
        _hatch(tree / package.folder, "sdist", into)
    for archive in sorted(into.glob("*.tar.gz")):
        with tarfile.open(archive) as contents:
            contents.extractall(scratch, filter="data")
        _hatch(scratch / archive.name.removesuffix(".tar.gz"), "wheel", into)


def _hatch(project: Path, target: str, into: Path) -> None:
    """Run the build back end that requirements/build.txt pins, in a process of its own.

    Raises:
        CommandFailed: it failed.
    """
    command = [sys.executable, "-P", "-m", "hatchling", "build", "-t", target, "-d", str(into)]
    environment = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    quietly(command, project, environment)
