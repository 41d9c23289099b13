"""Citemark as companies run it: servers that answer, workers that index, one database for all of them."""

import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import psutil
from tests.acceptance.served import token_named_by
from tests.cluster.processes import Running
from tests.support.patience import HANG_SECONDS
from tests.support.web import MODERN, message_in, request_of

_CITEMARK = str(Path(sys.executable).with_name("citemark"))
_PAUSE = 0.1  # seconds between two looks
_LONGEST_CALL = 40.0  # seconds: the limit of a tool call, and some more


@dataclass(frozen=True, slots=True)
class Server:
    """A running `citemark serve --http`."""

    name: str
    url: str
    token: str

    async def call(self, client: httpx2.AsyncClient, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result of a tool, or what was in the way, as {"isError": True, "content": [{"text": ...}]}."""
        body, headers = request_of("tools/call", MODERN, name=tool, arguments=arguments)
        headers |= {"authorization": f"Bearer {self.token}"}
        try:
            answer = await client.post(self.url, content=body, headers=headers, timeout=_LONGEST_CALL)
        except httpx2.HTTPError as error:
            return _failed(f"{type(error).__name__}: {error}")
        if answer.is_error:
            return _failed(f"HTTP {answer.status_code}: {answer.text}")
        said = json.loads(message_in(answer))  # a long call is answered as a stream
        return said["result"] if "result" in said else _failed(said["error"]["message"])


def _failed(why: str) -> dict[str, Any]:
    return {"isError": True, "content": [{"type": "text", "text": why}]}


def text_of(result: Mapping[str, Any]) -> str:
    """The words of a result."""
    return "\n".join(part.get("text", "") for part in result["content"])


class Installation:
    """The processes of Citemark over one database.

    `name` tells them from those of another installation; `addresses` are the settings that say where the database is.
    """

    def __init__(self, running: Running, name: str, addresses: Mapping[str, str]) -> None:
        self._running = running
        self._name = name
        self._shared = {
            "CITEMARK_SECRET_KEY": secrets.token_hex(32),
            "CITEMARK_INDEX_IN_SERVER": "false",
            "CITEMARK_WATCH": "false",
            **{f"CITEMARK_{setting.upper()}": value for setting, value in addresses.items()},
        }
        self.servers: list[Server] = []
        self._processes: list[str] = []

    def command(self, *words: str) -> dict[str, Any]:
        """What a command prints as JSON.

        Raises:
            subprocess.CalledProcessError: it failed.
        """
        command = [_CITEMARK, *words, "--json"]
        env = self._environment("commands")
        done = subprocess.run(
            command, env=env, cwd=self._running.folder, capture_output=True, text=True, timeout=HANG_SECONDS, check=True
        )
        return json.loads(done.stdout)

    def start(self, docs: Path, *, each: int) -> None:
        """Index a folder; start so many servers and workers."""
        self._add(docs)
        self._work(each)
        self._serve(each)

    def server_processes(self) -> list[psutil.Process]:
        """The processes of the servers."""
        return [self._running.process(server.name) for server in self.servers]

    def end(self) -> None:
        """End its processes."""
        for name in self._processes:
            self._running.end(name)

    def _add(self, docs: Path) -> None:
        """Index a folder."""
        words = [_CITEMARK, "add", "docs", str(docs), "--name", "services", "--quiet"]
        env = self._environment("commands")
        done = subprocess.run(
            words, env=env, cwd=self._running.folder, capture_output=True, text=True, timeout=HANG_SECONDS, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def _work(self, number: int) -> None:
        """Start so many `citemark work`."""
        for each in range(number):
            name = f"{self._name}-work-{each}"
            env = self._environment(name) | {"CITEMARK_WATCH": "true", "CITEMARK_INDEX_IN_SERVER": "true"}
            self._running.start(name, _CITEMARK, "work", "--quiet", env=env, as_account=False)
            self._processes.append(name)

    def _serve(self, number: int) -> None:
        """Start so many `citemark serve --http`, and wait until they answer."""
        names = [f"{self._name}-serve-{each}" for each in range(number)]
        for name in names:
            command = (_CITEMARK, "serve", "--http", "--port", "0")
            self._running.start(name, *command, env=self._environment(name), as_account=False)
        self._processes += names
        self.servers += [self._announced(name) for name in names]

    def _announced(self, name: str) -> Server:
        deadline = time.monotonic() + HANG_SECONDS
        while time.monotonic() < deadline:
            lines = self._running.log(name).read_text("utf-8").splitlines()
            url = next((word for line in lines for word in line.split() if word.startswith("http://")), None)
            token = next((token for line in lines if (token := token_named_by(line))), None)
            if url is not None and token is not None:
                return Server(name, url, token)
            time.sleep(_PAUSE)
        raise AssertionError(f"{name} did not start\n{self._running.ends_of_logs()}")

    def _environment(self, name: str) -> dict[str, str]:
        kept = {each: os.environ[each] for each in ("PATH", "HOME", "LANG") if each in os.environ}
        return {**kept, **self._shared, "CITEMARK_DATA_DIR": str(self._running.folder / f"{name}-data")}
