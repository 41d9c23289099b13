"""The graph index answers like the exact scan, under a fence that leaves it little."""

import random

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from tests.support.index import Index, vector_of

from citemark.model.embedding import EmbeddingIdentity, Vector
from citemark.model.ids import SourceId
from citemark.model.sources import Fence, Source
from citemark.store.database import Database
from citemark.store.vectors import literal

ROWS, INSIDE, DIMENSIONS, WANTED = 4000, 200, 32, 100


def mixed(seeds: list[Vector], chance: random.Random) -> Vector:
    """A pair of vectors mixed, with a little noise, as the scale data of the design are."""
    one, two, share = chance.choice(seeds), chance.choice(seeds), chance.uniform(0.5, 0.95)
    values = [share * a + (1 - share) * b + chance.gauss(0, 0.02) for a, b in zip(one, two, strict=True)]
    length = sum(value * value for value in values) ** 0.5
    return [value / length for value in values]


@pytest.mark.requirement("later-minilm")
@pytest.mark.requirement("R5-exact-or-hnsw", "R5-page-filled")
async def test_a_fence_of_a_twentieth_fills_the_page_with_nearly_the_exact_answer(dsn: str) -> None:
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
        fence = Fence((Source(SourceId(1), "local", "s", "docs"),), ROWS, ROWS)
        question = mixed(seeds, chance)
        plan = await index.rows(
            "EXPLAIN " + database.queries.for_set("dense_graph", 1).replace("%(vector)s", f"'{literal(question)}'")  # type: ignore[arg-type]
            .replace("%(source_ids)s", "'{1}'").replace("%(limit)s", "100"),
        )  # fmt: skip
        assert any("embedding_1_hnsw" in line for (line,) in plan), plan
        recalls: list[float] = []
        for _ in range(10):
            question = mixed(seeds, chance)
            near, exact = [
                await index.stores.search.dense(target.set_id, question, fence, WANTED, pages=None, exact=exactly)
                for exactly in (False, True)
            ]
            assert len(near) == len(exact) == WANTED
            assert list(near.values) == sorted(near.values, reverse=True)
            assert all(chunk_id % (ROWS // INSIDE) == 0 for chunk_id in near.chunk_ids), "a hit lies outside the fence"
            recalls.append(len(set(near.chunk_ids) & set(exact.chunk_ids)) / WANTED)
        assert sum(recalls) / len(recalls) > 0.9
    finally:
        await database.close()
