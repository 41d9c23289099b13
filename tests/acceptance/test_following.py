"""`citemark sync --watch` and `citemark serve` beside a folder that changes."""

import asyncio
import json
import shutil
import signal
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from tests.acceptance.commands import Commands
from tests.acceptance.served import CITEMARK, ROOT, Served, index
from tests.integration.store.embedded_support import until
from tests.support.patience import HANG_SECONDS
from tests.support.postgres import reachable_folder

from citemark.app.open_index import open_app
from citemark.cli.stopping import KEPT_WORDS
from citemark.settings import Settings

_ROUNDS = 6


@pytest.fixture
def folder() -> Generator[Path, None, None]:
    place = reachable_folder()
    (place / "docs").mkdir()
    (place / "docs" / "boiler.md").write_text("# Boiler\n\nIt is descaled every six weeks with citric acid.\n")
    yield place
    shutil.rmtree(place, ignore_errors=True)


@pytest.fixture
def served(commands: Commands, folder: Path) -> Served:
    """The installed command over an index that knows the folder and has not looked at it yet."""
    made = index(folder / "data")
    commands.run("add", "docs", str(folder / "docs"), "--no-sync", env=made.environment, check=True)
    return made


class Following:
    """A running `sync --watch --json`, read line by line."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self._told: list[dict[str, Any]] = []

    def event(self, name: str) -> dict[str, Any]:
        """The first event of a name that was not asked for before, whatever else was told meanwhile."""
        assert self.process.stdout is not None
        while not any(event["event"] == name for event in self._told):
            line = self.process.stdout.readline()
            assert line, f"it ended before {name!r} came"
            self._told.append(json.loads(line))
        event = next(event for event in self._told if event["event"] == name)
        self._told.remove(event)
        return event

    def stopped(self) -> set[str]:
        """The names of the events until the end, to which the process was told to come."""
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        told = {json.loads(line)["event"] for line in self.process.stdout}
        assert self.process.wait(HANG_SECONDS) == 0
        # On a machine that others keep busy it may have to be ended by force, and says that all is kept then too.
        said = self.process.stderr.read()
        assert said == KEPT_WORDS or (said == "" and "stopped" in told)
        return told


@contextmanager
def following(served: Served) -> Generator[Following, None, None]:
    pipe = subprocess.PIPE
    command = [CITEMARK, "sync", "--watch", "--json"]
    with subprocess.Popen(command, env=served.environment, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield Following(process)
        finally:
            process.kill()


def searched(commands: Commands, served: Served, words: str) -> list[str]:
    done = commands.run("search", words, "--min-score", "0", "--json", env=served.environment)
    return [str(hit) for hit in json.loads(done.stdout)["results"]]


@pytest.mark.requirement("changes-followed-while-serving")
def test_sync_watch_follows_changes_and_ends_on_interrupt_with_everything_kept(
    commands: Commands, served: Served, folder: Path
) -> None:
    docs = folder / "docs"
    with following(served) as follower:
        assert follower.event("read")["documents"] == 1
        assert follower.event("watching")["by"] == "events of the file system"
        (docs / "pump.md").write_text("# Pump\n\nThe zirconium pump runs at noon.\n")
        assert follower.event("read")["chunks"] == 1
        assert any("pump.md" in found for found in searched(commands, served, "zirconium pump"))
        follower.process.send_signal(signal.SIGINT)
        follower.stopped()
    assert any("pump.md" in found for found in searched(commands, served, "zirconium pump"))


@pytest.mark.requirement("changes-followed-while-serving")
def test_an_interrupt_while_it_embeds_ends_it_and_its_database(served: Served, folder: Path) -> None:
    for number in range(40):
        text = "\n\n".join(f"The valve {number}-{part} opens at {part} bar. " * 20 for part in range(8))
        (folder / "docs" / f"valves-{number}.md").write_text(text)
    with following(served) as follower:
        follower.event("read")
        # The next thing it would tell is the vectors, and those take much longer than this.
        time.sleep(0.5)
        follower.process.send_signal(signal.SIGTERM)
        assert "embedded" not in follower.stopped(), "it did not wait for the embedding to end"
    until(lambda: not (folder / "data/postgres/cluster/postmaster.pid").exists(), "the database ends")


@pytest.mark.requirement("changes-followed-while-serving")
async def test_a_server_reads_its_sources_at_the_start_and_follows_them(
    commands: Commands, served: Served, folder: Path
) -> None:
    server = StdioServerParameters(
        command=served.command[0], args=served.command[1:], env=served.environment, cwd=str(ROOT)
    )
    async with Client(stdio_client(server)) as client:

        async def found(words: str, page: str) -> None:
            async with asyncio.timeout(HANG_SECONDS):
                while True:
                    result = await client.call_tool("kb_search", {"query": words, "options": {"min_score": 0}})
                    assert not result.is_error, result
                    if any(words in str(hit) and page in str(hit) for hit in result.structured_content["results"]):
                        return
                    await asyncio.sleep(0.1)

        await found("citric acid", "boiler.md")
        (folder / "docs" / "boiler.md").write_text("# Boiler\n\nIt is descaled with oxalic acid.\n")
        await found("oxalic acid", "boiler.md")
        (folder / "docs" / "boiler.md").rename(folder / "docs" / "kettle.md")
        await found("oxalic acid", "kettle.md")
        status = await asyncio.to_thread(_status, commands, served)
        assert status["watching"] == "events of the file system"
        assert status["last_complete_scan"]
    assert _status(commands, served)["watching"] == ""


@pytest.mark.requirement("rename-is-moved-not-gone")
async def test_a_file_renamed_before_a_sync_beside_a_server_has_moved(served: Served, folder: Path) -> None:
    server = StdioServerParameters(
        command=served.command[0], args=served.command[1:], env=served.environment, cwd=str(ROOT)
    )
    quote = "It is descaled every six weeks with citric acid."
    citation = {"source": "docs", "document_id": "boiler.md"}
    async with Client(stdio_client(server)) as client, open_app(Settings(data_dir=folder / "data")) as app:

        async def held(wanted: str) -> dict[str, Any]:
            """The verdict: the one that is waited for, or what it still is after a time."""
            found: dict[str, Any] = {}
            for _ in range(200):
                result = await client.call_tool("kb_verify_quote", {"citation": citation, "quote": quote})
                found = result.structured_content or {}
                if found.get("holds") == wanted:
                    break
                await asyncio.sleep(0.1)
            return found

        assert (await held("exact"))["holds"] == "exact"
        for number in range(_ROUNDS):
            names = ["boiler.md", *(f"boiler-{passed}.md" for passed in range(number + 1))]
            (folder / "docs" / names[-2]).rename(folder / "docs" / names[-1])
            # The server reads the new name at once and ends the old one a second later: all orders come up.
            await asyncio.sleep(0.25 * number)
            await app.sync(await app.local_sources())
            found = await held("moved")
            assert found["holds"] == "moved", f"round {number}"
            assert found["found_at"]["document_id"].startswith(names[-1]), f"round {number}"


@pytest.mark.requirement("changes-followed-while-serving")
async def test_a_server_with_watching_disabled_scans_nothing(commands: Commands, served: Served) -> None:
    server = StdioServerParameters(
        command=served.command[0],
        args=served.command[1:],
        env={**served.environment, "CITEMARK_WATCH": "false"},
        cwd=str(ROOT),
    )
    async with Client(stdio_client(server)) as client:
        # A handle's life later than the first scan would have been.
        for _ in range(12):
            result = await client.call_tool("kb_search", {"query": "citric acid", "options": {"min_score": 0}})
            assert result.structured_content["results"] == []
            await asyncio.sleep(0.15)
    assert _status(commands, served)["last_complete_scan"] is None


def _status(commands: Commands, served: Served) -> dict[str, Any]:
    done = commands.run("status", "--json", env=served.environment, check=True)
    return json.loads(done.stdout)["sources"][0]
