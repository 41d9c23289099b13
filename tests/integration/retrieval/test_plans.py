"""How PostgreSQL goes about the statements behind a question, however wrong its statistics are."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from tests.integration.retrieval.world import ME, World

from citemark.model.scope import Filters, RequestScope

TERMS = [11, 12, 13]
SPARSE: Mapping[str, Any] = {
    **{f"{kind}_sources": [1, 1, 1] for kind in ("rare", "often")},
    **{f"{kind}_ids": TERMS for kind in ("rare", "often")},
    **{f"{kind}_{weight}": [1.0, 1.0, 1.0] for kind in ("rare", "often") for weight in ("idf", "slopes")},
    "pages": [1, 2],
    "first": 300,
    "limit": 100,
}
COMPLETE: Mapping[str, Any] = {
    "source_ids": [1],
    "chunk_ids": [1, 2],
    "vector": None,
    "without_vector": [1],
    "without_words": [1, 2],
    "own_languages": ["english"],
    "sources": [1, 1, 1],
    "ids": TERMS,
    "idf": [1.0, 1.0, 1.0],
    "slopes": [1.0, 1.0, 1.0],
}


@pytest.mark.parametrize(
    ("statement", "params"), [("sparse", SPARSE), ("sparse_filtered", SPARSE), ("candidates_complete", COMPLETE)]
)
async def test_words_are_looked_up_one_by_one_even_where_the_planner_would_rather_read_every_posting(
    world: World, statement: str, params: Mapping[str, Any]
) -> None:
    await world.source("docs", {"a.md": "The quick brown fox."})
    active = await world.index.stores.vectors.active()
    assert active is not None
    sql = world.database.queries.for_set(statement, active.set_id)
    async with world.database.transaction() as connection:
        await connection.execute("SET LOCAL enable_nestloop = off")
        found = await (await connection.execute(b"EXPLAIN (FORMAT JSON) " + sql.encode(), params)).fetchone()
    assert found is not None
    plan = found["QUERY PLAN"][0]["Plan"]
    looks = [node for node in _nodes(plan) if node.get("Relation Name") == "posting"]
    assert looks
    assert all("term_id = q" in json.dumps(look) for look in looks), plan


async def test_postings_of_many_chunks_are_added_up_by_hashing_not_by_sorting(world: World) -> None:
    await world.source("docs", {"a.md": "The quick brown fox."})
    async with world.database.transaction() as connection:
        await connection.execute(_MANY_POSTINGS)
    async with world.database.transaction() as connection:
        await connection.execute("ANALYZE posting")
        sql = b"EXPLAIN (FORMAT JSON) " + world.database.queries["sparse"].encode()
        found = await (await connection.execute(sql, SPARSE)).fetchone()
    assert found is not None
    nodes = list(_nodes(found["QUERY PLAN"][0]["Plan"]))
    (best,) = (node for node in nodes if node.get("Subplan Name") == "CTE found")
    (added_up,) = (node for node in _nodes(best) if node["Node Type"] == "Aggregate")
    assert added_up["Strategy"] == "Hashed", best


async def test_filters_compare_no_page_with_all_others_before_there_are_statistics(world: World) -> None:
    source = await world.source("docs", {"a.md": "The quick brown fox."}, embedded=False)
    async with world.database.transaction() as connection:
        await connection.execute(_MANY_PAGES)
    fence = await world.index.stores.sources.fence(ME, RequestScope(project_id="default"))
    pages, _ = await asyncio.wait_for(world.index.stores.search.pages(fence, Filters(doc_types=("docs_page",))), 5)
    assert len(pages) == 1 + _PAGES
    assert source.source_id in fence.ids


_PAGES = 8000
_MANY_PAGES = b"""
WITH d AS (INSERT INTO document (source_id, doc_type, native_id, valid_from)
           SELECT s.source_id, 'docs_page', 'x' || g, '2026-01-01' FROM source s, generate_series(1, 8000) g
           RETURNING source_id, document_id, valid_from)
INSERT INTO revision (source_id, document_id, content_hash, version, title, body, language, valid_from)
SELECT source_id, document_id, 'h', 'v', 't', 'b', 'english', valid_from FROM d
"""


_MANY_POSTINGS = b"""
INSERT INTO posting (source_id, term_id, chunk_id, tf, length)
SELECT s.source_id, t, 1000 + g, 1, 80 FROM source s, generate_series(11, 30) t, generate_series(1, 1000) g
"""


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for inner in plan.get("Plans", []):
        yield from _nodes(inner)
