"""Real clients need a server, and some of them an environment of their own."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from tests.acceptance.commands import Commands
from tests.acceptance.served import BUILD, Served, double, index, indexed
from tests.support.patience import HANG_SECONDS
from tests.support.process_lock import process_lock

_INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
_OLD_SDK = "mcp>=1.28,<2"


@pytest.fixture(params=["double", "index"])
def served(request: pytest.FixtureRequest) -> Served:
    """Every server that the clients must get along with."""
    return double() if request.param == "double" else index(request.getfixturevalue("indexed_folder"))


@pytest.fixture(scope="session")
def indexed_folder(commands: Commands) -> Generator[Path, None, None]:
    """A data folder in which the sample files are indexed."""
    with indexed(commands.run) as folder:
        yield folder


@pytest.fixture(scope="session")
def old_python() -> Path:
    """A Python with the last SDK before 2.0, in an environment of its own."""

    def install(folder: Path) -> None:
        uv = str(Path(sys.executable).with_name("uv"))
        subprocess.run(
            [uv, "venv", "--quiet", "--python", sys.executable, str(folder)], check=True, timeout=HANG_SECONDS
        )
        pip = [uv, "pip", "install", "--quiet", "--python", str(folder / "bin" / "python"), _OLD_SDK]
        subprocess.run(pip, check=True, timeout=HANG_SECONDS)

    return _once("mcp-before-2", install) / "bin" / "python"


@pytest.fixture(scope="session")
def inspector() -> Path:
    """The Inspector's command line; without npm its tests skip."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed, so the MCP Inspector cannot look at the server")

    def install(folder: Path) -> None:
        folder.mkdir()
        (folder / "package.json").write_text("{}", encoding="utf-8")
        command = [npm, "install", "--silent", "--no-audit", "--no-fund", _INSPECTOR]
        subprocess.run(command, cwd=folder, check=True, timeout=HANG_SECONDS)

    return _once("inspector", install) / "node_modules" / ".bin" / "mcp-inspector"


def _once(name: str, install: Callable[[Path], None]) -> Path:
    """A folder of the build directory, filled by whichever worker comes first; a half-filled one is made anew."""
    folder = BUILD / name
    BUILD.mkdir(exist_ok=True)
    with process_lock(BUILD / f"{name}.lock"):
        if not (folder / "complete").exists():
            shutil.rmtree(folder, ignore_errors=True)
            install(folder)
            (folder / "complete").touch()
    return folder
