"""Which priority the threads have that embed: low enough for searches, and not lower where somebody waits for them."""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncGenerator

import pytest
from tests.support.index import Index

from citemark.indexing.throttle import EmbeddingThreads, IndexThrottle
from citemark.store.database import Database

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a priority per thread")


@pytest.fixture
async def threads() -> AsyncGenerator[EmbeddingThreads, None]:
    made = EmbeddingThreads(1)
    yield made
    made.close()


def nice_of_this_thread() -> int:
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


async def nice_of(threads: EmbeddingThreads, database: Database, *, foreground: bool) -> int:
    """The nice value of the thread that embeds the next batch."""
    chosen = await threads.chosen(IndexThrottle(Index(database).stores.vectors, 1), foreground=foreground)
    return await asyncio.get_running_loop().run_in_executor(chosen, nice_of_this_thread)


async def test_a_server_embeds_at_the_lowest_priority(database: Database, threads: EmbeddingThreads) -> None:
    assert await nice_of(threads, database, foreground=False) == 19


async def test_a_sync_in_the_foreground_embeds_at_the_lowest_priority_only_while_there_are_searches(
    database: Database, threads: EmbeddingThreads
) -> None:
    assert await nice_of(threads, database, foreground=True) < 19
    await Index(database).stores.vectors.note_search("a server")
    await Index(database).value("UPDATE search_activity SET at = at + interval '1 hour' RETURNING 1")
    assert await nice_of(threads, database, foreground=True) == 19
    await Index(database).value("UPDATE search_activity SET at = at - interval '2 hours' RETURNING 1")
    assert await nice_of(threads, database, foreground=True) < 19
