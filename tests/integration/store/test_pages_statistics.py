"""Statistics, postings and vectors are those of HEAD, whatever was done before; a removed source leaves nothing."""

import asyncio
import struct
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.index import OTHER, SMALL, Index

from citemark.model.errors import BackendUnavailable
from citemark.model.sources import Source
from citemark.store.database import Database
from citemark.store.pages import LostLease

pytestmark = pytest.mark.both_forms

WORDS = ["alpha", "beta", "gamma", "max_connections", "OrderService"]
NAMES = ["a.md", "b.md", "c.md"]
LANGUAGES = ["english", "german", "polish"]

bodies = st.lists(
    st.tuples(st.sampled_from(["One", "Two"]), st.lists(st.sampled_from(WORDS), max_size=4)), max_size=3
).map(lambda parts: "".join(f"# {head}\n{' '.join(words)}\n" for head, words in parts))


@pytest.fixture
def index(database: Database) -> Index:
    return Index(database)


async def check_statistics(index: Index, source: Source) -> None:
    """Flushed counts equal recomputed ones, and each retriever finds exactly the chunks of HEAD."""
    await index.stores.segments.flush()
    number = source.source_id
    at_head = [word for word in await index.kept_words() if word.source_id == number]
    assert await index.value("SELECT count(*) FROM chunk_delta WHERE source_id = %s", number) == 0
    assert await index.rows(
        "SELECT term_id, df FROM term_stat WHERE source_id = %s AND df <> 0 ORDER BY 1", number
    ) == sorted(Counter(word.term_id for word in at_head).items())
    assert await index.rows(
        "SELECT chunks, sum_length FROM source_stat WHERE source_id = %s", number
    ) == await index.rows(
        "SELECT count(*), coalesce(sum(length), 0)::bigint FROM chunk WHERE source_id = %s AND valid_to = 'infinity'",
        number,
    )
    assert await index.rows(
        "SELECT configuration, chunks, sum_length FROM lexicon_stat WHERE source_id = %s AND chunks <> 0 ORDER BY 1",
        number,
    ) == await index.rows(
        "SELECT configuration, count(*), sum(length) FROM chunk WHERE source_id = %s AND valid_to = 'infinity'"
        " GROUP BY 1 ORDER BY 1",
        number,
    )
    head = {
        row[0]
        for row in await index.rows("SELECT chunk_id FROM chunk WHERE source_id = %s AND valid_to = 'infinity'", number)
    }
    words = sorted((word.term_id, word.chunk_id, word.tf, word.length) for word in at_head)
    posted = await index.postings(number)
    assert [tuple(posting) for posting in posted if posting.chunk_id in head] == words
    # What ended goes when it is a fifth of all; a chunk without words ends unseen.
    assert len({posting.chunk_id for posting in posted} - head) <= 0.25 * len(head) + 1
    own = await index.rows("SELECT chunk_id, length, terms FROM chunk_terms WHERE source_id = %s", number)
    assert {chunk_id for chunk_id, _, _ in own} == head
    assert words == sorted(
        (term_id, chunk_id, tf, length)
        for chunk_id, length, terms in own
        for term_id, tf in struct.iter_unpack(">qh", terms)
    )
    keys = dict(
        await index.rows(
            "SELECT chunk_id, coalesce(content_key, chunk_id) FROM chunk"
            " WHERE source_id = %s AND valid_to < 'infinity'",
            number,
        )
    )
    kept = await index.rows("SELECT chunk_id FROM chunk_terms_past WHERE source_id = %s", number)
    assert {row[0] for row in kept} == {*keys.values()}
    assert await index.value("SELECT count(*) FROM chunk_delta_past WHERE source_id = %s", number) == 0
    for set_id in await index.set_ids():
        for table, chunks, superseded in (
            (f"embedding_{set_id}", head, False),
            (f"embedding_{set_id}_past", {*keys}, True),
        ):
            waiting = await index.rows(
                "SELECT chunk_id FROM vector_task WHERE source_id = %s AND embedding_set_id = %s AND past = %s",
                number,
                set_id,
                superseded,
            )
            made = await index.rows(f"SELECT chunk_id FROM {table} WHERE source_id = %s", number)  # type: ignore[arg-type]  # noqa: S608
            both = [row[0] for row in [*waiting, *made]]
            assert len(both) == len(set(both))
            # Superseded chunks with the same content have one vector, by their key.
            shared = {chunk_id for chunk_id, key in keys.items() if superseded and key in both}
            assert {number for number in both if number not in keys.values()} | shared == chunks


@pytest.mark.requirement("term-statistics-never-mix-sources")
@settings(max_examples=15)
@given(data=st.data())
async def test_statistics_and_queues_follow_any_sequence_of_edits(index: Index, data: st.DataObject) -> None:
    first = await index.stores.vectors.ensure(SMALL)
    count = await index.value("SELECT count(*) FROM source")
    source, other = [await index.source(f"s{count + n}", keep_history=bool(n)) for n in range(2)]
    for step in data.draw(
        st.lists(st.sampled_from(["put", "put", "put", "drop", "embed", "flush", "second set"]), min_size=3, max_size=8)
    ):
        where = data.draw(st.sampled_from([source, other]))
        name = data.draw(st.sampled_from(NAMES))
        match step:
            case "put":
                await index.put(where, name, data.draw(bodies), language=data.draw(st.sampled_from(LANGUAGES)))
            case "drop":
                await index.drop(where, name)
            case "embed":
                await index.embed(first)
            case "flush":
                await index.stores.segments.flush()
            case _:
                await index.stores.vectors.ensure(OTHER)
        await check_statistics(index, where)
    for each in (source, other):
        await check_statistics(index, each)
    assert await index.kept_words() == await index.words()


async def rows_left(index: Index, source_id: int) -> dict[str, int]:
    """Rows per table that name the source; those of partitions are their table's."""
    tables = await index.rows(
        "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'source_id'"
        " WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace"
    )
    counted = {
        table: await index.value(f"SELECT count(*) FROM {table} WHERE source_id = %s", source_id)  # type: ignore[arg-type]  # noqa: S608
        for (table,) in tables
    }
    return {table: number for table, number in counted.items() if number}


@pytest.mark.requirement("removed-source-leaves-no-row")
async def test_removing_a_source_leaves_no_row_of_it_and_every_row_of_others(index: Index) -> None:
    first = await index.stores.vectors.ensure(SMALL)
    doomed, kept = await index.source("doomed"), await index.source("kept")
    for source in (doomed, kept):
        await index.put(source, "a.md", "# One\nalpha beta\n")
        await index.put(source, "b.md", "# Eins\nalpha beta\n", language="german")
        await index.embed(first)
        await index.put(source, "a.md", "# One\nalpha gamma\n# Two\nbeta\n")
        await index.stores.vectors.ensure(OTHER)
        await index.stores.pages.record_work(source.source_id, "text", 3)
    await index.stores.segments.flush()
    before = await rows_left(index, kept.source_id)
    assert before == await rows_left(index, doomed.source_id)
    assert {"embedding_1_past", "vector_task", "term_stat", "work_done", "relationship"} <= set(before)
    await index.stores.sources.remove(doomed.source_id)
    assert await rows_left(index, doomed.source_id) == {}
    assert await rows_left(index, kept.source_id) == before


@pytest.mark.requirement("removed-source-leaves-no-row")
async def test_a_source_removed_while_it_is_indexed_leaves_no_row_either(index: Index) -> None:
    target = await index.stores.vectors.ensure(SMALL)
    for attempt in range(6):
        source = await index.source(f"s{attempt}")
        await index.put(source, "a.md", "# One\nalpha\n")

        async def write(source: Source = source) -> None:
            for n in range(8):
                try:
                    await index.put(source, f"{n % 3}.md", f"# One\nalpha {n}\n# Two\nbeta {n}\n")
                    await index.stores.segments.flush()
                except (LostLease, BackendUnavailable):
                    continue

        async def remove(source: Source = source) -> None:
            await index.embed(target)
            await index.stores.sources.remove(source.source_id)

        await asyncio.gather(write(), remove(), index.embed(target, worker="w"))
        await index.stores.pages.record_work(source.source_id, "text", 1)
        await index.stores.segments.flush()
        assert await rows_left(index, source.source_id) == {}
