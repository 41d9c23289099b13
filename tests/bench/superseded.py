"""Indexes of documents that were rewritten many times, and of their last texts alone, by the page transaction."""

import asyncio
import json
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import LiteralString, cast

import psycopg
from pgvector import HalfVector
from pgvector.psycopg import register_vector
from tests.bench.index import digest, open_folder, versions_of, write_pages
from tests.bench.locations import cache
from tests.bench.texts import ScalePage, ScaleSection, pages
from tests.bench.vectors import Matrix, chunk_vectors

from citemark.embedding.minilm import MiniLM
from citemark.model.ids import SourceId
from citemark.model.sources import NewSource
from citemark.store.stores import Stores

SECTIONS = 5
"""Of each document; a revision writes one of them anew, so that after five of them nothing of a text is left."""

_BATCH = 500
_READY = "bench-ready.json"


@dataclass(frozen=True, slots=True)
class Rewritten:
    """Documents, and how often each was written."""

    documents: int
    revisions: int

    @property
    def folder(self) -> Path:
        """The data folder of the index."""
        return cache() / f"history-{self.documents}-{self.revisions}"

    @property
    def files(self) -> Path:
        """The last texts; an index without history has the same."""
        return cache() / f"history-{self.documents}-files"


def moments(index: Rewritten) -> list[datetime]:
    """A moment within the life of each revision, the oldest first."""
    return [datetime.fromisoformat(moment) for moment in json.loads((index.folder / _READY).read_text())]


async def ensure(documents: int, revisions: int) -> tuple[Rewritten, Rewritten]:
    """Have an index with the history of documents, and one without."""
    texts = _Texts(documents, revisions)
    long, short = Rewritten(documents, revisions), Rewritten(documents, 1)
    if not (long.folder / _READY).exists() or not (short.folder / _READY).exists():
        await asyncio.to_thread(texts.write_last, long.files)
        await _make(long, texts, range(revisions))
        await _make(short, texts, range(revisions - 1, revisions))
    return long, short


class _Texts:
    """What each document says in each revision."""

    def __init__(self, documents: int, revisions: int) -> None:
        self._documents, self._last = documents, revisions - 1
        kept = documents * SECTIONS
        self.size = kept * (1 + -(-self._last // SECTIONS))
        self._sections: list[ScaleSection] = []

    def of(self, revision: int) -> Iterator[ScalePage]:
        """Every document in one of its revisions."""
        if not self._sections:
            self._sections = [section for page in pages(self.size) for section in page.sections]
        for number in range(self._documents):
            sections = tuple(self._sections[self._place(number, each, revision)] for each in range(SECTIONS))
            yield ScalePage(f"part-{number // 500:03}/page-{number:06}.md", f"Document {number}", sections)

    def places(self) -> dict[bytes, int]:
        """The number of each text's vector, by what says that a text was embedded before."""
        return {
            digest(f"{f'Document {number}'} > {section.heading}\n{section.text}"): place
            for revision in range(self._last + 1)
            for number in range(self._documents)
            for each in range(SECTIONS)
            for place in [self._place(number, each, revision)]
            for section in [self._sections[place]]
        }

    def _place(self, number: int, section: int, revision: int) -> int:
        """Revision 1 writes the first section anew, revision 2 the second, and so on in turns."""
        anew = (revision + SECTIONS - 1 - section) // SECTIONS
        return (anew * self._documents + number) * SECTIONS + section

    def write_last(self, folder: Path) -> None:
        """The files as they are now."""
        for page in self.of(self._last):
            path = folder / page.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(page.body, encoding="utf-8")


async def _make(index: Rewritten, texts: _Texts, revisions: Sequence[int]) -> None:
    if (index.folder / _READY).exists():
        return
    shutil.rmtree(index.folder, ignore_errors=True)
    versions = await versions_of(index.files)
    began = time.perf_counter()
    found: list[str] = []
    async with open_folder(index.folder) as opened:
        stores = opened.stores
        config = {"root": str(index.files)}
        source = await stores.sources.add(NewSource(name="history", kind="docs", config=config))
        embedding = await stores.vectors.ensure(MiniLM().identity)
        for revision in revisions:
            stamps = {path: f"{version}-{revision}" for path, version in versions.items()}
            stamps = versions if revision == revisions[-1] else stamps
            await _write(stores, source.source_id, texts.of(revision), stamps)
            found.append((await stores.horizon.now()).isoformat())
            took = time.perf_counter() - began
            print(f"  {index.folder.name}: revision {revision} after {took:.0f} s", flush=True)  # noqa: T201 - as elsewhere
        vectors = await asyncio.to_thread(chunk_vectors, texts.size)
        await asyncio.to_thread(_load_vectors, opened.dsn, embedding.set_id, vectors, texts.places())
    (index.folder / _READY).write_text(json.dumps(found))


async def _write(stores: Stores, source_id: SourceId, source: Iterator[ScalePage], versions: dict[str, str]) -> None:
    while batch := list(islice(source, _BATCH)):
        await write_pages(stores, source_id, batch, versions)
        await stores.segments.flush()


def _load_vectors(dsn: str, set_id: int, vectors: Matrix, places: dict[bytes, int]) -> None:
    """Copy the vectors of every revision, then build the graph as the store defines it."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        register_vector(connection)
        table = f"embedding_{set_id}"
        (graph,) = connection.execute("SELECT pg_get_indexdef(%s::regclass)", (f"{table}_hnsw",)).fetchone() or ("",)
        connection.execute(cast("LiteralString", f"DROP INDEX {table}_hnsw"))
        for name, superseded in ((table, False), (f"{table}_past", True)):
            rows = connection.execute(
                "SELECT source_id, chunk_id, embed_hash FROM chunk WHERE (valid_to < 'infinity') = %s ORDER BY 1, 2",
                (superseded,),
            ).fetchall()
            statement = cast("LiteralString", f"COPY {name} FROM STDIN WITH (FORMAT BINARY)")
            with connection.cursor().copy(statement) as copy:
                copy.set_types(["int4", "int8", "halfvec"])
                for source_id, chunk_id, embed_hash in rows:
                    copy.write_row((source_id, chunk_id, HalfVector(vectors[places[bytes(embed_hash)]])))
        connection.execute("SET maintenance_work_mem = '1GB'")
        connection.execute(cast("LiteralString", graph))
        connection.execute("DELETE FROM vector_task")
        connection.execute("VACUUM (ANALYZE)")
        connection.execute("CHECKPOINT")
