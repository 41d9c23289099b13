"""A renamed file is followed, whichever of several processes reads the one name and ends the other."""

import asyncio
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from tests.support.indexing_loop import IndexingLoop
from tests.support.memory_source import DOC_TYPE, MemorySource
from tests.support.patience import HANG_SECONDS

from citemark.indexing.background import Background
from citemark.indexing.follower_pool import ConnectedSources
from citemark.indexing.source_scan import DeletionPolicy
from citemark.model.documents import DocumentRef, Fetched
from citemark.model.ids import NativeId, Version
from citemark.model.vectors import EmbeddingSet
from citemark.store.database import Database

OLD, NEW = "3.md", "renamed.md"
_PAUSE = 0.02
WATCHING = DeletionPolicy(grace=timedelta(hours=1), count_empty=False)
"""A server's policy whose second look at what is missed never comes."""


@dataclass
class Slow(MemorySource):
    """The same source, as a process sees it that takes its time to read."""

    asked_for: asyncio.Event = field(default_factory=asyncio.Event)
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)

    async def fetch(self, doc_type: str, native_id: NativeId) -> Fetched | None:
        self.asked_for.set()
        await self.may_answer.wait()
        return await super().fetch(doc_type, native_id)


@pytest.fixture
async def threads() -> AsyncGenerator[ThreadPoolExecutor, None]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


@pytest.fixture
async def syncing(database: Database, threads: ThreadPoolExecutor) -> IndexingLoop:
    """`citemark sync` over a source that is indexed; then a file of it was renamed."""
    loop = IndexingLoop(database, threads, worker="sync")
    await loop.sync()
    loop.memory.texts[NEW] = loop.memory.texts.pop(OLD)
    return loop


@pytest.fixture
def serving(database: Database, threads: ThreadPoolExecutor, syncing: IndexingLoop) -> IndexingLoop:
    """A server over the same source."""
    return IndexingLoop(database, threads, worker="serve", beside=syncing)


@asynccontextmanager
async def running(loop: IndexingLoop) -> AsyncGenerator[None, None]:
    """What a server does beside answering, its scans apart; it has looked around once and found nothing to do."""
    assert loop.source is not None
    there = ConnectedSources({loop.source.source_id: loop.source}, {loop.source.source_id: loop.memory.connector()})
    looked = asyncio.Semaphore(0)

    async def present() -> ConnectedSources:
        looked.release()
        return there

    async def targets() -> list[EmbeddingSet]:
        return []

    server = Background(loop.indexer, present, targets)
    task = asyncio.create_task(server.run())
    try:
        async with asyncio.timeout(HANG_SECONDS):
            await looked.acquire()
            await looked.acquire()
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def scan(loop: IndexingLoop, policy: DeletionPolicy) -> None:
    assert loop.source is not None
    await loop.scan.run(loop.source.source_id, loop.memory.connector(), policy)


async def read(loop: IndexingLoop) -> int:
    """Work the text queue off, and nothing else; how many documents that were."""
    assert loop.source is not None
    number, documents = loop.source.source_id, 0
    while done := await loop.indexer.read({number: loop.source}, {number: loop.memory.connector()}):
        if done.idle:
            return documents
        documents += done.documents + done.removed
    return documents


async def now_called(loop: IndexingLoop) -> str | None:
    assert loop.source is not None
    found = await loop.index.stores.documents.latest(loop.source.source_id, OLD)
    return None if found is None else found.native_id


async def finally_called(loop: IndexingLoop) -> str | None:
    """The same, once that is the new name or there was time enough for it."""
    for _ in range(int(HANG_SECONDS / _PAUSE)):
        if await now_called(loop) == NEW:
            break
        await asyncio.sleep(_PAUSE)
    return await now_called(loop)


@pytest.mark.requirement("rename-is-moved-not-gone")
async def test_the_server_reads_the_new_name_before_the_sync_ends_the_old_one(
    serving: IndexingLoop, syncing: IndexingLoop
) -> None:
    await scan(serving, WATCHING)
    assert await read(serving) == 1
    assert await now_called(syncing) == OLD
    await syncing.sync()
    assert await now_called(syncing) == NEW


@pytest.mark.requirement("rename-is-moved-not-gone")
async def test_the_sync_is_over_before_the_server_has_read_the_new_name(
    serving: IndexingLoop, syncing: IndexingLoop
) -> None:
    serving.memory = slow = Slow(syncing.memory.texts)
    async with running(serving):
        await scan(syncing, DeletionPolicy())
        async with asyncio.timeout(HANG_SECONDS):
            await slow.asked_for.wait()
        report = await syncing.sync()
        assert (report.documents, await now_called(syncing)) == (0, None)
        slow.may_answer.set()
        assert await finally_called(syncing) == NEW


@pytest.mark.requirement("rename-is-moved-not-gone")
async def test_a_worker_finds_the_old_name_gone_before_any_scan(serving: IndexingLoop, syncing: IndexingLoop) -> None:
    assert syncing.source is not None
    await scan(serving, WATCHING)
    assert await read(syncing) == 1
    async with running(serving):
        ref = DocumentRef(DOC_TYPE, NativeId(OLD), Version(""))
        await serving.index.stores.ledger.mark_stale(syncing.source.source_id, ref, "recheck")
        assert await finally_called(syncing) == NEW


@pytest.mark.requirement("rename-is-moved-not-gone")
@pytest.mark.parametrize("finder", ["sync", "serve"])
async def test_files_left_by_a_dead_process_are_found_by_the_next(
    serving: IndexingLoop, syncing: IndexingLoop, finder: str
) -> None:
    await scan(serving, WATCHING)
    await read(serving)
    await scan(syncing, DeletionPolicy())
    assert await read(syncing) == 1
    assert await now_called(syncing) is None
    if finder == "sync":
        await syncing.sync()
    else:
        async with running(serving):
            await finally_called(syncing)
    assert await now_called(syncing) == NEW


async def test_renames_are_settled_when_nothing_is_missed_any_more(
    serving: IndexingLoop, syncing: IndexingLoop
) -> None:
    assert syncing.source is not None
    number = syncing.source.source_id
    await scan(serving, WATCHING)
    await read(serving)
    assert not (await serving.indexer.renames.follow(number, changed=True)).settled
    await syncing.sync()
    assert (await serving.indexer.renames.follow(number, changed=False)).settled
