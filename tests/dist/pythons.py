"""The Pythons of this machine on which Citemark is said to run."""

import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.dist.packages import ROOT


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python: its version of two numbers, and its program."""

    version: str
    program: Path


def supported() -> tuple[str, ...]:
    """The versions that the classifiers of the package name, as `3.11`."""
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["classifiers"]
    return tuple(found[1] for name in classifiers if (found := re.fullmatch(r".*:: Python :: (\d+\.\d+)", name)))


def installed() -> list[Interpreter]:
    """The newest of each supported version, as uv finds them; those of pyenv too, whichever of them is switched on."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    places = [str(path) for path in sorted(pyenv.glob("versions/*/bin"))]
    path = [place for place in os.environ["PATH"].split(os.pathsep) if Path(place) != pyenv / "shims"]
    command = [sys.executable, "-m", "uv", "python", "list", "--only-installed", "--output-format", "json"]
    environment = {**os.environ, "PATH": os.pathsep.join([*places, *path])}
    listed = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return newest_of_each(json.loads(listed.stdout), supported())


def newest_of_each(listed: list[dict[str, Any]], versions: tuple[str, ...]) -> list[Interpreter]:
    """Of what uv lists, the newest CPython of each of these versions, in their order."""
    newest: dict[str, tuple[int, Path]] = {}
    for each in listed:
        major, minor, patch = (each["version_parts"][part] for part in ("major", "minor", "patch"))
        version = f"{major}.{minor}"
        usual = each["implementation"] == "cpython" and each.get("variant", "default") == "default"
        if usual and version in versions and patch > newest.get(version, (-1,))[0]:
            newest[version] = (patch, Path(each["path"]))
    return [Interpreter(version, newest[version][1]) for version in versions if version in newest]
