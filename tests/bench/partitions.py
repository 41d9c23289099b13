"""Questions over one source and over all, of an index in sixteen partitions and of one that is whole, in turns."""

import asyncio
import shutil
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from pathlib import Path
from time import process_time
from typing import LiteralString, cast

import numpy as np
import psycopg
from pgvector import HalfVector
from pgvector.psycopg import register_vector
from psycopg.conninfo import make_conninfo
from tests.bench.embedders import KnownVectors
from tests.bench.index import write_pages
from tests.bench.locations import cache
from tests.bench.measure import Latency, Stopwatch, load, median
from tests.bench.texts import SEED, pages, questions
from tests.bench.vectors import Matrix

from citemark.app.compose import App
from citemark.embedding.minilm import MiniLM
from citemark.model.ids import SourceId
from citemark.model.scope import Principal, RequestScope
from citemark.model.sources import NewSource
from citemark.retrieval.question import Question
from citemark.settings import load_settings
from citemark.store.database import Database
from citemark.store.embedded import EmbeddedPostgres
from citemark.store.migrate import ensure_database, migrate
from citemark.store.stores import Stores

_PARTITIONS = 16
_SOURCES = 32
_QUESTIONS = 160
_TURN = 10
"""Questions to one index, then the same to the other: both meet the same machine."""

_WARM_UP = 40
_HITS = 10
_FORMS = {"whole": 0, "divided": _PARTITIONS}
_READY = "bench-ready"


@dataclass(frozen=True, slots=True)
class _Form:
    """One of the two indexes, open.

    Attributes:
        ask: ranks a question over some sources, all if none is named, and returns the texts that it found.
        sources: the names of the sources.
        times: seconds of questions, by what they were asked of.
        spent: seconds of processor time, of this process and of the database, likewise.
    """

    dsn: str
    ask: Callable[[str, str | None], Awaitable[list[str]]]
    sources: Sequence[str]
    times: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    spent: dict[str, list[float]] = field(default_factory=dict[str, list[float]])


async def measure(size: int) -> dict[str, object]:
    """Medians of time and processor time for a question, by form and fence, and their ratios."""
    folder = cache() / f"partitions-{size}"
    if not (folder / _READY).exists():
        shutil.rmtree(folder, ignore_errors=True)
    server = EmbeddedPostgres(folder)
    dsn = await asyncio.to_thread(server.acquire)
    try:
        for name, partitions in _FORMS.items():
            if not (folder / _READY).exists():
                await _make(_at(dsn, name), dsn, name, partitions, size)
        (folder / _READY).touch()
        async with AsyncExitStack() as stack:
            forms = {name: await stack.enter_async_context(_opened(_at(dsn, name))) for name in _FORMS}
            return await _compared(forms) | {"chunks": size, "sources": _SOURCES, "partitions": _PARTITIONS}
    finally:
        await asyncio.to_thread(server.release)


async def _compared(forms: dict[str, _Form]) -> dict[str, object]:
    asked, before = questions(), load()
    same: dict[str, list[float]] = {}
    for first in range(-_WARM_UP, _QUESTIONS, _TURN):
        turn = [(number, asked[number % len(asked)]) for number in range(first, first + _TURN)]
        for fence in ("one", "all"):
            found: dict[str, list[list[str]]] = {}
            for name, form in forms.items():
                spent = await asyncio.to_thread(_spent, form.dsn)
                watch, times = Stopwatch(), list[float]()
                for number, text in turn:
                    one = form.sources[number % _SOURCES] if fence == "one" else None
                    found.setdefault(name, []).append(await form.ask(text, one))
                    times.append(watch.lap())
                if first >= 0:
                    form.times.setdefault(fence, []).extend(times)
                    used = await asyncio.to_thread(_spent, form.dsn) - spent
                    form.spent.setdefault(fence, []).append(used / _TURN)
            if first >= 0:
                pairs = zip(found["whole"], found["divided"], strict=True)
                same.setdefault(fence, []).extend(len(set(a) & set(b)) / max(1, len(set(a) | set(b))) for a, b in pairs)
    whole, divided = forms["whole"], forms["divided"]
    return {
        **{
            f"{name}_{fence}": Latency.of(form.times[fence]).as_dict()
            | {"processor_ms": round(median(form.spent[fence]) * 1000, 3)}
            for name, form in forms.items()
            for fence in form.times
        },
        **{
            f"ratio_{fence}": {
                "elapsed": round(median(divided.times[fence]) / median(whole.times[fence]), 3),
                "processor": round(median(divided.spent[fence]) / median(whole.spent[fence]), 3),
            }
            for fence in whole.times
        },
        "same_hits": {fence: round(sum(shares) / len(shares), 4) for fence, shares in same.items()},
        "load": [before, load()],
    }


def _at(dsn: str, name: str) -> str:
    return make_conninfo(dsn, dbname=name)


def _spent(dsn: str) -> float:
    """Seconds of processor time of this process and of the server's processes for a database, so far."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        backends = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ).fetchall()
    nanoseconds = sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for (pid,) in backends)
    return process_time() + nanoseconds / 1e9


@asynccontextmanager
async def _opened(dsn: str) -> AsyncGenerator[_Form]:
    database = Database(dsn, pool_size=2)
    await database.open()
    try:
        stores = Stores.over(database, timedelta(minutes=30))
        asked = questions()
        pipeline = App(load_settings(), stores, KnownVectors(asked, _random(len(asked), 1))).pipeline
        sources = sorted(source.name for source in await stores.sources.all("local"))

        async def ask(text: str, name: str | None) -> list[str]:
            ranking = await pipeline.rank(
                Question(Principal.local(), text, scope=RequestScope(source=name), depth=_HITS)
            )
            chunks = await stores.search.read(ranking.allowed, [each.chunk_id for each in ranking.candidates])
            return [chunk.context for chunk in chunks.values()]

        yield _Form(dsn, ask, sources)
    finally:
        await database.close()


async def _make(dsn: str, server: str, name: str, partitions: int, size: int) -> None:
    await asyncio.to_thread(ensure_database, server, name)
    await asyncio.to_thread(migrate, dsn, new_in=partitions)
    database = Database(dsn, pool_size=4)
    await database.open()
    try:
        stores = Stores.over(database, timedelta(minutes=30))
        every = list(islice(pages(size), size))
        for number in range(_SOURCES):
            source = await stores.sources.add(NewSource(name=f"source-{number:02}", kind="docs", config={"root": "/"}))
            await write_pages(stores, source.source_id, every[number::_SOURCES], {})
            await stores.segments.flush()
        embedding = await stores.vectors.ensure(MiniLM().identity)
        await asyncio.to_thread(_fill, dsn, f"embedding_{embedding.set_id}", _random(size, 0))
    finally:
        await database.close()


def _fill(dsn: str, table: str, vectors: Matrix) -> None:
    """The same vectors in both forms: those of a page by its place among all pages."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        register_vector(connection)
        rows = connection.execute(
            "SELECT c.source_id, c.chunk_id FROM chunk c JOIN document p"
            " ON p.source_id = c.source_id AND p.document_id = c.page_id ORDER BY p.native_id, c.ordinal"
        ).fetchall()
        (index,) = connection.execute("SELECT pg_get_indexdef(%s::regclass)", (f"{table}_hnsw",)).fetchone() or ("",)
        connection.execute(cast("LiteralString", f"DROP INDEX {table}_hnsw"))
        with connection.cursor().copy(cast("LiteralString", f"COPY {table} FROM STDIN WITH (FORMAT BINARY)")) as copy:
            copy.set_types(["int4", "int8", "halfvec"])
            for (source_id, chunk_id), vector in zip(rows, vectors, strict=True):
                copy.write_row((SourceId(source_id), chunk_id, HalfVector(vector)))
        connection.execute("SET maintenance_work_mem = '512MB'")
        connection.execute(cast("LiteralString", index.replace(" ON ONLY ", " ON ")))
        connection.execute("DELETE FROM vector_task")
        connection.execute("VACUUM (ANALYZE)")
        for (divided,) in connection.execute("SELECT oid::regclass::text FROM pg_class WHERE relkind = 'p'").fetchall():
            connection.execute(cast("LiteralString", f"ANALYZE {divided}"))
        connection.execute("CHECKPOINT")


def _random(count: int, part: int) -> Matrix:
    """Unit vectors in random directions, shape (count, dimensions)."""
    drawn = np.random.default_rng([SEED, part]).normal(size=(count, MiniLM().identity.dimensions)).astype(np.float32)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
