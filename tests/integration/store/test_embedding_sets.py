"""Another model builds its set beside the first and takes over at once."""

import asyncio

import pytest
from tests.support.index import OTHER, SMALL, Index
from tests.support.pages import page_of
from tests.support.patience import HANG_SECONDS

from citemark.store.database import Database

TEXT = "# One\nalpha\n# Two\nbeta\n"


@pytest.fixture
def index(database: Database) -> Index:
    return Index(database)


@pytest.mark.requirement("second-model-cuts-over-at-once")
async def test_a_second_set_is_built_beside_the_first_and_takes_over_when_complete(index: Index) -> None:
    vectors = index.stores.vectors
    source = await index.source()
    first = await vectors.ensure(SMALL)
    await index.put(source, "a.md", TEXT)
    await index.embed(first)
    second = await vectors.ensure(OTHER)
    assert (first.active, second.active) == (True, False)
    assert (await vectors.backlog(second.set_id)).waiting == 2
    assert not await vectors.cut_over(second)
    assert await vectors.active() == first
    await index.put(source, "b.md", TEXT.replace("alpha", "gamma"))
    await index.embed(second)
    assert await vectors.active() == first
    assert await vectors.cut_over(second)
    active = await vectors.active()
    assert active is not None
    assert active.set_id == second.set_id
    assert await index.value("SELECT count(*) FROM embedding_2") == 4


@pytest.mark.both_forms
@pytest.mark.requirement("second-model-cuts-over-at-once")
async def test_retired_tables_are_dropped_once_no_search_can_still_use_them(index: Index) -> None:
    vectors = index.stores.vectors
    first, second = await vectors.ensure(SMALL), await vectors.ensure(OTHER)
    assert await vectors.cut_over(second)
    assert await vectors.drop_retired() == 0
    assert await index.value("SELECT to_regclass('embedding_1') IS NOT NULL")
    assert await vectors.drop_retired(grace=0) == 1
    assert await index.value("SELECT to_regclass('embedding_1') IS NULL AND to_regclass('embedding_1_past') IS NULL")
    assert [entry.set_id for entry in await vectors.sets()] == [second.set_id]
    assert await vectors.settle(first.set_id, "late", [], []) == {}


async def test_a_vector_set_that_was_replaced_never_takes_over(index: Index) -> None:
    vectors = index.stores.vectors
    first = await vectors.ensure(SMALL)
    second = await vectors.ensure(OTHER)
    assert await vectors.cut_over(second)
    assert not await vectors.cut_over(first)
    await vectors.drop_retired(grace=0)
    assert not await vectors.cut_over(first)
    active = await vectors.active()
    assert active is not None
    assert active.set_id == second.set_id


@pytest.mark.both_forms
async def test_processes_that_make_the_same_set_at_once_make_one(index: Index) -> None:
    made = await asyncio.gather(*(index.stores.vectors.ensure(SMALL) for _ in range(4)))
    assert {entry.set_id for entry in made} == {1}
    assert len(await index.stores.vectors.sets()) == 1


async def test_a_model_that_comes_back_starts_from_an_empty_set(index: Index) -> None:
    vectors = index.stores.vectors
    source = await index.source()
    first = await vectors.ensure(SMALL)
    await index.put(source, "a.md", TEXT)
    await index.embed(first)
    second = await vectors.ensure(OTHER)
    await index.embed(second)
    await vectors.cut_over(second)
    again = await vectors.ensure(SMALL)
    assert not again.active
    assert (await vectors.backlog(again.set_id)).waiting == 2


@pytest.mark.both_forms
@pytest.mark.requirement("second-model-cuts-over-at-once")
async def test_pages_written_while_a_set_is_made_are_in_it_or_wait_for_it(index: Index) -> None:
    await index.stores.vectors.ensure(SMALL)

    async def write(name: str) -> None:
        writer = Index(index.database, worker=name)
        source = await index.source(name)
        for n in range(10):
            await writer.put(source, name, f"# One\n{name} {n}\n# Two\nmore\n")

    await asyncio.gather(write("a.md"), write("b.md"), index.stores.vectors.ensure(OTHER))
    for set_id in (1, 2):
        waiting = await index.rows(
            "SELECT chunk_id, past FROM vector_task WHERE embedding_set_id = %s ORDER BY 1", set_id
        )
        assert waiting == await index.rows("SELECT chunk_id, valid_to < 'infinity' FROM chunk ORDER BY 1")


@pytest.mark.requirement("second-model-cuts-over-at-once")
async def test_a_page_that_is_being_written_belongs_to_a_vector_set_created_at_the_same_time(index: Index) -> None:
    await index.stores.vectors.ensure(SMALL)
    source = await index.source()
    await index.want(source.source_id, "a.md", "1")
    await index.claim(source.source_id)
    page = page_of(source.source_id, "a.md", TEXT)
    async with index.database.transaction() as connection:
        # Whoever writes the page now waits for its ledger entry, in the middle of its transaction.
        await connection.execute("SELECT * FROM item FOR UPDATE")
        writing = asyncio.create_task(index.stores.pages.apply(page, index.worker))
        async with asyncio.timeout(HANG_SECONDS):
            while not await index.value(
                "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'"
            ):
                pass
        making = asyncio.create_task(index.stores.vectors.ensure(OTHER))
        await asyncio.wait([making], timeout=0.3)
    await asyncio.gather(writing, making)
    assert await index.value("SELECT count(*) FROM vector_task WHERE embedding_set_id = 2") == 2
