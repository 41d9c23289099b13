"""Reading what is large keeps nothing else from being found by meaning."""

import asyncio
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.support.indexing_loop import TEXTS, IndexingLoop
from tests.support.patience import HANG_SECONDS

from citemark.embedding.contract import Vectors
from citemark.embedding.minilm import MiniLM
from citemark.store.database import Database

LOG = "0 log.md"
"""Its name comes before those of all others."""


class _Noting(MiniLM):
    """Notes what had been read when each batch was embedded."""

    def __init__(self, fetched: Sequence[str]) -> None:
        super().__init__()
        self._fetched = fetched
        self.read_before: list[tuple[str, ...]] = []

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.read_before.append(tuple(self._fetched))
        return super().embed_documents(texts)


@pytest.fixture
def threads() -> Generator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


@pytest.mark.requirement("log-delays-others-little", "large-documents-are-read-last")
async def test_every_other_document_is_found_by_meaning_while_a_large_one_is_still_being_read(
    database: Database, threads: ThreadPoolExecutor
) -> None:
    loop = IndexingLoop(database, threads)
    memory, read = loop.memory, asyncio.Event()
    memory.texts[LOG], memory.sizes[LOG], memory.held[LOG] = "A log, as if it were long.\n", 5 * 2**20, read
    loop.model = noting = _Noting(memory.fetched)
    syncing = asyncio.create_task(loop.sync())
    async with asyncio.timeout(HANG_SECONDS):
        while not await loop.index.value("SELECT to_regclass('embedding_1') IS NOT NULL"):
            pass
        while await loop.index.value("SELECT count(*) FROM embedding_1") < len(TEXTS):
            assert not syncing.done()
        read.set()
        report = await syncing
    assert memory.fetched == [*sorted(TEXTS), LOG]
    assert report.vectors == len(TEXTS) + 1
    assert set(noting.read_before[0]) >= set(TEXTS), "vectors wait for ordinary texts"
