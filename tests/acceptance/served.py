"""Which server the MCP clients speak to, and how to reach it."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.postgres import reachable_folder

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / ".build"
CITEMARK = str(Path(sys.executable).with_name("citemark"))

_TIMEOUT = 170


@dataclass(frozen=True, slots=True)
class Served:
    """A server over stdio whose documents answer `question`. `env` is added to an otherwise bare environment."""

    command: list[str]
    question: str
    env: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def environment(self) -> dict[str, str]:
        """All that the server process sees."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        return {**kept, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", **self.env}

    @property
    def line(self) -> str:
        """The command as a shell writes it."""
        return shlex.join(self.command)


def double() -> Served:
    """The server with use cases in memory behind it."""
    return Served([sys.executable, "-m", "tests.acceptance.serve_double"], "Which port does the server listen on?")


def index(data_dir: Path) -> Served:
    """The installed command over an index of the sample files."""
    return Served([CITEMARK, "serve"], "Which descaler may be used?", {"CITEMARK_DATA_DIR": str(data_dir)})


@contextmanager
def indexed() -> Generator[Path]:
    """A data folder in which the sample files are indexed."""
    folder = reachable_folder()
    add = [CITEMARK, "add", "docs", str(ROOT / "examples"), "--name", "handbook", "--quiet"]
    environment = index(folder / "data").environment
    subprocess.run(add, check=True, env=environment, capture_output=True, timeout=_TIMEOUT)
    yield folder / "data"
    shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class OverHttp:
    """A running server over HTTP: its process, and the address of its MCP endpoint."""

    process: "subprocess.Popen[str]"
    url: str


@contextmanager
def over_http(served: Served) -> Generator[OverHttp]:
    """`citemark serve --http` with the environment of `served`, on a free port; told to end afterwards."""
    command = [CITEMARK, "serve", "--http", "--port", "0"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=served.environment, cwd=ROOT, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            assert process.stdout is not None
            announced = process.stdout.readline().split()
            url = next((word for word in announced if word.startswith("http://")), None)
            assert url is not None, process.stderr and process.stderr.read()
            yield OverHttp(process, url)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(90)
