"""All programs of an index killed at once while they index: nothing is left of them, and the next sync finishes."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from tests.acceptance.served import CITEMARK, index
from tests.integration.store.embedded_support import until
from tests.support.index_checks import check_folder, check_whole
from tests.support.parsers import parsers_of

from citemark.app.open_index import open_app
from citemark.model.sources import NewSource
from citemark.settings import Settings
from citemark.store.embedded.data_folder import DataFolder
from citemark.store.embedded.postmaster import read_pid_file, send, server_processes

pytestmark = pytest.mark.slow

LONG = bool(os.environ.get("CITEMARK_SOAK"))
ROUNDS = 10 if LONG else 1
WATCHED = (False, True) if LONG else (False,)
"""Whether the watcher of PostgreSQL lives on; if so it looks for users every ten seconds, which is for the long run."""

COMMANDS = (("serve",), ("sync", "-q")) if LONG else (("serve",),)
"""The server does not end by itself, however late it is killed."""

_BAR_SECONDS = 60.0
_PAGES = 60 if LONG else 20


@pytest.fixture
def docs(folder: Path) -> Path:
    return folder / "docs"


def write(docs: Path, version: int) -> None:
    """Pages that are read in processes of their own."""
    for number in range(_PAGES):
        parts = "".join(f"<h2>Part {part}</h2><p>Valve {part} opens.</p>" for part in range(8))
        text = f"<html><title>Page {number}</title><p>This is mark-{version}{number:03}-end.</p>{parts}</html>"
        (docs / f"page-{number:02}.html").write_text(text)


class Programs:
    """A server, in the long run with a sync beside it, and every process that works for them."""

    def __init__(self, data_dir: Path) -> None:
        environment = index(data_dir).environment
        self._cluster = DataFolder(data_dir).cluster
        self._started = [
            subprocess.Popen(
                [CITEMARK, *words],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            for words in COMMANDS
        ]

    @property
    def parsing(self) -> bool:
        """Whether a page is being read, so that documents are leased."""
        return any(parsers_of(process.pid) for process in self._started)

    def kill(self, *, watched: bool) -> list[psutil.Process]:
        """Kill the programs, and the watcher too unless PostgreSQL stays `watched`; returns what they leave behind."""
        first = read_pid_file(self._cluster)
        assert first is not None
        watcher = psutil.Process(first.pid).parent()
        assert watcher is not None
        assert "server_watcher.py" in " ".join(watcher.cmdline())
        children = [pid for process in self._started for pid in parsers_of(process.pid)]
        there = [watcher]
        for pid in (*children, *server_processes(self._cluster)):
            with suppress(psutil.NoSuchProcess):  # a backend that has just ended
                there.append(psutil.Process(pid))
        for pid in [process.pid for process in self._started] + ([] if watched else [watcher.pid]):
            send(pid, signal.SIGKILL)
        self.end()
        return there

    def end(self) -> None:
        """Kill what has not ended, and take notice of its end."""
        for process in self._started:
            process.kill()
            process.communicate()


@pytest.fixture
def programs(folder: Path) -> Generator[Callable[[], Programs]]:
    started: list[Programs] = []

    def start() -> Programs:
        started.append(Programs(folder / "data"))
        return started[-1]

    yield start
    for each in started:
        each.end()


@pytest.mark.requirement("nothing-left-after-kill")
@pytest.mark.timeout(3600 if LONG else 600)
@pytest.mark.parametrize("watched", WATCHED)
async def test_of_programs_killed_while_they_index_nothing_is_left_and_the_next_sync_finishes(
    folder: Path, docs: Path, programs: Callable[[], Programs], *, watched: bool
) -> None:
    settings = Settings(data_dir=folder / "data")
    async with open_app(settings) as app:
        new = NewSource(name="docs", kind="docs", config={"root": str(docs)}, keep_history=False)
        source = await app.stores.sources.add(new)
    longest = 0.0
    for number in range(ROUNDS):
        write(docs, number)
        running = programs()
        until(lambda running=running: running.parsing, "the programs read")
        there = running.kill(watched=watched)
        began = time.monotonic()
        gone, left = psutil.wait_procs(there, timeout=_BAR_SECONDS if LONG else None)
        longest = max(longest, time.monotonic() - began)
        assert not left
        assert len(gone) > 2
        assert server_processes(DataFolder(folder / "data").cluster) == []
    async with open_app(settings) as app:
        await app.sync({source.source_id: source})
        await check_folder(app.stores.database, source.source_id, docs)
        await check_whole(app.stores.database, source.source_id, _PAGES)
    print(f"{ROUNDS} kills of everything, nothing left after {longest:.1f} s at most")  # noqa: T201 - for the soak
