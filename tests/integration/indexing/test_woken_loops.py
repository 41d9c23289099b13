"""A server whose loops pause for an hour reads and embeds what this process recorded as soon as it is recorded."""

import asyncio
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.support.indexing_loop import IndexingLoop
from tests.support.memory_source import DOC_TYPE
from tests.support.patience import HANG_SECONDS

from citemark.indexing.follower_pool import ConnectedSources
from citemark.indexing.indexer import WorkDone
from citemark.indexing.source_scan import DeletionPolicy
from citemark.indexing.work_loops import LoopPolicy, WorkLoops
from citemark.model.documents import DocumentRef
from citemark.model.ids import NativeId
from citemark.model.vectors import EmbeddingSet
from citemark.store.database import Database


@pytest.fixture
def threads() -> Generator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


class Idle:
    """Counts how often a loop has found nothing to do."""

    def __init__(self) -> None:
        self.times = asyncio.Semaphore(0)

    async def add(self, done: WorkDone, target: EmbeddingSet | None = None) -> None:
        """Work is not counted."""

    def idle(self) -> None:
        """Nothing is waiting."""
        self.times.release()


@pytest.mark.requirement("idle-server-looks-seldom")
async def test_what_this_process_records_wakes_the_reader_and_what_was_read_wakes_the_embedder(
    database: Database, threads: ThreadPoolExecutor
) -> None:
    loop = IndexingLoop(database, threads)
    await loop.sync()
    assert loop.source is not None
    source, connector = loop.source, loop.memory.connector()
    there = ConnectedSources({source.source_id: source}, {source.source_id: connector})
    reports: list[Idle] = []

    async def present() -> ConnectedSources:
        return there

    def reported() -> Idle:
        reports.append(Idle())
        return reports[-1]

    loops = WorkLoops(
        loop.indexer,
        LoopPolicy(1, 3600, 3600),
        present=present,
        targets=loop.index.stores.vectors.sets,
        reports=reported,
    )
    ledger = loop.index.stores.ledger
    with ledger.telling(loops.wake):
        working = asyncio.create_task(loops.run())
        async with asyncio.timeout(HANG_SECONDS):
            while len(reports) < 2:
                await loop.index.value("SELECT 1")
            for report in reports:
                await report.times.acquire()
            before = await loop.index.value("SELECT count(*) FROM embedding_1")
            loop.memory.texts["new.md"] = "# New\nA page that came while nothing was going on.\n"
            await loop.scan.run(source.source_id, connector, DeletionPolicy())
            while await loop.index.value("SELECT count(*) FROM embedding_1") == before:
                pass
            # What is recorded without the end of a scan: by one that broke off, and by a search that saw a change.
            await reports[0].times.acquire()
            loop.memory.texts["late.md"] = "# Late\n"
            await loop.index.want(source.source_id, "late.md", loop.memory.version("late.md"))
            while "late.md" not in await loop.indexed():
                pass
            await reports[0].times.acquire()
            seen = DocumentRef(DOC_TYPE, NativeId("late.md"), loop.memory.version("late.md"))
            loop.memory.texts["late.md"] = "# Later\n"
            await ledger.mark_stale(source.source_id, seen, "another")
            while (await loop.indexed())["late.md"] != "# Later\n":
                pass
        working.cancel()
        await asyncio.wait([working])
