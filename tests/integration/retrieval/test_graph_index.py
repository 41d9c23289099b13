"""The graph index answers like the exact scan, where the caller may read little of it."""

import random
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from tests.support.index import Index, vector_of

from citemark.embedding.minilm import MiniLM
from citemark.model.candidates import NearestQuery, RetrieverHits
from citemark.model.ids import SourceId
from citemark.model.sources import AllowedSources, Source
from citemark.model.vectors import EmbeddingIdentity, EmbeddingSet, Vector
from citemark.retrieval.question_words import Words
from citemark.retrieval.retrievers import CandidateFinder, DenseQuestion
from citemark.store.database import Database
from citemark.store.vectors import literal

ROWS, INSIDE, DIMENSIONS, WANTED = 4000, 200, 32, 100


def mixed(seeds: list[Vector], chance: random.Random) -> Vector:
    """A pair of vectors mixed, with a little noise, as the scale data of the design are."""
    one, two, share = chance.choice(seeds), chance.choice(seeds), chance.uniform(0.5, 0.95)
    values = [share * a + (1 - share) * b + chance.gauss(0, 0.02) for a, b in zip(one, two, strict=True)]
    length = sum(value * value for value in values) ** 0.5
    return [value / length for value in values]


@asynccontextmanager
async def crowded(dsn: str) -> AsyncGenerator[tuple[Database, EmbeddingSet], None]:
    """A set of vectors of which a twentieth lies inside the allowed sources of source 1."""
    # As for a table of a million rows, where no plan without the graph is considered.
    name = str(conninfo_to_dict(dsn)["dbname"])
    with psycopg.connect(dsn, autocommit=True) as connection:
        for setting in ("enable_sort", "enable_seqscan", "enable_bitmapscan"):
            connection.execute(f'ALTER DATABASE "{name}" SET {setting} = off'.encode())
    database = Database(dsn, pool_size=2)
    await database.open()
    try:
        index = Index(database)
        target = await index.stores.vectors.ensure(EmbeddingIdentity("mixed", "1", DIMENSIONS, 256))
        chance = random.Random(7)
        seeds = [vector_of(str(n), DIMENSIONS) for n in range(150)]
        rows = [(1 if n % (ROWS // INSIDE) == 0 else 2, n, literal(mixed(seeds, chance))) for n in range(ROWS)]
        async with database.transaction(durable=False) as connection, connection.cursor() as cursor:
            await cursor.executemany("INSERT INTO embedding_1 VALUES (%s, %s, %s::halfvec)", rows)
        await index.rows("ANALYZE embedding_1")
        yield database, target
    finally:
        await database.close()


def questions(count: int) -> list[Vector]:
    chance = random.Random(8)
    seeds = [vector_of(str(n), DIMENSIONS) for n in range(150)]
    return [mixed(seeds, chance) for _ in range(count)]


ALLOWED = AllowedSources((Source(SourceId(1), "local", "s", "docs"),), ROWS, ROWS)


async def nearest(index: Index, target: EmbeddingSet, vectors: Sequence[Vector], *, exact: bool) -> list[RetrieverHits]:
    asked = NearestQuery(target.set_id, vectors, [None] * len(vectors), (), WANTED, exact=exact)
    return (await index.stores.search.nearest(ALLOWED, asked))[0]


@pytest.mark.both_forms
@pytest.mark.requirement("later-minilm")
@pytest.mark.requirement("few-chunks-scanned-exactly", "narrow-filter-still-fills-page")
async def test_a_filter_that_leaves_a_twentieth_fills_the_page_with_nearly_the_exact_answer(dsn: str) -> None:
    async with crowded(dsn) as (database, target):
        index = Index(database)
        asked = f"ARRAY['{literal(questions(1)[0])}', '{literal(questions(2)[1])}']"
        plan = await index.rows(
            "EXPLAIN " + database.queries.for_set("near_graph", 1, limit=100).replace("%(vectors)b", asked)  # type: ignore[arg-type]
            .replace("%(source_ids)s", "'{1}'"),
        )  # fmt: skip
        assert any("Order By: (vector <=>" in line for (line,) in plan), plan
        recalls: list[float] = []
        for question in questions(10):
            (near,), (exact,) = [await nearest(index, target, [question], exact=exactly) for exactly in (False, True)]
            assert len(near) == len(exact) == WANTED
            assert list(near.values) == sorted(near.values, reverse=True)
            assert all(chunk_id % (ROWS // INSIDE) == 0 for chunk_id in near.chunk_ids), (
                "a hit lies outside the allowed sources"
            )
            recalls.append(len(set(near.chunk_ids) & set(exact.chunk_ids)) / WANTED)
        assert sum(recalls) / len(recalls) > 0.9
        several = questions(3)
        for exactly in (False, True):
            together = await nearest(index, target, several, exact=exactly)
            alone = [await nearest(index, target, [one], exact=exactly) for one in several]
            assert [[hits] for hits in together] == alone


@pytest.mark.requirement("any-postgresql-15-serves-by-dsn", "narrow-filter-still-fills-page")
async def test_the_page_is_filled_even_if_pgvector_does_not_continue_its_scan_behind_a_filter(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'")
    async with crowded(dsn) as (database, target):
        index = Index(database)
        candidates = CandidateFinder(index.stores.search, MiniLM().calibration)
        (question,) = questions(1)
        (near,) = await nearest(index, target, [question], exact=False)
        assert len(near) < WANTED, "this server scanned on after all"
        large = replace(ALLOWED, chunks=10**6)
        asked = DenseQuestion(target.set_id, [question], MiniLM().calibration)
        (found,) = (await candidates.found(large, asked, Words((None,)), [], WANTED, None)).dense
        (exact,) = await nearest(index, target, [question], exact=True)
        assert found.chunk_ids == exact.chunk_ids
