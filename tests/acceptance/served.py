"""Which server the MCP clients speak to, and how to reach it."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client
from tests.acceptance.commands import CITEMARK, PATIENT, ROOT
from tests.support.patience import HANG_SECONDS
from tests.support.postgres import reachable_folder

BUILD = ROOT / ".build"


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
        return {**kept, **PATIENT, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", **self.env}

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


def installed_command(*arguments: str, env: Mapping[str, str], check: bool) -> "subprocess.CompletedProcess[str]":
    """Run a command of the installed package."""
    return subprocess.run(
        [CITEMARK, *arguments], env=env, check=check, capture_output=True, text=True, timeout=HANG_SECONDS
    )


@contextmanager
def indexed(run: Callable[..., "subprocess.CompletedProcess[str]"] = installed_command) -> Generator[Path]:
    """A data folder in which the sample files are indexed; `run` runs the command that does so."""
    folder = reachable_folder()
    words = ("add", "docs", str(ROOT / "examples"), "--name", "handbook", "--quiet")
    run(*words, env=index(folder / "data").environment, check=True)
    yield folder / "data"
    shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class OverHttp:
    """A running server over HTTP: its process, the address of its MCP endpoint, and the token that it wants."""

    process: "subprocess.Popen[str]"
    url: str
    token: str

    @property
    def headers(self) -> dict[str, str]:
        """What every request carries."""
        return {"authorization": f"Bearer {self.token}"}

    @asynccontextmanager
    async def streams(self) -> AsyncGenerator[Any]:
        """What a client of the SDK is made of."""
        async with (
            httpx2.AsyncClient(headers=self.headers, timeout=httpx2.Timeout(30, read=300)) as http,
            streamable_http_client(self.url, http_client=http) as found,
        ):
            yield found


def token_named_by(line: str) -> str:
    """The owner's token, which a server that writes to no terminal names by its file; "" for a server without one."""
    _, _, path = line.partition("with the token in ")
    return Path(path.strip()).read_text("ascii").strip() if path else ""


@contextmanager
def over_http(served: Served, port: int = 0) -> Generator[OverHttp]:
    """`citemark serve --http` with the environment of `served`, on a free port; told to end afterwards."""
    command = [CITEMARK, "serve", "--http", "--port", str(port)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=served.environment, cwd=ROOT, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            assert process.stdout is not None
            announced = process.stdout.readline().split()
            url = next((word for word in announced if word.startswith("http://")), None)
            assert url is not None, process.stderr and process.stderr.read()
            yield OverHttp(process, url, token_named_by(process.stdout.readline()))
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(HANG_SECONDS)
