"""A statement whose answer was lost is sent again only where twice leaves what once would."""

from collections.abc import AsyncGenerator, Awaitable, Callable

import psycopg
import pytest
from tests.support.dropping_proxy import DroppedAnswer, dropping_proxy
from tests.support.index import Index

from citemark.model.documents import Problem
from citemark.model.errors import BackendUnavailable
from citemark.model.ids import NativeId
from citemark.store.database import Database, Queries, writes


@pytest.fixture
async def dropped(dsn: str) -> AsyncGenerator[DroppedAnswer, None]:
    async with dropping_proxy(dsn) as made:
        yield made


@pytest.fixture
async def index(dropped: DroppedAnswer) -> AsyncGenerator[Index, None]:
    database = Database(dropped.dsn, pool_size=2)
    await database.open()
    yield Index(database)
    await database.close()


@pytest.mark.requirement("lost-answer-repeats-only-safe-requests")
async def test_a_write_that_adds_up_is_not_repeated_when_its_answer_is_lost(
    index: Index, dropped: DroppedAnswer
) -> None:
    source = await index.source()
    dropped.marker = b"INSERT INTO work_done"
    with pytest.raises(BackendUnavailable):
        await index.stores.pages.record_work(source.source_id, "text", 7)
    assert dropped.lost == 1
    assert await index.value("SELECT sum(amount)::int FROM work_done") == 7


@pytest.mark.requirement("lost-answer-repeats-only-safe-requests")
async def test_a_read_is_repeated_when_its_answer_is_lost(index: Index, dropped: DroppedAnswer) -> None:
    await index.source()
    dropped.marker = b"FROM source s WHERE s.tenant"
    assert [source.name for source in await index.stores.sources.all("local")] == ["docs"]
    assert dropped.lost == 1


@pytest.mark.requirement("lost-answer-repeats-only-safe-requests")
@pytest.mark.parametrize(("times", "comes"), [(2, True), (3, False)])
async def test_a_read_is_repeated_when_the_next_connection_is_lost_too_and_then_given_up(
    index: Index, dropped: DroppedAnswer, times: int, *, comes: bool
) -> None:
    await index.source()
    dropped.times, dropped.marker = times, b"FROM source s WHERE s.tenant"
    if comes:
        assert [source.name for source in await index.stores.sources.all("local")] == ["docs"]
    else:
        with pytest.raises(BackendUnavailable):
            await index.stores.sources.all("local")
    assert dropped.lost == times


@pytest.mark.requirement("lost-answer-repeats-only-safe-requests", "as-of-stops-at-writers-horizon")
async def test_a_horizon_is_read_again_when_the_server_is_lost_before_the_log_is_on_the_disk(
    index: Index, dropped: DroppedAnswer
) -> None:
    source = await index.source()
    for number in range(50):
        await index.put(source, "a.md", f"# One\n\nText {number}.\n")
        written = await index.value("SELECT max(valid_from) FROM revision")
        # Pages are written without waiting for the disk, so the log is flushed before the horizon is given out,
        # unless the server has done so by itself, as it does five times in a second: then another try is due.
        await index.value("SELECT pg_logical_emit_message(false, 'test', 'not flushed')")
        dropped.marker = b"pg_logical_emit_message"
        assert await index.stores.horizon.now() > written
        dropped.marker = None
        if dropped.lost:
            break
    assert dropped.lost == 1


async def claim(index: Index) -> None:
    source = await index.stores.sources.named("local", "docs")
    (got,) = await index.claim(source.source_id)
    assert got.tries == 0


async def fail(index: Index) -> None:
    source = await index.stores.sources.named("local", "docs")
    (got,) = await index.claim(source.source_id)
    await index.stores.ledger.failed(got, index.worker, error="no", park=False, delay=0)


async def lose(index: Index) -> None:
    source = await index.stores.sources.named("local", "docs")
    await index.claim(source.source_id, worker="dead")
    await index.stores.ledger.lost(workers=["dead"])


async def report(index: Index) -> None:
    source = await index.stores.sources.named("local", "docs")
    await index.stores.sources.report(source.source_id, "text", [Problem(NativeId("a.md"), "no")])


@pytest.mark.requirement("lost-answer-repeats-only-safe-requests")
@pytest.mark.parametrize(
    ("work", "marker", "tries"),
    [
        (claim, b"i SET leased_by", 0),
        (fail, b"error = ", 1),
        (lose, b"suspect = true", 1),
        (report, b"INTO problem", 0),
    ],
)
async def test_running_a_repeatable_write_twice_equals_running_it_once(
    index: Index, dropped: DroppedAnswer, work: Callable[[Index], Awaitable[None]], marker: bytes, tries: int
) -> None:
    source = await index.source()
    await index.want(source.source_id, "a.md", "1")
    dropped.marker = marker
    await work(index)
    assert dropped.lost == 1
    assert await index.value("SELECT tries FROM item") == tries


@pytest.mark.requirement("lost-answer-repeats-only-safe-requests")
async def test_backends_that_were_killed_between_two_calls_cost_a_read_nothing_and_a_write_one_error(
    index: Index, dsn: str
) -> None:
    source = await index.source()

    def kill() -> None:
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )

    kill()
    assert len(await index.stores.sources.all("local")) == 1
    kill()
    with pytest.raises(BackendUnavailable):
        await index.stores.pages.record_work(source.source_id, "text", 7)
    await index.stores.pages.record_work(source.source_id, "text", 5)
    assert await index.value("SELECT sum(amount)::int FROM work_done") == 5


def test_reads_and_marked_writes_are_repeatable_and_no_other_statement_is() -> None:
    queries = Queries()
    assert not queries.repeatable("work_record")
    assert not queries.repeatable("tasks_claim")
    assert queries.repeatable("items_claim")
    assert queries.repeatable("sources")
    for statement in ("WITH x AS (DELETE FROM a) SELECT 1", "UPDATE a SET b = 1", "INSERT INTO a VALUES (1)"):
        assert writes(statement)
    for statement in ("SELECT 1 -- UPDATE a SET", "SELECT 1 FROM a FOR UPDATE", "SELECT updated FROM created"):
        assert not writes(statement)
