"""Segments of posting lists: what is found by words is what stands at HEAD, however it was written."""

import asyncio
import json
import re
from typing import Any

import pytest
from tests.support.index import SMALL, Index
from tests.support.patience import HANG_SECONDS

from citemark.model.scope import Principal, RequestScope
from citemark.model.sources import Source
from citemark.retrieval.question_words import plan_sparse
from citemark.store.database import Database

ME = Principal("local", "me", frozenset())
PAGES = 320
FEW_PAGES = 60


@pytest.fixture
def index(database: Database) -> Index:
    return Index(database)


async def by_words(index: Index, text: str) -> list[str]:
    """The pages that the words of a question find, best first."""
    allowed = await index.stores.sources.allowed(ME, RequestScope(project_id="default"))
    (terms,) = (await index.stores.search.terms(allowed, [text])).phrasings
    plan = plan_sparse(terms, allowed)
    if plan is None:
        return []
    (hits,) = await index.stores.search.sparse([plan], 100, None)
    chunks = await index.stores.search.read(allowed, hits.chunk_ids)
    return [chunks[chunk_id].native_id for chunk_id in hits.chunk_ids]


async def segments(index: Index, source: Source) -> list[int]:
    """The sizes of the source's segments of HEAD."""
    rows = await index.rows("SELECT chunks FROM segment WHERE source_id = %s AND NOT past ORDER BY 1", source.source_id)
    return [chunks for (chunks,) in rows]


async def test_words_are_found_once_they_are_folded_and_what_ended_is_not_found_at_once(index: Index) -> None:
    source = await index.source()
    await index.put(source, "a.md", "the old boiler")
    await index.put(source, "b.md", "another boiler")
    await index.stores.segments.flush()
    assert sorted(await by_words(index, "boiler")) == ["a.md", "b.md"]
    await index.put(source, "a.md", "the new furnace")
    assert await by_words(index, "boiler") == ["b.md"]
    await index.stores.segments.flush()
    assert await by_words(index, "furnace") == ["a.md"]
    await index.drop(source, "b.md")
    assert await by_words(index, "boiler") == []


async def test_a_page_that_is_edited_over_and_over_hides_no_other(index: Index) -> None:
    source = await index.source()
    for number in range(30):
        await index.put(source, f"{number}.md", f"boiler number {number} with a few more words")
    for number in range(40):
        await index.put(source, "hot.md", f"boiler boiler boiler {number}")
        await index.stores.segments.flush()
    found = await by_words(index, "boiler")
    assert found[0] == "hot.md"
    assert sorted(found) == sorted(["hot.md", *(f"{number}.md" for number in range(30))])


async def test_small_segments_are_merged_and_dead_chunks_go(index: Index) -> None:
    source, other = await index.source("one"), await index.source("other")
    await index.put(other, "z.md", "kept apart")
    for number in range(60):
        await index.put(source, f"{number % 20}.md", f"word{number} and others")
        await index.stores.segments.flush()
    sizes = await segments(index, source)
    assert len(sizes) < 8
    assert 20 <= sum(sizes) <= 25
    assert await segments(index, other) == [1]
    for number in range(20):
        await index.drop(source, f"{number}.md")
    await index.stores.segments.flush()
    assert await segments(index, source) == []
    assert await index.postings(source.source_id) == []
    assert await index.postings(other.source_id)


async def test_folding_waits_for_another_process_only_on_request(index: Index) -> None:
    source = await index.source()
    await index.put(source, "a.md", "the old boiler")
    async with index.database.transaction() as connection:
        await connection.execute(index.database.queries["statistics_lock"])
        assert not await index.stores.segments.flush(wait=False)
        waiting = asyncio.create_task(index.stores.segments.flush())
        await asyncio.sleep(0.2)
        assert not waiting.done()
    assert await waiting
    assert await by_words(index, "boiler") == ["a.md"]


async def test_a_page_that_is_being_replaced_is_moved_to_a_segment_afterwards(index: Index) -> None:
    source = await index.source()
    await index.put(source, "a.md", "the old boiler")
    await index.put(source, "b.md", "a furnace")
    async with index.database.transaction() as connection:
        await connection.execute(
            "SELECT 1 FROM chunk_delta d JOIN chunk c USING (source_id, chunk_id) WHERE c.text LIKE '%old%'"
            " FOR UPDATE OF d"
        )
        await asyncio.wait_for(index.stores.segments.flush(), HANG_SECONDS)
        assert await by_words(index, "boiler furnace") == ["b.md"]
    await index.stores.segments.flush()
    assert await by_words(index, "boiler") == ["a.md"]


async def test_more_chunks_than_are_folded_at_a_time_are_folded_all_the_same(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citemark.store.segments._BATCH", 7)
    source = await index.source()
    for number in range(30):
        await index.put(source, f"{number}.md", f"boiler number {number}")
    await index.stores.segments.flush()
    assert await index.value("SELECT count(*) FROM chunk_delta") == 0
    assert len(await by_words(index, "boiler")) == 30


async def test_segments_left_by_an_interrupted_fold_are_merged_by_the_next(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = await index.source()
    with monkeypatch.context() as interrupted:
        interrupted.setattr("citemark.store.segments._MERGED", 100)
        for number in range(12):
            await index.put(source, f"{number}.md", f"boiler number {number}")
            await index.stores.segments.flush()
    assert len(await segments(index, source)) == 12
    await index.stores.segments.flush()
    assert await segments(index, source) == [12]


async def test_folding_does_not_wait_for_table_locks_and_leaves_other_tables_alone(index: Index) -> None:
    source = await index.source()
    # The server's own vacuum may come by at any time, and is not what is looked for here.
    await index.rows(
        "CREATE TABLE of_others WITH (autovacuum_enabled = off) AS SELECT g FROM generate_series(1, 100000) g"
    )
    for (table,) in await index.rows(
        "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname ~ '^(chunk|revision)(_p[0-9]+)?$'"
    ):
        await index.rows(f"ALTER TABLE {table} SET (autovacuum_enabled = off)")  # type: ignore[arg-type]
    for number in range(PAGES):
        await index.put(source, f"{number}.md", f"word{number} " + "and more of it " * 40)
    async with index.database.transaction() as connection:
        await connection.execute("LOCK TABLE revision IN SHARE UPDATE EXCLUSIVE MODE")
        await asyncio.wait_for(index.stores.segments.flush(), HANG_SECONDS)
    looked_at = "SELECT relname FROM pg_class WHERE relname IN ('chunk', 'revision', 'of_others') AND reltuples > 0"
    assert await index.rows(looked_at) == [("chunk",)]
    await index.stores.segments.flush()
    assert sorted(await index.rows(looked_at)) == [("chunk",), ("revision",)]


async def test_a_first_load_is_not_planned_as_if_the_tables_were_empty(index: Index) -> None:
    """The planner took any index that begins with the source for the right one: each page looked at all before it."""
    await index.stores.vectors.ensure(SMALL)
    source = await index.source()
    for number in range(PAGES):
        await index.put(source, f"{number}.md", f"# One\nword{number} " + "and more of it " * 40)
        if number == PAGES // 2:
            await index.stores.segments.flush()
    found = await index.rows("SELECT relname FROM pg_class WHERE relname IN ('chunk', 'revision') AND reltuples > 0")
    assert len(found) == 2
    used = await _indexes(
        index, "vectors_carry", {"source_id": source.source_id, "revision_ids": [PAGES - 1], "past": False}
    )
    assert "chunk_revision" in used
    assert "chunk_page" not in used


async def test_tables_are_looked_at_before_their_first_pages_make_the_next_ones_slow(index: Index) -> None:
    """A key to a revision was checked by looking at every revision of the source, for each chunk and section."""
    source = await index.source()
    for number in range(FEW_PAGES):
        await index.put(source, f"{number}.md", f"# One\nword{number} " + "and more of it " * 40)
    await index.stores.segments.flush()
    # What PostgreSQL checks such a key by.
    checked = b"SELECT FROM revision WHERE source_id = %(source_id)s AND revision_id = %(revision_id)s FOR KEY SHARE"
    params = {"source_id": source.source_id, "revision_id": FEW_PAGES // 2}
    assert await _indexes_of(index, checked, params) == {"revision_pkey"}


async def _indexes(index: Index, name: str, params: dict[str, Any]) -> set[str]:
    """The indexes that a statement of a page's transaction would go by; of partitions, those of the whole."""
    return await _indexes_of(index, index.database.queries.for_set(name, 1).encode(), params)


async def _indexes_of(index: Index, statement: bytes, params: dict[str, Any]) -> set[str]:
    async with index.database.transaction() as connection:
        await connection.execute(index.database.queries["commit_without_waiting"])
        row = await (await connection.execute(b"EXPLAIN (FORMAT JSON) " + statement, params)).fetchone()
    assert row is not None
    used = re.findall(r'"Index Name": "(\w+)"', json.dumps(row["QUERY PLAN"]))
    named = await index.rows(
        "SELECT coalesce(w.relname, c.relname) FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid"
        " LEFT JOIN pg_class w ON w.oid = i.inhparent WHERE c.relkind = 'i' AND c.relname = ANY(%s)",
        used,
    )
    return {name for (name,) in named}


async def test_tables_of_many_gigabytes_are_looked_at_like_others(index: Index) -> None:
    source = await index.source()
    await index.put(source, "a.md", "the old boiler")
    await index.rows("UPDATE pg_class SET relpages = 2000000 WHERE relname = 'chunk'")
    await index.stores.segments.flush()
    assert await by_words(index, "boiler") == ["a.md"]
