"""What writing a page costs grows with the page and no faster, whatever stands in it."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import psycopg
import pytest
from tests.support.index import DOC_TYPE, SMALL, Index
from tests.support.postgres import fresh_database, template_database
from tests.support.rows_looked_at import rows_looked_at

from citemark.embedding.minilm import MiniLM
from citemark.extraction.markdown.document import extract_markdown
from citemark.indexing.page_builder import build_page
from citemark.model.documents import Fetched, StatedRelationship
from citemark.model.ids import NativeId, SourceId, Version
from citemark.model.pages import Page
from citemark.model.sources import Source
from citemark.model.text import Span
from citemark.store.database import Database
from citemark.store.migrate import migrate

MIB = 2**20
MOST_GROWTH = 5.0
"""Of a page four times as large."""

CONTENTS: dict[str, Callable[[int], str]] = {
    "one character": lambda size: "-" * size,
    "different lines": lambda size: "".join(f"line {number:07}\n\n" for number in range(size // 14)),
    "equal headings": lambda size: "# x\ny\n" * (size // 6),
}


@pytest.fixture
def index(database: Database) -> Index:
    return Index(database)


def page(source_id: int, name: str, body: str) -> Page:
    """A page of a file as the indexer cuts it."""
    fetched = Fetched(
        doc_type="docs_page",
        native_id=NativeId(name),
        version=Version(f"{len(body)}"),
        modified_at=None,
        url=None,
        extracted=extract_markdown(body, fallback_title=name),
    )
    return build_page(fetched, SourceId(source_id), MiniLM().tokenizer, language="english")


def rows_of_plan(node: dict[str, Any]) -> float:
    """Rows that the nodes of an executed plan gave or threw away."""
    own = node["Actual Rows"] + sum(node[key] for key in node if key.startswith("Rows Removed"))
    return own * node["Actual Loops"] + sum(rows_of_plan(child) for child in node.get("Plans", ()))


async def with_small_pages(index: Index, pages: int) -> Source:
    """A source with a few small pages and their vectors; the connections have made plans for small tables."""
    target = await index.stores.vectors.ensure(SMALL)
    source = await index.source()
    for number in range(pages):
        await index.put(source, f"{number}.md", f"# Page {number}\n\nIts text.\n")
    await index.embed(target)
    return source


async def cost_of(dsn: str, body: str) -> tuple[int, float]:
    """Rows looked at while a page is written and replaced; those of the plan that carries vectors over."""
    database = Database(dsn, pool_size=2)
    await database.open()
    index = Index(database)
    source = await with_small_pages(index, 5)
    await index.put_page(source, page(source.source_id, "a.md", body))
    carrying = await carrying_cost(index, source.source_id)
    await index.put_page(source, page(source.source_id, "a.md", body + "\n\nThe end.\n"))
    await index.drop(source, "a.md")
    await database.close()
    return rows_looked_at(dsn), carrying


async def carrying_cost(index: Index, source_id: int) -> float:
    """Run the statement that carries vectors over for the newest page once more, to see its plan."""
    queries = index.database.queries
    (set_id,) = await index.set_ids()
    async with index.database.transaction(durable=False) as connection:
        await connection.execute("DELETE FROM vector_task")
        cursor = await connection.execute("SELECT ARRAY[max(revision_id)] AS revision_ids FROM revision")
        newest = await cursor.fetchone()
        assert newest is not None
        cursor = await connection.execute(
            "EXPLAIN (ANALYZE, FORMAT JSON) " + queries.for_set("vectors_carry", set_id),
            {"source_id": source_id, "past": False, **newest},
        )
        explained = await cursor.fetchone()
        assert explained is not None
        return rows_of_plan(explained["QUERY PLAN"][0]["Plan"])


@pytest.mark.requirement("equal-chunks-written-in-linear-time")
@pytest.mark.parametrize(
    ("kind", "mib"), [("one character", 0.25), ("different lines", 0.125), ("equal headings", 1 / 128)]
)
async def test_a_page_of_four_times_the_size_makes_at_most_five_times_the_rows_be_looked_at(
    server_dsn: str, kind: str, mib: float
) -> None:
    template = template_database(server_dsn, "citemark_template", migrate)
    costs = [
        await cost_of(fresh_database(server_dsn, template), CONTENTS[kind](int(times * mib * MIB))) for times in (1, 4)
    ]
    (written, carried), (written_four, carried_four) = costs
    assert written_four <= MOST_GROWTH * written, costs
    assert carried_four <= MOST_GROWTH * carried, costs


@pytest.mark.requirement("equal-chunks-written-in-linear-time")
async def test_a_large_page_is_not_checked_with_plans_that_were_made_for_small_tables(dsn: str) -> None:
    database = Database(dsn, pool_size=2)
    await database.open()
    index = Index(database)
    source = await with_small_pages(index, 20)
    large = page(source.source_id, "a.md", CONTENTS["one character"](MIB // 4))
    await index.put_page(source, large)
    await database.close()
    assert rows_looked_at(dsn, "chunk") <= 10 * len(large.chunks)


async def test_a_text_that_one_page_repeats_is_carried_over_to_all_its_places(index: Index) -> None:
    target = await index.stores.vectors.ensure(SMALL)
    source = await index.source()
    small, large = (page(source.source_id, "a.md", "-" * size) for size in (8192, 16384))
    await index.put_page(source, small)
    await index.embed(target)
    applied = await index.put_page(source, large)
    assert applied.carried >= len(large.chunks) - 2 > len(small.chunks)
    waiting, vectors = "SELECT count(*) FROM vector_task", "SELECT count(*) FROM embedding_1"
    assert await index.value(waiting) + await index.value(vectors) == len(large.chunks)


@pytest.mark.requirement("equal-chunks-written-in-linear-time")
async def test_a_vector_is_copied_to_a_bounded_number_of_equal_chunks_in_one_transaction(index: Index) -> None:
    target = await index.stores.vectors.ensure(SMALL)
    source = await index.source()
    large = page(source.source_id, "a.md", CONTENTS["one character"](MIB // 2))
    await index.put_page(source, large)
    await index.embed(target)
    assert await index.value("SELECT count(*) FROM embedding_1") == len(large.chunks)
    assert await index.value("SELECT count(*) FROM vector_task") == 0
    together = "SELECT max(n) FROM (SELECT count(*) AS n FROM embedding_1 GROUP BY xmin::text) t"
    assert await index.value(together) <= 500 < len(large.chunks)


@pytest.mark.requirement("equal-chunks-written-in-linear-time")
async def test_a_large_page_is_checked_rightly_though_tables_are_analyzed_while_it_is_written(dsn: str) -> None:
    database = Database(dsn, pool_size=2)
    await database.open()
    index = Index(database)
    small = [await index.source(name) for name in ("one", "two", "three", "four", "five")]
    for source in small:
        await index.put(source, "a.md", "# Page\n\nIts text.\n")
    large = page(small[0].source_id, "b.md", CONTENTS["one character"](MIB))
    analyzed = await with_analyses_beside(dsn, index.put_page(small[0], large))
    await database.close()
    assert analyzed
    looked_at = rows_looked_at(dsn, "chunk")
    assert looked_at <= 20 * len(large.chunks)


@pytest.mark.requirement("equal-chunks-written-in-linear-time")
async def test_the_links_of_a_source_are_looked_through_once_for_a_new_page_though_no_table_was_analyzed(
    index: Index,
) -> None:
    source = await index.source()
    for table in ("relationship", "document", "item"):
        await index.rows(f"ALTER TABLE {table} SET (autovacuum_enabled = off)")  # type: ignore[arg-type]
    for number in range(100):
        stated = StatedRelationship("links_to", None, NativeId("late.md"), None, Span(0, 1))
        await index.put(source, f"{number}.md", "See late.\n", relationships=(stated,))
    params = {"source_id": source.source_id, "doc_types": [DOC_TYPE], "native_ids": ["late.md"]}
    async with index.database.transaction() as connection:
        statement = index.database.queries["items_linking"]
        cursor = await connection.execute("EXPLAIN (ANALYZE, FORMAT JSON) " + statement, params)
        explained = await cursor.fetchone()
        assert explained is not None
        plan = explained["QUERY PLAN"][0]["Plan"]
    assert rows_of_plan(plan) <= 40 * 100


async def with_analyses_beside(dsn: str, writing: Coroutine[Any, Any, object]) -> int:
    """Analyze ten times a second until something is written, and wait for nobody; how often that was."""
    written, analyzed = asyncio.create_task(writing), 0
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
        while not written.done():
            await connection.execute("ANALYZE (SKIP_LOCKED) chunk")
            analyzed += 1
            await asyncio.sleep(0.1)
    await written
    return analyzed
