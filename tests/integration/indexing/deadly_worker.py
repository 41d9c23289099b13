"""A process that works a text queue off and is killed by one of its documents, as by a parser that crashes.

Usage: deadly_worker.py DSN SOURCE_NAME DEADLY NATIVE_ID...
It leaves with 0 when nothing waits any more.
"""

import asyncio
import os
import signal
import sys
from datetime import timedelta

from tests.support.memory_source import MemorySource

from citemark.embedding.minilm import MiniLM
from citemark.indexing.language_detector import LanguageDetector
from citemark.indexing.text_worker import TextWorker
from citemark.store.database import Database
from citemark.store.leases import Leases, worker_name
from citemark.store.stores import Stores


async def main(dsn: str, name: str, deadly: str, native_ids: list[str]) -> None:
    """Begin as every process does, then read until nothing waits."""

    def trouble(what: str) -> None:
        if what == deadly:
            os.kill(os.getpid(), signal.SIGKILL)

    database = Database(dsn, pool_size=4)
    await database.open()
    await Leases(database).release_dead()
    stores = Stores.over(database, timedelta(minutes=30))
    source = await stores.sources.named("local", name)
    memory = MemorySource({native_id: f"# {native_id}\nText of it.\n" for native_id in native_ids}, trouble=trouble)
    tokenizer = MiniLM().tokenizer

    async def work(number: int) -> None:
        worker = TextWorker(
            stores.ledger,
            stores.pages,
            stores.segments,
            stores.sources,
            tokenizer,
            LanguageDetector(),
            worker_name(str(number)),
        )
        while (
            done := await worker.round({source.source_id: source}, {source.source_id: memory.connector()})
        ).documents:
            assert not done.failed

    await asyncio.gather(work(1), work(2))
    await database.close()


asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]))
