"""Indexes of documents that were rewritten many times, and of their last texts alone, by the page transaction."""

import asyncio
import json
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import LiteralString, cast

import psycopg
from pgvector import HalfVector
from pgvector.psycopg import register_vector
from tests.bench.index import OpenIndex, digest, open_folder, versions_of, write_pages
from tests.bench.locations import cache
from tests.bench.texts import ScalePage, ScaleSection, pages
from tests.bench.vectors import Matrix, chunk_vectors

from citemark.embedding.minilm import MiniLM
from citemark.model.ids import SourceId
from citemark.model.sources import NewSource
from citemark.store.stores import Stores

SECTIONS = 5
"""Of each document; a revision writes one of them anew, so that after five of them nothing of a text is left."""

_WRITTEN = 10
"""The newest revisions, written by the page transaction; the older ones are copies of these further in the past."""

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
    texts = _Texts(documents, min(revisions, _WRITTEN))
    long, short = Rewritten(documents, revisions), Rewritten(documents, 1)
    if not (long.folder / _READY).exists() or not (short.folder / _READY).exists():
        await asyncio.to_thread(texts.write_last, long.files)
        await _make(long, texts, revisions)
        await _make(short, texts, 1)
    return long, short


class _Texts:
    """What each document says in each revision."""

    def __init__(self, documents: int, revisions: int) -> None:
        self._documents, self.last = documents, revisions - 1
        self.size = documents * SECTIONS * (1 + -(-self.last // SECTIONS))
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
            for revision in range(self.last + 1)
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
        for page in self.of(self.last):
            path = folder / page.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(page.body, encoding="utf-8")


async def _make(index: Rewritten, texts: _Texts, revisions: int) -> None:
    if (index.folder / _READY).exists():
        return
    shutil.rmtree(index.folder, ignore_errors=True)
    versions = await versions_of(index.files)
    began = time.perf_counter()
    async with open_folder(index.folder) as opened:
        stores = opened.stores
        config = {"root": str(index.files)}
        source = await stores.sources.add(NewSource(name="history", kind="docs", config=config))
        embedding = await stores.vectors.ensure(MiniLM().identity)
        for revision in range(max(0, texts.last + 1 - revisions), texts.last + 1):
            old = {path: f"{version}-{revision}" for path, version in versions.items()}
            await _write(stores, source.source_id, texts.of(revision), versions if revision == texts.last else old)
            took = time.perf_counter() - began
            print(f"  {index.folder.name}: revision {revision} after {took:.0f} s", flush=True)  # noqa: T201 - as elsewhere
        await _finish(index, opened, embedding.set_id, texts)


async def _finish(index: Rewritten, opened: OpenIndex, set_id: int, texts: _Texts) -> None:
    await asyncio.to_thread(_copy_back, opened.dsn, index.revisions)
    await opened.stores.segments.flush()
    vectors = await asyncio.to_thread(chunk_vectors, texts.size)
    found = await asyncio.to_thread(_load_vectors, opened.dsn, set_id, vectors, texts.places())
    (index.folder / _READY).write_text(json.dumps([moment.isoformat() for moment in found]))


async def _write(stores: Stores, source_id: SourceId, source: Iterator[ScalePage], versions: dict[str, str]) -> None:
    while batch := list(islice(source, _BATCH)):
        await write_pages(stores, source_id, batch, versions)
        await stores.segments.flush()


def _copy_back(dsn: str, revisions: int) -> None:
    """Let every document have so many revisions: those that it has happened before, again and again."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(_NUMBERED)
        (written,) = connection.execute("SELECT max(number) FROM numbered").fetchone() or (0,)
        for back in range(1, revisions - written + 1):
            # The oldest copy lies furthest back; each holds for an hour.
            params = {"number": written - (back - 1) % written, "back": back}
            connection.execute(_COPY, params)
        connection.execute("UPDATE document SET valid_from = valid_from - interval '1 day' * %s", (revisions,))
        connection.execute("ANALYZE")


_NUMBERED = """
CREATE TEMP TABLE numbered AS
SELECT r.source_id, r.revision_id, row_number() OVER (PARTITION BY r.document_id ORDER BY r.valid_from) AS number,
       (SELECT min(valid_from) FROM revision) AS begins
FROM revision r"""

_COPY = """
WITH old AS MATERIALIZED (
    SELECT n.source_id, n.revision_id, nextval(pg_get_serial_sequence('revision', 'revision_id')) AS new_id,
           n.begins - interval '1 hour' * %(back)s AS begins, n.begins - interval '1 hour' * (%(back)s - 1) AS ends
    FROM numbered n WHERE n.number = %(number)s),
revisions AS (
    INSERT INTO revision OVERRIDING SYSTEM VALUE
    SELECT (r).* FROM (
        SELECT jsonb_populate_record(r, jsonb_build_object('revision_id', o.new_id, 'valid_from', o.begins,
                                                           'valid_to', o.ends)) AS r
        FROM old o JOIN revision r USING (source_id, revision_id)) x),
sections AS (
    INSERT INTO section
    SELECT (s).* FROM (
        SELECT jsonb_populate_record(s, jsonb_build_object('revision_id', o.new_id, 'revision_ids_before', NULL)) AS s
        FROM old o JOIN revision r USING (source_id, revision_id)
        JOIN document d ON d.source_id = r.source_id AND d.page_id = r.document_id
        JOIN section s ON s.source_id = d.source_id AND s.document_id = d.document_id
             AND is_of(r.revision_id, s.revision_id, s.revision_ids_before)) x),
chunks AS MATERIALIZED (
    SELECT c.source_id, c.chunk_id, nextval(pg_get_serial_sequence('chunk', 'chunk_id')) AS new_chunk_id, o.new_id,
           o.begins, o.ends
    FROM old o JOIN chunk c USING (source_id, revision_id) ORDER BY c.chunk_id),
copied AS (
    INSERT INTO chunk OVERRIDING SYSTEM VALUE
    SELECT (c).* FROM (
        SELECT jsonb_populate_record(c, jsonb_build_object('revision_id', n.new_id, 'chunk_id', n.new_chunk_id,
                                                           'valid_from', n.begins, 'valid_to', n.ends)) AS c
        FROM chunks n JOIN chunk c USING (source_id, chunk_id)) x),
words AS (
    INSERT INTO chunk_terms_past (source_id, chunk_id, length, terms)
    SELECT n.source_id, c.content_key, t.length, t.terms
    FROM chunks n JOIN chunk c USING (source_id, chunk_id) JOIN chunk_terms t USING (source_id, chunk_id)
    ON CONFLICT DO NOTHING
    RETURNING source_id, chunk_id)
INSERT INTO chunk_delta_past (source_id, chunk_id) SELECT source_id, chunk_id FROM words"""


_HEAD = "SELECT source_id, chunk_id, embed_hash FROM chunk WHERE valid_to = 'infinity' ORDER BY 1, 2"

_PAST = "SELECT DISTINCT source_id, content_key, embed_hash FROM chunk WHERE valid_to < 'infinity' ORDER BY 1, 2"
"""The vectors of superseded chunks are kept by content."""


def _load_vectors(dsn: str, set_id: int, vectors: Matrix, places: dict[bytes, int]) -> list[datetime]:
    """Copy the vectors of every revision, then build the graph as the store defines it; a moment in each state."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        register_vector(connection)
        table = f"embedding_{set_id}"
        (graph,) = connection.execute("SELECT pg_get_indexdef(%s::regclass)", (f"{table}_hnsw",)).fetchone() or ("",)
        connection.execute(cast("LiteralString", f"DROP INDEX {table}_hnsw"))
        for name, chunks in ((table, _HEAD), (f"{table}_past", _PAST)):
            rows = connection.execute(cast("LiteralString", chunks)).fetchall()
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
        rows = connection.execute(
            "SELECT max(valid_from) + interval '1 microsecond' FROM (SELECT valid_from, row_number() OVER"
            " (PARTITION BY document_id ORDER BY valid_from) AS number FROM revision) r GROUP BY number ORDER BY 1"
        ).fetchall()
    return [row[0] for row in rows]
