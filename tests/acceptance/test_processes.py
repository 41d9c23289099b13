"""Several servers and workers over one index, as processes."""

import asyncio
import json
import re
import shutil
import signal
import subprocess
from collections.abc import Generator
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.acceptance.commands import Commands
from tests.acceptance.served import CITEMARK, ROOT, OverHttp, Served, index, over_http
from tests.nextcloud.server import Nextcloud
from tests.support.patience import HANG_SECONDS
from tests.support.postgres import reachable_folder
from tests.support.web import MODERN, message_in, request_of


@pytest.fixture
def served(indexed_folder: Path) -> Served:
    known = index(indexed_folder)
    return Served(known.command, known.question, {**known.env, "CITEMARK_INDEX_IN_SERVER": "false"})


async def call(http: httpx2.AsyncClient, server: OverHttp, token: str, method: str, **params: Any) -> Any:
    body, headers = request_of(method, MODERN, **params)
    sent = headers | {"authorization": f"Bearer {token}"}
    return json.loads(message_in(await http.post(server.url, content=body, headers=sent)))["result"]


@pytest.mark.requirement(
    "server-processes-share-one-database", "static-tokens-kept-as-digests", "sources-granted-to-people-and-groups"
)
async def test_logins_begun_by_a_killed_server_are_continued_by_another(served: Served, commands: Commands) -> None:
    made = commands.run("token", "create", "alice", "--json", env=served.environment, timeout=HANG_SECONDS, check=True)
    token = json.loads(made.stdout)["token"]
    granted = ("source", "grant", "handbook", "--token", "alice")
    commands.run(*granted, env=served.environment, timeout=HANG_SECONDS, check=True)
    asked: dict[str, Any] = {"query": served.question, "page_size": 1, "options": {"min_score": 0}}
    search: dict[str, Any] = {"name": "kb_search", "arguments": asked}
    with over_http(served) as first, over_http(served) as second:
        async with httpx2.AsyncClient(timeout=HANG_SECONDS) as http:
            found = (await call(http, first, token, "tools/call", **search))["structuredContent"]
            uri, cursor = found["results"][0]["scratch_uri"], found["next_cursor"]
            running = [asyncio.create_task(call(http, first, token, "tools/call", **search)) for _ in range(8)]
            await asyncio.sleep(0)
            first.process.send_signal(signal.SIGKILL)
            ended = await asyncio.gather(*running, return_exceptions=True)
            assert [each for each in ended if isinstance(each, BaseException)]
            whole = await call(http, second, token, "resources/read", uri=uri)
            turned = {**search, "arguments": {**asked, "cursor": cursor}}
            page = await call(http, second, token, "tools/call", **turned)
    assert whole["contents"][0]["text"]
    assert page["structuredContent"]["results"][0]["rank"] == 2
    commands.run("token", "revoke", "alice", env=served.environment, timeout=HANG_SECONDS, check=True)


@pytest.mark.requirement("server-processes-share-one-database", "each-connects-a-nextcloud-by-link")
async def test_a_pending_login_of_a_killed_server_is_finished_by_another(
    served: Served, commands: Commands, nextcloud: Nextcloud
) -> None:
    scopes = ("--scope", "semantic:read", "--scope", "semantic:write")
    made = commands.run("token", "create", "dora", *scopes, "--json", env=served.environment, timeout=HANG_SECONDS)
    token = json.loads(made.stdout)["token"]
    connecting = {"CITEMARK_NEXTCLOUD_URL": nextcloud.url, "CITEMARK_HTTP_RESOURCE": "http://127.0.0.1:1/mcp"}
    served = Served(served.command, served.question, {**served.env, **connecting})
    with over_http(served) as first, over_http(served) as second:
        async with httpx2.AsyncClient(timeout=HANG_SECONDS) as http:
            told = await call(http, first, token, "tools/call", name="nc_enable_vector_sync", arguments={})
            link, page = re.findall(r"https?://[^\s,]+", told["structuredContent"]["message"])
            first.process.send_signal(signal.SIGKILL)
            first.process.wait(HANG_SECONDS)
            shown = await http.get(second.url.removesuffix("/mcp") + page.removeprefix("http://127.0.0.1:1"))
            assert f'href="{link}"' in shown.text
            nextcloud.world.login.grant("alice", link)
            accounts: list[dict[str, Any]] = []
            for _ in range(int(HANG_SECONDS)):
                status = await call(http, second, token, "tools/call", name="nc_get_vector_sync_status", arguments={})
                accounts = status["structuredContent"]["sources"]
                if accounts:
                    break
                await asyncio.sleep(1)
    name = str(accounts[0]["name"])
    assert name.startswith("alice@")
    commands.run("remove", name, "--yes", env=served.environment, timeout=HANG_SECONDS, check=True)


@pytest.fixture
def folder() -> Generator[Path]:
    place = reachable_folder()
    (place / "docs").mkdir()
    (place / "docs" / "valve.md").write_text("# Valve\n\nThe relief valve of line seven opens at six bars.\n")
    yield place
    shutil.rmtree(place, ignore_errors=True)


@pytest.mark.requirement("work-command-indexes-alone")
def test_workers_alone_index_what_is_added_while_they_run(folder: Path, commands: Commands) -> None:
    served = index(folder / "data")
    command = [CITEMARK, "work", "--json"]
    start = partial(subprocess.Popen, command, env=served.environment, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    with start() as worker, start() as other:
        for process in (worker, other):
            assert process.stdout is not None
            assert json.loads(process.stdout.readline())["event"] == "started"
        added = ("add", "docs", str(folder / "docs"), "--no-sync")
        commands.run(*added, env=served.environment, timeout=HANG_SECONDS, check=True)
        asked = ("search", "relief valve", "--json")
        found = commands.run(*asked, env=served.environment, timeout=HANG_SECONDS)
        for _ in range(60):
            if found.returncode == 0:
                break
            found = commands.run(*asked, env=served.environment, timeout=HANG_SECONDS)
        assert "six bars" in found.stdout
        for process in (other, worker):
            process.send_signal(signal.SIGTERM)
            assert process.wait(HANG_SECONDS) == 0
