"""What a running server carries out for the command line, and when a command does its work itself."""

import asyncio
import json
import os
import re
import shutil
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from tests.support.postgres import reachable_folder

from citemark.app.command_route import command_route
from citemark.app.compose import App
from citemark.app.features import answered_of
from citemark.app.local_socket import local_socket
from citemark.app.open_index import open_app
from citemark.app.web_server import WebServer
from citemark.cli import running_server
from citemark.cli.command_context import CommandContext
from citemark.cli.running_server import COMMAND_PATH, server_answer
from citemark.folders import socket_file
from citemark.http_token import http_token
from citemark.model.errors import CitemarkError
from citemark.model.sources import NewSource
from citemark.services.app_context import AppContext
from citemark.settings import Settings
from citemark.tools.bridge.local_http import LocalRequest
from citemark.tools.server import Health

_NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
_VARIES = re.compile(r"\b[sp]_[\w-]{8,}|\d{4}-\d\d-\d\dT[\d:.]+")
"""Handles, which are others each time, and the moment whose state was read."""

_PHRASING = {"also": ["decalcify the boiler"], "rephrase": False}
_LIMITS = {"tag": None, "path_prefix": None, "where": None, "as_of": None, "baseline": None}
_ASKED: Mapping[str, Any] = {
    "query": "how often is the boiler descaled",
    "top_k": 3,
    "max_per_doc": 2,
    "min_score": 0.0,
    "phrasing": _PHRASING,
    "limits": _LIMITS,
}
_QUESTION = {
    "question": "how often is the boiler descaled",
    "limit": 3,
    "max_answer_tokens": 200,
    "min_score": 0.0,
    "phrasing": _PHRASING,
    "limits": _LIMITS,
    "documents_only": False,
}
_COMMANDS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("search", {"asked": _ASKED, "why": False}),
    ("search", {"asked": _ASKED, "why": True}),
    ("search", {"asked": {**_ASKED, "min_score": 1.0}, "why": False}),
    ("search", {"asked": {**_ASKED, "limits": {**_LIMITS, "where": ["nothing"]}}, "why": False}),
    ("search", {"asked": {**_ASKED, "limits": {**_LIMITS, "baseline": "never"}}, "why": False}),
    ("evidence", {"asked": _ASKED, "limits": {"max_bytes": None, "max_quotes": 2}}),
    ("ask", {"asked": _QUESTION}),
    ("status", {}),
)


@dataclass
class Opened:
    """An index that says when it is open."""

    made: App
    state: Health = field(default_factory=lambda: Health("ready"))

    def health(self) -> Health:
        return self.state

    async def app(self) -> AppContext:
        return self.made


@dataclass
class Running:
    """A server at the socket of its folder."""

    index: Opened
    folder: Path

    def status(self, body: bytes, headers: Mapping[str, str]) -> int:
        """The status that a request to the route is answered with."""
        request = LocalRequest(socket_file(self.folder))
        try:
            return request.ask("POST", headers, body, COMMAND_PATH).status
        finally:
            request.close()


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    place = reachable_folder()
    monkeypatch.setenv("CITEMARK_DATA_DIR", str(place))
    yield place
    shutil.rmtree(place, ignore_errors=True)


@pytest.fixture
async def running(dsn: str, folder: Path) -> AsyncGenerator[Running]:
    docs = folder / "docs"
    docs.mkdir()
    (docs / "boiler.md").write_text("# Boiler\n\nThe boiler is descaled every six weeks with citric acid.\n", "utf-8")
    (docs / "pump.md").write_text("# Pump\n\nThe pump of the boiler is oiled in spring.\n", "utf-8")
    async with open_app(Settings(database_url=SecretStr(dsn))) as app, served(Opened(app), folder) as made:
        await app.sources.add(NewSource("handbook", "docs", {"root": str(docs)}))
        await app.sync(await app.local_sources())
        app.clock = lambda: _NOW
        yield made


@asynccontextmanager
async def served(index: Opened, folder: Path) -> AsyncGenerator[Running]:
    """The route beside the one that says whether the index is open, as the server over HTTP has both."""

    async def ready(_: Request) -> JSONResponse:
        return JSONResponse({}, 200 if index.health().status == "ready" else 503)

    routes = [Route("/health/ready", ready), command_route(index, http_token(folder), answered_of)]
    web = WebServer(Starlette(routes=routes))
    with local_socket(folder) as socket:
        assert socket is not None
        serving = asyncio.create_task(web.serve(sockets=[socket]))
        try:
            yield Running(index, folder)
        finally:
            web.end()
            await serving


@asynccontextmanager
async def _unopened(settings: Settings, database: str | None = None) -> AsyncGenerator[AppContext, None]:
    _ = settings, database
    raise AssertionError("this process opened an index")
    yield


async def _directly(app: AppContext, name: str, arguments: Mapping[str, Any], *, as_json: bool) -> int:
    run = CommandContext(_unopened, json=as_json, quiet=True)
    try:
        return await answered_of()[name](run, app, arguments)
    except CitemarkError as error:
        return run.fail(error)


@pytest.mark.requirement("commands-ask-the-running-server")
async def test_a_server_has_a_command_print_what_it_prints_without_one(
    running: Running, capsys: pytest.CaptureFixture[str]
) -> None:
    await _directly(running.index.made, "status", {}, as_json=False)  # what is said of a new source is said once
    assert capsys.readouterr().out
    for name, arguments in _COMMANDS:
        for as_json in (False, True):
            code = await _directly(running.index.made, name, arguments, as_json=as_json)
            direct = capsys.readouterr()
            with pytest.raises(SystemExit) as ended:
                await asyncio.to_thread(CommandContext(_unopened, json=as_json).answer, name, arguments)
            through = capsys.readouterr()
            assert direct.out or direct.err
            assert _VARIES.sub("", through.out) == _VARIES.sub("", direct.out), (name, as_json)
            assert through.err == direct.err
            assert ended.value.code == code


@pytest.mark.requirement("commands-ask-the-running-server")
async def test_a_command_asks_no_server_that_would_answer_otherwise_or_not_at_once(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def asked(name: str = "status") -> Mapping[str, Any] | None:
        return await asyncio.to_thread(server_answer, name, {}, as_json=False)

    assert await asked() is not None
    assert await asked("unheard of") is None
    with monkeypatch.context() as patch:
        patch.setenv("CITEMARK_RRF_K", "61")
        assert await asked() is None, "other settings"
    with monkeypatch.context() as patch:
        patch.setattr(running_server, "__version__", "0.0.1")
        assert await asked() is None, "another version"
    with monkeypatch.context() as patch:
        patch.setenv("CITEMARK_DATA_DIR", str(running.folder / "elsewhere"))
        assert await asked() is None, "another index"
    with monkeypatch.context() as patch:
        patch.delenv("CITEMARK_DATA_DIR")
        patch.setenv("CITEMARK_CONFIG", str(running.folder / "citemark.toml"))
        (running.folder / "citemark.toml").write_text(f'data_dir = "{running.folder}"\n', "utf-8")
        assert await asked() is None, "all settings would have to be read to know which index"
    running.index.state = Health("opening")
    assert await asked() is None, "not open yet"


@pytest.mark.requirement("commands-ask-the-running-server")
async def test_only_the_owner_has_commands_carried_out(running: Running) -> None:
    owner = {"Authorization": f"Bearer {http_token(running.folder)}"}
    command: dict[str, Any] = {"version": "0", "settings": "", "command": "status", "arguments": {}, "json": True}

    async def status(body: object, headers: Mapping[str, str]) -> int:
        return await asyncio.to_thread(running.status, json.dumps(body).encode(), headers)

    assert await status(command, {}) == 401
    assert await status(command, {"Authorization": "Bearer of-nobody"}) == 401
    assert await status(command, owner) == 409
    for wrong in ("[]", "{}", json.dumps({**command, "arguments": 1}), json.dumps({**command, "json": "yes"})):
        assert await asyncio.to_thread(running.status, wrong.encode(), owner) == 400
    running.index.state = Health("opening")
    settings = running_server.settings_print(os.environ, lambda _: None)
    right = {**command, "version": running_server.__version__, "settings": settings}
    assert await status(right, owner) == 503
