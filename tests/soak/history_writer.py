"""A process that writes one index until it is killed; run by the test of history under kills.

Usage: history_writer.py DATA_DIR SOURCE SEED KIND MOMENTS. An `indexer` writes, deletes, flushes and embeds documents
of the source; a `keeper` names some of the moments in the file MOMENTS, one a line, and purges what is older than one.
"""

import asyncio
import random
import sys
from datetime import datetime
from pathlib import Path

import psycopg
from tests.support.index import Index

from citemark.embedding.minilm import MiniLM
from citemark.model.baselines import BaselineSource
from citemark.model.errors import CitemarkError
from citemark.model.sources import Source
from citemark.store.database import Database
from citemark.store.embedded import EmbeddedPostgres
from citemark.store.history import HistoryStore

_DOCUMENTS = 10
_WORDS = ("boiler", "violin", "harbour", "orchard", "ledger", "glacier", "valve", "rope")


def may_be_named(moment: datetime) -> bool:
    """One of three moments: the others are left to purges."""
    return moment.microsecond % 3 == 0


class Writer:
    """What one process does to the index, a step at a time."""

    def __init__(self, index: Index, source: Source, chance: random.Random, moments: Path) -> None:
        self._index, self._source, self._chance, self._moments = index, source, chance, moments
        self.steps = {"indexer": self.index, "keeper": self.keep}

    async def index(self) -> None:
        stores, chance = self._index.stores, self._chance
        await stores.ledger.lost(workers=[self._index.worker])
        name = f"{chance.randrange(_DOCUMENTS)}.md"
        if chance.random() < 0.15:
            await self._index.drop(self._source, name)
        else:
            one, other = chance.sample(_WORDS, 2)
            body = f"# The {one}\nIt stands {chance.randrange(99)} steps from the {other}.\n# Also\nA {other} again.\n"
            await self._index.put(self._source, name, body)
        if chance.random() < 0.4:
            await stores.segments.flush()
        if chance.random() < 0.5:
            await self._index.embed(await stores.vectors.ensure(MiniLM().identity))

    async def keep(self) -> None:
        stores, chance = self._index.stores, self._chance
        known = [datetime.fromisoformat(line) for line in self._moments.read_text().splitlines()]
        if known and chance.random() < 0.5:
            at = chance.choice([at for at in known if may_be_named(at)] or known[:1])
            sources = [BaselineSource(self._source.source_id)]
            ranges = await stores.baselines.history_ranges([self._source.source_id], at)
            if ranges[0].since is None or ranges[0].since <= at:
                await stores.baselines.create("local", f"b {at.isoformat()}", at, at, sources)
        elif known and chance.random() < 0.3:
            await stores.of(HistoryStore).purge(self._source.source_id, chance.choice(known[: len(known) // 2 + 1]))
            await stores.segments.drop_purged([self._source.source_id])
        else:
            await asyncio.sleep(0.05)  # the indexer is the busy one


async def main(data_dir: str, source_name: str, seed: str, kind: str, moments: str) -> None:
    """Write until killed; a database that was killed is brought back by whoever asks next."""
    server = EmbeddedPostgres(Path(data_dir))
    database = Database(await asyncio.to_thread(server.acquire), pool_size=4, recover=server.ensure)
    await database.open()
    index = Index(database, worker=kind)
    (source,) = [each for each in await index.stores.sources.all("local") if each.name == source_name]
    step = Writer(index, source, random.Random(seed), Path(moments)).steps[kind]
    while True:
        try:
            await step()
        except (CitemarkError, psycopg.Error) as error:
            print(f"{kind}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)  # noqa: T201 - for a failure


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
