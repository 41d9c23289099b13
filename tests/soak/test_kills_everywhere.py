"""Every process of Citemark is killed at random while people work: no document is lost, stale or doubled at the end.

Two sources are followed, a folder and an account, by a server and by syncs beside it. Killed are the server, the
sync, the processes that parse, and PostgreSQL, its backends as well as its first process.
"""

import asyncio
import os
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from tests.acceptance.served import CITEMARK, index
from tests.integration.app.cloud import Accounts
from tests.integration.store.test_pages_statistics import check_statistics
from tests.nextcloud.actions.people import People
from tests.nextcloud.expected_state import ExpectedState, differences, expected_state
from tests.nextcloud.separate_server import SeparateServer
from tests.nextcloud.server import Nextcloud
from tests.support.index import Index
from tests.support.index_checks import check_folder, check_whole
from tests.support.parsers import parsers_of

from citemark.app.open_index import open_app
from citemark.model.sources import NewSource
from citemark.settings import Settings
from citemark.store.embedded.data_folder import DataFolder
from citemark.store.embedded.postmaster import is_server_of, read_pid_file, send, server_processes

LONG = bool(os.environ.get("CITEMARK_SOAK"))
KILLS = 200 if LONG else 4
KINDS = ("parser", "postmaster", "sync", "backend", "serve")
"""Who is killed in turn; whoever is not there is waited for."""

_USER = "alice"
_FILES = 60 if LONG else 12
_MOST_SECONDS = 1.0
"""Longest time between two looks for somebody to kill."""

_SCANS = 26 if LONG else 3
"""After 26 scans every comparison of the account was a full one; the short run forgets what was listed instead."""

_PATIENCE = 120.0


class Folder:
    """People who write, rewrite, move and delete files; each text has a mark of its own."""

    def __init__(self, root: Path, chance: Random) -> None:
        self.root = root
        self._chance = chance
        self._marks = 0
        for _ in range(_FILES):
            self.write()

    def write(self, place: Path | None = None) -> None:
        """Write a text over a file, or into one of a new name."""
        self._marks += 1
        kind = ".md" if self._chance.random() < 0.5 else ".html"
        place = place or self.root / f"page-{self._chance.randrange(_FILES * 2)}{kind}"
        words = f"The valve of mark-{self._marks}-end opens at {self._marks} bar."
        if place.suffix == ".md":
            place.write_text(f"# Page\n\n{words}\n")
        else:
            place.write_text(f"<html><title>Page</title><h1>Page</h1><p>{words}</p></html>")

    def work(self) -> None:
        for _ in range(self._chance.randrange(2, 6)):
            found = sorted(self.root.iterdir())
            chosen = self._chance.choice(found)
            match self._chance.randrange(6):
                case 0 if len(found) > _FILES // 2:
                    chosen.unlink()
                case 1:
                    chosen.rename(chosen.with_stem(f"moved-{self._chance.randrange(_FILES)}"))
                case 2 | 3:
                    self.write(chosen)
                case _:
                    self.write()


class Fleet:
    """A server and a sync over one data folder, started again as soon as they ended."""

    def __init__(self, environment: dict[str, str], output: Path, cluster: Path, chance: Random) -> None:
        self.killed = Counter[str]()
        self._environment, self._output, self._cluster, self._chance = environment, output, cluster, chance
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._ordered: set[int] = set()

    def tend(self) -> None:
        """Start what does not run. Nothing may have ended by itself but a sync that is done."""
        for name in ("serve", "sync"):
            old = self._running.get(name)
            if old is not None and old.poll() is None:
                continue
            if old is not None:
                _close(old)
            if old is not None and old.pid not in self._ordered:
                assert name == "sync", f"the server ended with {old.returncode}: {self.said()}"
                assert old.returncode in {0, 1}, self.said()
            with self._output.open("ab") as out:
                self._running[name] = subprocess.Popen(
                    [CITEMARK, name],
                    env=self._environment,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=out,
                )

    def kill(self, kind: str) -> bool:
        """Kill a process of a kind; False while there is none."""
        found = self._pids(kind)
        if not found:
            return False
        pid = self._chance.choice(found)
        self._ordered.add(pid)
        send(pid, signal.SIGKILL)
        self.killed[kind] += 1
        return True

    def _pids(self, kind: str) -> list[int]:
        running = [process.pid for process in self._running.values() if process.poll() is None]
        match kind:
            case "parser":
                return [pid for parent in running for pid in parsers_of(parent)]
            case "backend":
                return server_processes(self._cluster)
            case "postmaster":
                first = read_pid_file(self._cluster)
                return [first.pid] if first is not None and is_server_of(first.pid, self._cluster) else []
            case _:
                process = self._running[kind]
                return [process.pid] if process.poll() is None else []

    def end(self) -> None:
        """Have both end as they do when nobody needs them."""
        for process in self._running.values():
            _close(process)
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            process.wait(_PATIENCE)

    def said(self) -> str:
        return self._output.read_text("utf-8", "replace")[-3_000:]


def _close(process: "subprocess.Popen[bytes]") -> None:
    if process.stdin is not None:
        process.stdin.close()


@pytest.mark.requirement("attacks-kept-in-the-soak")
@pytest.mark.timeout(3600 if LONG else 600)
async def test_the_index_is_correct_in_the_end_whichever_process_is_killed(folder: Path) -> None:
    chance = Random(200)
    environment = {**index(folder / "data").environment, "CITEMARK_SCAN_INTERVAL": "5"}
    settings = Settings(data_dir=folder / "data", scan_interval=5, verify_cache=0)
    files = Folder(folder / "docs", chance)
    with SeparateServer() as server:
        server.do(_settle)
        async with open_app(settings) as app:
            docs = await app.stores.sources.add(
                NewSource(name="docs", kind="docs", config={"root": str(files.root)}, keep_history=False)
            )
            account = await Accounts(app, server.url).add(_USER, server.do(Nextcloud.password, _USER))
            await app.sync({source.source_id: source for source in (docs, account)})  # so that what follows are changes
        fleet = Fleet(environment, folder / "output", DataFolder(folder / "data").cluster, chance)
        try:
            mark = 1_000
            for number in range(KILLS):
                patience = time.monotonic() + _PATIENCE
                killed = False
                while not killed:
                    fleet.tend()
                    files.work()
                    mark = server.do(_work, chance.randrange(3), chance.random(), mark)
                    await asyncio.sleep(chance.random() * _MOST_SECONDS)  # the moment of the kill is what is sampled
                    killed = fleet.kill(KINDS[number % len(KINDS)])
                    assert time.monotonic() < patience, f"no {KINDS[number % len(KINDS)]}: {fleet.said()}"
        finally:
            fleet.end()
        assert "Traceback" not in fleet.said(), fleet.said()

        async with open_app(settings) as app:
            accounts = Accounts(app, server.url)
            accounts.sources[_USER] = account
            for _ in range(_SCANS):
                accounts.later(5)
                async with app.stores.database.transaction() as connection:
                    await connection.execute("UPDATE item SET retry_at = '2000-01-01 00:00:00+00'")
                    if not LONG:
                        await connection.execute("DELETE FROM scan_memory")
                await app.sync({source.source_id: source for source in (docs, account)})
            expected = server.do(_truth)
            assert not differences(expected, await accounts.indexed(_USER))
            await check_folder(app.stores.database, docs.source_id, files.root)
            for source, number in ((docs, len(list(files.root.iterdir()))), (account, len(expected))):
                await check_whole(app.stores.database, source.source_id, number)
                await check_statistics(Index(app.stores.database), source)
    print(f"{fleet.killed.total()} kills: {dict(fleet.killed)}")  # noqa: T201 - the figures of a soak


def _settle(server: Nextcloud) -> None:
    People(server.world).settle(2)


def _work(server: Nextcloud, deeds: int, seed: float, mark: int) -> int:
    people = People(server.world, (_USER,), mark)
    people.wander(deeds, Random(seed))
    return people.marks.number()


def _truth(server: Nextcloud) -> ExpectedState:
    return expected_state(server.world, _USER)
