"""Machines that index for one database: each works on what it can open, and status tells which one follows a folder."""

from collections.abc import AsyncGenerator, Generator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from socket import gethostname

import pytest
from pydantic import SecretStr
from tests.support.indexing_loop import TEXTS, IndexingLoop

from citemark.app.open_index import open_app
from citemark.cli.command_context import CommandContext
from citemark.cli.status_command import show_status
from citemark.indexing.source_scan import DeletionPolicy
from citemark.model.sources import NewSource
from citemark.settings import Settings
from citemark.store.database import Database
from citemark.store.leases import WatchLeases


class Folder:
    """A folder that is there, or is not, on one machine."""

    def __init__(self, *, there: bool) -> None:
        self._there = there

    def root_identity(self) -> str | None:
        return "1:2" if self._there else None

    def outdated(self) -> bool:
        return False

    async def changes(self) -> AsyncGenerator[None]:
        for _ in ():
            yield


@pytest.fixture
def threads() -> Generator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


@pytest.mark.requirement("machines-claim-what-they-can-open")
async def test_a_machine_without_the_folder_leaves_its_documents_to_one_that_has_it(
    database: Database, threads: ThreadPoolExecutor
) -> None:
    without = IndexingLoop(database, threads, "without")
    source = without.source = await without.index.source()
    having = IndexingLoop(database, threads, "having", beside=without)
    number, connector = source.source_id, without.memory.connector()
    await having.scan.run(number, connector, DeletionPolicy())
    absent, there = (replace(connector, watcher=Folder(there=there)) for there in (False, True))
    nothing = await without.indexer.read({number: source}, {number: absent}, 0, lambda _: None)
    assert nothing.idle
    assert (nothing.failed, without.memory.fetched, await without.problems()) == (0, [], {})
    done = await having.indexer.read({number: source}, {number: there}, 0, lambda _: None)
    assert done.documents == len(TEXTS)


@pytest.mark.requirement("machines-claim-what-they-can-open")
async def test_status_names_the_machine_that_follows_a_folder_unless_it_is_this_one(
    dsn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with open_app(Settings(database_url=SecretStr(dsn), data_dir=tmp_path / "data")) as app:
        source = await app.sources.add(NewSource("handbook", "docs", {"root": str(tmp_path)}))
        watches = WatchLeases(app.stores.database)
        for host, told in (
            ("build-7", "followed by file events on build-7"),
            (gethostname(), "followed by file events,"),
        ):
            worker = f"1@{host}:0123456789abcdef/w"
            await watches.hold([source.source_id], worker, 30.0)
            await watches.describe(source.source_id, worker, "file events")
            (status,) = await app.status.sources()
            assert status.machine == host
            await show_status(CommandContext(open_app), app)
            assert told in capsys.readouterr().out
            await watches.release(worker)
        (status,) = await app.status.sources()
        assert (status.watching, status.machine) == ("", "")
