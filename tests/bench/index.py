"""The index of a size: made once by the product's own page transaction, opened by whoever measures it."""

import asyncio
import shutil
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import LiteralString, cast

import psycopg
from pgvector import HalfVector
from pgvector.psycopg import register_vector
from tests.bench.locations import cache, index_folder, pages_folder
from tests.bench.texts import ScalePage, pages
from tests.bench.vectors import Matrix, base, chunk_vectors

from citemark.embedding.minilm import MiniLM
from citemark.extraction.sandbox.pool import ParserPool
from citemark.model.documents import DocumentKey, Listed
from citemark.model.ids import NativeId, SourceId, Version
from citemark.model.ledger import Want
from citemark.model.pages import Page, PageChunk, PageSection
from citemark.model.sources import NewSource
from citemark.model.text import Lines, Section, Span
from citemark.sources.docs.connector import docs_connector
from citemark.store.analysis import lexical
from citemark.store.database import Database
from citemark.store.embedded import EmbeddedPostgres
from citemark.store.migrate import migrate
from citemark.store.stores import Stores

SOURCE = "scale"
DOC_TYPE = "page"
_WRITERS = 2
_BATCH = 500
_READY = "bench-ready"


@dataclass(frozen=True, slots=True)
class OpenIndex:
    """The stores of an index, and its database for statements that only a bench runs."""

    stores: Stores
    dsn: str


async def ensure_index(size: int) -> None:
    """Make the index of `size` chunks unless it is there, with its files beside it."""
    if (index_folder(size) / _READY).exists():
        await _restamp(size)
    else:
        await _make(index_folder(size), size, partial(chunk_vectors, size))


async def ensure_index_of_real_vectors() -> Path:
    """The data folder of an index whose chunks have the vectors of real documents, made unless it is there."""
    folder = cache() / "index-of-real-vectors"
    if not (folder / _READY).exists():
        vectors = await asyncio.to_thread(base)
        await _make(folder, len(vectors), lambda: vectors)
    return folder


async def _make(folder: Path, size: int, vectors: Callable[[], Matrix]) -> None:
    print(f"making the index of {size} chunks", flush=True)  # noqa: T201 - the bench talks to a terminal
    shutil.rmtree(folder, ignore_errors=True)
    made = await asyncio.to_thread(vectors)
    await asyncio.to_thread(_write_files, size)
    versions = await versions_of(pages_folder(size))
    async with open_folder(folder) as index:
        stores = index.stores
        source = await stores.sources.add(NewSource(name=SOURCE, kind="docs", config={"root": str(pages_folder(size))}))
        embedding = await stores.vectors.ensure(MiniLM().identity)
        began = time.perf_counter()
        await _load_texts(stores, source.source_id, size, versions)
        print(f"  texts: {size / (time.perf_counter() - began):.0f} chunks/s", flush=True)  # noqa: T201
        began = time.perf_counter()
        await asyncio.to_thread(_load_vectors, index.dsn, source.source_id, embedding.set_id, made)
        print(f"  vectors and graph: {time.perf_counter() - began:.0f} s", flush=True)  # noqa: T201
    (folder / _READY).touch()


@asynccontextmanager
async def open_index(size: int) -> AsyncGenerator[OpenIndex, None]:
    """The stores of the index of a size; its server runs for as long as they are open."""
    async with open_folder(index_folder(size)) as index:
        yield index


@asynccontextmanager
async def open_folder(folder: Path) -> AsyncGenerator[OpenIndex, None]:
    """The stores of the index in a data folder."""
    server = EmbeddedPostgres(folder)
    dsn = await asyncio.to_thread(server.acquire)
    try:
        await asyncio.to_thread(migrate, dsn)
        database = Database(dsn, pool_size=8, recover=server.ensure)
        await database.open()
        try:
            yield OpenIndex(Stores.over(database, timedelta(minutes=30)), dsn)
        finally:
            await database.close()
    finally:
        await asyncio.to_thread(server.release)


def page_of(scale: ScalePage, source_id: SourceId, version: str) -> Page:
    """The page as preparation would leave it: one section and one chunk per heading."""
    body = scale.body
    sections: list[PageSection] = []
    chunks: list[PageChunk] = []
    at = 0
    for ordinal, entry in enumerate(scale.sections):
        head = body.index(f"## {entry.heading}\n", at)
        start = body.index(entry.text, head)
        at = start + len(entry.text)
        slug = f"section-{ordinal}"
        path = (scale.title, entry.heading)
        sections.append(PageSection(Section(slug, entry.heading, path, 2, Span(head, at), None), digest(body[head:at])))
        context = " > ".join(path)
        line = body.count("\n", 0, start) + 1
        chunks.append(
            PageChunk(
                ordinal=ordinal,
                section=slug,
                span=Span(start, at),
                lines=Lines(line, line),
                context=context,
                text=entry.text,
                lexical=lexical("\n".join([context] * 3 + [scale.path, entry.text])),
                text_hash=digest(" ".join(entry.text.split())),
                embed_hash=digest(f"{context}\n{entry.text}"),
                size=len(context) + len(entry.text),
            )
        )
    return Page(
        key=DocumentKey(source_id, DOC_TYPE, NativeId(scale.path)),
        section_type="section",
        version=Version(version),
        modified_at=None,
        title=scale.title,
        body=body,
        content_hash=digest(body),
        url=None,
        language="english",
        tags=(),
        sections=tuple(sections),
        chunks=tuple(chunks),
        relationships=(),
    )


async def write_pages(stores: Stores, source_id: SourceId, batch: list[ScalePage], versions: dict[str, str]) -> None:
    """Want, claim and apply pages, with as many writers as the product has."""
    wants = [Want(Listed(DOC_TYPE, NativeId(page.path), Version(versions.get(page.path, "0")))) for page in batch]
    await stores.ledger.record(source_id, wants)
    prepared = {page.path: page_of(page, source_id, versions.get(page.path, "0")) for page in batch}

    async def write(worker: str) -> None:
        while claims := await stores.ledger.claim([source_id], worker, limit=16, lease=120):
            for claim in claims:
                await stores.pages.apply(prepared[claim.native_id], worker)

    await asyncio.gather(*(write(f"bench-{number}") for number in range(_WRITERS)))


async def _load_texts(stores: Stores, source_id: SourceId, size: int, versions: dict[str, str]) -> None:
    source = pages(size)
    while batch := list(islice(source, _BATCH)):
        await write_pages(stores, source_id, batch, versions)
        await stores.segments.flush()


def _load_vectors(dsn: str, source_id: int, set_id: int, vectors: Matrix) -> None:
    """Copy the vectors, then build the graph as the store defines it."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        register_vector(connection)
        table = f"embedding_{set_id}"
        rows = connection.execute(
            "SELECT c.chunk_id, p.native_id, c.ordinal FROM chunk c JOIN document p"
            " ON p.source_id = c.source_id AND p.document_id = c.page_id ORDER BY c.chunk_id"
        ).fetchall()
        (index,) = connection.execute("SELECT pg_get_indexdef(%s::regclass)", (f"{table}_hnsw",)).fetchone() or ("",)
        connection.execute(cast("LiteralString", f"DROP INDEX {table}_hnsw"))
        with connection.cursor().copy(cast("LiteralString", f"COPY {table} FROM STDIN WITH (FORMAT BINARY)")) as copy:
            copy.set_types(["int4", "int8", "halfvec"])
            for chunk_id, native_id, ordinal in rows:
                copy.write_row((source_id, chunk_id, HalfVector(vectors[place_of(native_id, ordinal)])))
        connection.execute("SET maintenance_work_mem = '1GB'")
        connection.execute("SET max_parallel_maintenance_workers = 1")
        connection.execute(cast("LiteralString", index))
        connection.execute("DELETE FROM vector_task")
        connection.execute("VACUUM (ANALYZE)")
        connection.execute("CHECKPOINT")


def place_of(native_id: str, ordinal: int) -> int:
    """The number of a chunk in scale data."""
    return int(Path(native_id).stem.removeprefix("page-")) * 12 + ordinal


async def _restamp(size: int) -> None:
    """Take over the versions that the files have today: another checkout, or another way to write a version."""
    versions = await versions_of(pages_folder(size))
    async with open_index(size) as index:
        known = await index.stores.ledger.known((await index.stores.sources.all("local"))[0].source_id)
        if all(entry.indexed == versions.get(native_id) for (_, native_id), entry in known.items()):
            return
        await asyncio.to_thread(_write_versions, index.dsn, versions)


def _write_versions(dsn: str, versions: dict[str, str]) -> None:
    stamps = {"ids": list(versions), "versions": list(versions.values())}
    with psycopg.connect(dsn) as connection:
        connection.execute(
            "UPDATE item i SET wanted_version = s.v, indexed_version = s.v, leased_by = NULL, lease_until = NULL"
            " FROM unnest(%(ids)s::text[], %(versions)s::text[]) AS s (n, v) WHERE i.native_id = s.n",
            stamps,
        )
        connection.execute(
            "UPDATE revision r SET version = s.v FROM document d,"
            " unnest(%(ids)s::text[], %(versions)s::text[]) AS s (n, v)"
            " WHERE d.source_id = r.source_id AND d.document_id = r.document_id AND d.native_id = s.n"
            " AND r.valid_to = 'infinity'",
            stamps,
        )
        connection.execute("DELETE FROM vector_task")


async def versions_of(folder: Path) -> dict[str, str]:
    """The versions that the docs source gives the files: their access check compares them at every search."""
    parsers = ParserPool()
    try:
        connector = docs_connector({"root": str(folder)}, parsers, max_file_bytes=1 << 20)
        return {entry.native_id: entry.version async for entry in connector.scanner.scan() if isinstance(entry, Listed)}
    finally:
        await parsers.close()


def _write_files(size: int) -> None:
    folder = pages_folder(size)
    for page in pages(size):
        path = folder / page.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page.body, encoding="utf-8")


def digest(text: str) -> bytes:
    """32 bytes that stand for a text."""
    return blake2b(text.encode(), digest_size=32).digest()
