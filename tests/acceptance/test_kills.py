"""Killed in the middle: the server under a search, the server under a sync, the sync itself."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.acceptance.commands import Commands
from tests.acceptance.served import CITEMARK, Served, index
from tests.support.patience import HANG_SECONDS
from tests.support.postgres import reachable_folder

Run = Callable[..., "subprocess.CompletedProcess[str]"]

_PAGES = 60


@pytest.fixture
def folder() -> Generator[Path, None, None]:
    place = reachable_folder()
    docs = place / "docs"
    docs.mkdir()
    for number in range(_PAGES):
        text = f"# Page {number}\n\n" + "\n\n".join(
            f"## Part {part}\n\nThe valve {number}-{part} of line {part} opens at {number * part} bar."
            for part in range(8)
        )
        (docs / f"page-{number:03d}.md").write_text(text)
    yield place
    shutil.rmtree(place, ignore_errors=True)


@pytest.fixture
def served(folder: Path) -> Served:
    return index(folder / "data")


@pytest.fixture
def run(commands: Commands, served: Served) -> Run:
    return partial(commands.run, env=served.environment, timeout=HANG_SECONDS)


def begin(served: Served, *arguments: str) -> "subprocess.Popen[bytes]":
    silent = subprocess.DEVNULL
    return subprocess.Popen([CITEMARK, *arguments], env=served.environment, stdout=silent, stderr=silent)


def status(run: Run) -> dict[str, Any]:
    return json.loads(run("status", "--json").stdout)["sources"][0]


def postmaster(folder: Path) -> int:
    return int((folder / "data/postgres/cluster/postmaster.pid").read_text().splitlines()[0])


def wait_until(seen: Callable[[], bool]) -> None:
    until = time.monotonic() + HANG_SECONDS
    while not seen():
        assert time.monotonic() < until, "what the test waits for never came"
        time.sleep(0.05)


def some_text_is_written(run: Run) -> bool:
    found = json.loads(run("status", "--json").stdout)["sources"]
    return bool(found) and found[0]["documents"] > 3


def everything_is_there(counts: dict[str, Any]) -> bool:
    return (
        counts["documents"] == _PAGES
        and counts["chunks"] == counts["vectors"] > 0
        and not counts["texts_waiting"]
        and not counts["failed"]
    )


@pytest.mark.requirement("search-recovers-from-killed-postgresql")
async def test_a_search_survives_the_death_of_its_database(run: Run, folder: Path, served: Served) -> None:
    assert run("add", "docs", str(folder / "docs"), "-q").returncode == 0
    parameters = StdioServerParameters(command=CITEMARK, args=["serve"], env=served.environment)
    async with stdio_client(parameters) as (inbound, outbound), ClientSession(inbound, outbound) as client:
        await client.initialize()
        before = await client.call_tool("kb_search", {"query": "at which pressure does valve 7-3 open"})
        assert not before.is_error, before.content
        os.kill(postmaster(folder), signal.SIGKILL)
        after = await client.call_tool("kb_search", {"query": "at which pressure does valve 7-3 open"})
    assert not after.is_error, after.content
    assert before.structured_content is not None
    assert after.structured_content is not None
    found = [[hit["section_id"] for hit in seen.structured_content["results"]] for seen in (before, after)]
    assert found[0] == found[1] != []


@pytest.mark.slow
@pytest.mark.requirement("indexing-recovers-from-killed-postgresql")
def test_a_sync_survives_the_death_of_its_database(run: Run, folder: Path, served: Served) -> None:
    run("add", "docs", str(folder / "docs"), "--no-sync")
    sync = begin(served, "sync", "-q")
    wait_until(lambda: some_text_is_written(run))
    os.kill(postmaster(folder), signal.SIGKILL)
    assert sync.wait(timeout=HANG_SECONDS) == 0
    assert everything_is_there(status(run))


@pytest.mark.requirement("crash-loses-and-repeats-nothing")
def test_a_killed_sync_is_taken_up_at_once_by_the_next(run: Run, folder: Path, served: Served) -> None:
    run("add", "docs", str(folder / "docs"), "--no-sync")
    sync = begin(served, "sync", "-q")
    wait_until(lambda: some_text_is_written(run))
    sync.kill()
    sync.wait()
    assert run("sync", "-q").returncode == 0
    assert everything_is_there(status(run))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_server_that_is_asked_to_stop_stops_its_database_too(
    folder: Path, served: Served, number: signal.Signals
) -> None:
    command = [CITEMARK, "serve"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=served.environment, stdin=pipe, stdout=pipe, stderr=pipe) as server:
        wait_until((folder / "data/postgres/cluster/postmaster.pid").exists)
        server.send_signal(number)
        assert server.wait(timeout=HANG_SECONDS) == 0
        assert server.stderr is not None
        assert b"Traceback" not in server.stderr.read()
    # Where a busy machine leaves it no time, another process does so within moments.
    wait_until(lambda: not (folder / "data/postgres/cluster/postmaster.pid").exists())
