"""How PostgreSQL goes about the statements behind a question, however wrong its statistics are."""

import asyncio
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from typing import Any

import psycopg
import pytest
from tests.integration.retrieval.world import ME, World

from citemark.model.documents import PATH_KEY
from citemark.model.scope import Filters, RequestScope
from citemark.store.candidate_search import END_OF_TIME, filter_params
from citemark.store.database import Connection, Row, UnacceptableValue

WORDS: Mapping[str, Mapping[str, Any]] = {
    "posting_lists": {"sources": [1, 1, 1], "ids": [11, 12, 13]},
    "chunk_terms_read": {"source_ids": [1], "chunk_ids": [1, 2]},
    "chunk_terms_filtered": {"source_ids": [1], "chunk_ids": [1, 2], "pages": [1, 2]},
    "candidates_complete": {
        "source_ids": [1],
        "chunk_ids": [1, 2],
        "vectors": None,
        "without_vector": [1],
        "without_words": [1, 2],
        "own_languages": ["english"],
    },
}


@pytest.mark.parametrize(
    ("statement", "table", "key"),
    [
        ("posting_lists", "posting_list", "term_id = q"),
        ("posting_lists", "posting_block", "first_term <= q"),
        ("chunk_terms_read", "chunk_terms", "chunk_id = ANY"),
        ("chunk_terms_filtered", "chunk_terms", "chunk_id = ANY"),
        ("candidates_complete", "chunk_terms", "chunk_id = ANY"),
    ],
)
async def test_words_are_looked_up_one_by_one_even_where_the_planner_would_rather_read_them_all(
    world: World, statement: str, table: str, key: str
) -> None:
    await world.source("docs", {"a.md": "The quick brown fox."})
    active = await world.index.stores.vectors.active()
    assert active is not None
    sql = world.database.queries.for_set(statement, active.set_id)
    async with world.database.transaction() as connection:
        await connection.execute(_MANY_LISTS)
    async with world.database.transaction() as connection:
        await connection.execute("SET LOCAL enable_nestloop = off")
        found = await (await connection.execute(b"EXPLAIN (FORMAT JSON) " + sql.encode(), WORDS[statement])).fetchone()
    assert found is not None
    plan = found["QUERY PLAN"][0]["Plan"]
    looks = [node for node in _nodes(plan) if node.get("Relation Name") == table]
    assert looks
    assert all(key in look.get("Index Cond", "") for look in looks), plan


@pytest.mark.requirement("lookups-keep-their-plan")
async def test_statements_of_look_ups_keep_one_plan_and_others_on_the_same_connection_do_not(world: World) -> None:
    await world.source("docs", {f"{number}.md": "The quick brown fox." for number in range(3)})
    allowed = await world.index.stores.sources.allowed(ME, RequestScope(project_id="default"))
    search, queries = world.index.stores.search, world.database.queries
    for _ in range(40):  # statements are prepared after a few runs, and every connection has its own
        await search.names(allowed, [1, 2])
    rows = await world.database.read_sql(_PREPARED, {"beginning": queries["page_names"][:40]})
    assert rows
    assert all(row["generic_plans"] > row["custom_plans"] == 0 for row in rows)
    assert (await world.database.read_sql(_MODE))[0]["plan_cache_mode"] == "auto"


_MODE = "SELECT current_setting('plan_cache_mode') AS plan_cache_mode"


@pytest.mark.requirement("lookups-keep-their-plan")
async def test_a_connection_is_told_how_to_plan_only_when_that_changes(world: World) -> None:
    await world.source("docs", {"a.md": "The quick brown fox."})
    allowed = await world.index.stores.sources.allowed(ME, RequestScope(project_id="default"))
    database = world.database
    told = database.queries["plans_from_now"]

    async def alternating(connection: Connection) -> list[Row]:
        for _ in range(5):
            await database.rows_of_sources(connection, queries["page_names"], params, planned_once=True)
        kept = await (await connection.execute(_MODE)).fetchone()
        await database.rows_of_sources(connection, "SELECT 1 AS one", None)
        chosen = await (await connection.execute(_MODE)).fetchone()
        return [kept or {}, chosen or {}]

    queries = database.queries
    params = {"source_ids": allowed.ids, "at": END_OF_TIME, "page_ids": [1], "path_key": PATH_KEY}
    with sent(told) as count:
        rows = await database.reading(alternating)
    assert [row["plan_cache_mode"] for row in rows] == ["force_generic_plan", "auto"]
    assert len(count) <= 2


@pytest.mark.requirement("lookups-keep-their-plan")
async def test_what_every_question_reads_is_planned_in_the_same_way(world: World) -> None:
    await world.source("docs", {f"{number}.md": "The quick brown fox." for number in range(3)})
    stores = world.index.stores
    allowed = await stores.sources.allowed(ME, RequestScope(project_id="default"))

    async def question() -> None:
        await stores.horizon.now()
        await stores.sources.allowed(ME, RequestScope(project_id="default"))
        await stores.search.terms(allowed, ["quick brown fox"])
        await stores.search.stop_words(["the"])
        await stores.search.names(allowed, [1])
        await stores.search.read(allowed, [1])

    for _ in range(4):  # until each connection has been told
        await question()
    with sent(world.database.queries["plans_from_now"]) as told:
        for _ in range(20):
            await question()
    assert len(told) < 10  # for other work on these connections


@pytest.mark.requirement("lookups-keep-their-plan")
async def test_transactions_and_what_follows_a_failure_are_planned_as_postgresql_chooses(world: World) -> None:
    database = world.database

    async def failing(connection: Connection) -> list[Row]:
        return await database.rows_of_sources(connection, "SELECT 1 / 0", None, planned_once=True)

    async def kept(connection: Connection) -> list[Row]:
        return await database.rows_of_sources(connection, _MODE, None, planned_once=True)

    for _ in range(4):  # each of the connections, whichever comes next
        with pytest.raises(UnacceptableValue):
            await database.reading(failing)
        assert (await database.read_sql(_MODE))[0]["plan_cache_mode"] == "auto"
        assert (await database.reading(kept))[0]["plan_cache_mode"] == "force_generic_plan"
        async with database.transaction() as connection:
            row = await (await connection.execute(_MODE)).fetchone()
        assert row == {"plan_cache_mode": "auto"}
        async with database.transaction_to_begin() as (connection, statements):
            for statement in statements:
                await connection.execute(statement)
            row = await (await connection.execute(_MODE)).fetchone()
            await connection.execute("COMMIT")
        assert row == {"plan_cache_mode": "auto"}
        assert (await database.reading(kept))[0]["plan_cache_mode"] == "force_generic_plan"


@contextmanager
def sent(statement: str) -> Generator[list[str]]:
    """How often a statement is sent meanwhile."""
    found: list[str] = []
    original = psycopg.AsyncConnection.execute

    async def execute(self: Any, query: Any, *arguments: Any, **options: Any) -> Any:
        if query == statement:
            found.append(query)
        return await original(self, query, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg.AsyncConnection, "execute", execute)
        yield found


_PREPARED = """
SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE left(statement, 40) = %(beginning)s
"""


async def test_filters_avoid_nested_loops_before_there_are_statistics(world: World) -> None:
    source = await world.source("docs", {"a.md": "The quick brown fox."}, embedded=False)
    async with world.database.transaction() as connection:
        await connection.execute(_MANY_PAGES)
    allowed = await world.index.stores.sources.allowed(ME, RequestScope(project_id="default"))
    pages, _ = await asyncio.wait_for(world.index.stores.search.pages(allowed, Filters(doc_types=("docs_page",))), 5)
    assert len(pages) == 1 + _PAGES
    assert source.source_id in allowed.ids


@pytest.mark.requirement("days-and-labels-are-columns")
@pytest.mark.parametrize(
    ("filters", "index"),
    [(Filters(dated_from=date(2026, 12, 1)), "revision_days"), (Filters(labels=("legal",)), "revision_labels")],
)
async def test_days_and_labels_are_looked_up_instead_of_reading_every_page(
    world: World, filters: Filters, index: str
) -> None:
    await world.source("docs", {"a.md": "The quick brown fox."}, embedded=False)
    async with world.database.transaction() as connection:
        await connection.execute(_MANY_PAGES)
        await connection.execute(_ONE_DATED)
    allowed = await world.index.stores.sources.allowed(ME, RequestScope(project_id="default"))
    assert await world.index.stores.search.pages(allowed, filters) == ([2], 0)
    sql = world.database.queries["pages_filtered"]
    async with world.database.transaction() as connection:
        await connection.execute("ANALYZE document")
        await connection.execute("ANALYZE revision")
        explain = b"EXPLAIN (FORMAT JSON) " + sql.encode()
        found = await (await connection.execute(explain, filter_params(allowed, filters))).fetchone()
    assert found is not None
    nodes = list(_nodes(found["QUERY PLAN"][0]["Plan"]))
    assert index in {node.get("Index Name") for node in nodes}
    assert not [node for node in nodes if node["Node Type"] == "Seq Scan" and node["Relation Name"] == "revision"]


_PAGES = 8000
_MANY_PAGES = b"""
WITH d AS (INSERT INTO document (source_id, doc_type, native_id, valid_from)
           SELECT s.source_id, 'docs_page', 'x' || g, '2026-01-01' FROM source s, generate_series(1, 8000) g
           RETURNING source_id, document_id, valid_from)
INSERT INTO revision (source_id, document_id, content_hash, version, title, body, language, valid_from)
SELECT source_id, document_id, 'h', 'v', 't', 'b', 'english', valid_from FROM d
"""


_ONE_DATED = b"""
UPDATE revision SET days = '{[2026-12-01,2026-12-02]}', labels = '{legal}' WHERE document_id = 2
"""

_MANY_LISTS = b"""
WITH s AS (INSERT INTO segment (source_id, chunks, chunk_ids, packed)
           SELECT source_id, 1, '{1}', p FROM source, unnest('{true,false}'::bool[]) p
           RETURNING source_id, segment_id, packed),
     b AS (INSERT INTO posting_block (source_id, segment_id, first_term, block)
           SELECT s.source_id, s.segment_id, t, '' FROM s, generate_series(11, 5010) t WHERE s.packed)
INSERT INTO posting_list (source_id, segment_id, term_id, postings)
SELECT s.source_id, s.segment_id, t, '' FROM s, generate_series(11, 5010) t WHERE NOT s.packed
"""


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for inner in plan.get("Plans", []):
        yield from _nodes(inner)
