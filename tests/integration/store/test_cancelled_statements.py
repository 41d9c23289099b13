"""Whoever asks after a statement that was cancelled gets rows of their own statement."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Coroutine
from contextlib import suppress
from typing import Any

import psycopg
import psycopg.waiting
import pytest
from tests.support.index import Index

from citemark.model.errors import TimedOut
from citemark.store.database import Database


@pytest.fixture(autouse=True)
def busy_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where others keep the event loop busy: psycopg lets them go on after each step, and can be cancelled there."""
    monkeypatch.setattr(psycopg.waiting, "MAX_BUSY_TIME", -1.0)


@pytest.fixture
async def index(dsn: str) -> AsyncGenerator[Index, None]:
    """An index over a single connection, so that what one leaves unread the next would find."""
    database = Database(dsn, pool_size=1)
    await database.open_lazily()
    yield Index(database)
    await database.close()


async def given_up(work: Coroutine[Any, Any, Any], turns: int) -> bool:
    """Cancel work after some turns of the event loop; whether it was under way."""
    task = asyncio.create_task(work)
    for _ in range(turns):
        await asyncio.sleep(0)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    return task.cancelled()


async def test_a_read_after_one_that_was_cancelled_gets_its_own_rows(
    index: Index, caplog: pytest.LogCaptureFixture
) -> None:
    source = await index.source("docs")

    async def sources() -> list[int]:  # planned once, of which the connection is told in the same message
        return [each.source_id for each in await index.stores.sources.all("local")]

    async def word() -> list[str]:
        return [row["word"] for row in await index.database.read_sql("SELECT 'boiler' AS word")]

    under_way = 0
    for turns in range(60):
        under_way += await given_up(sources(), turns)
        assert [await word(), await word()] == [["boiler"], ["boiler"]]
        under_way += await given_up(sources(), turns)
        assert [await sources(), await sources()] == [[source.source_id], [source.source_id]]
        under_way += await given_up(word(), turns)
    assert under_way > 20
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []


async def test_a_time_limit_holds_for_nobody_else_if_setting_it_was_cancelled(index: Index) -> None:
    async def limit() -> list[str]:
        return [row["statement_timeout"] for row in await index.database.read_sql("SHOW statement_timeout")]

    async def within_seconds() -> None:
        with index.database.within(5):
            assert await limit() == ["5s"]

    usual, under_way = await limit(), 0
    for turns in range(30):
        under_way += await given_up(within_seconds(), turns)
        assert await limit() == usual
    assert under_way > 5


async def until_next_is_prepared(database: Database) -> None:
    """Have a statement that is planned once run as often as one does before it is prepared, among others that are not.

    The connection is told how to plan in the same message each time, so that its preparation goes along with that.
    """
    for _ in range(5):
        await database.fetch("sources", {"tenant": "local"})
        await database.read_sql("SELECT 1 AS one")


async def waits_for_a_lock(connection: "psycopg.AsyncConnection[Any]") -> None:
    """Wait until somebody else waits for a lock."""
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    for _ in range(10_000):
        if await (await connection.execute(waiting)).fetchone() != (0,):
            return
        await asyncio.sleep(0.01)
    raise AssertionError("nobody waits for a lock")


@pytest.mark.parametrize("how", ["cancelled", "too long"])
async def test_a_statement_is_prepared_again_if_its_first_preparation_was_broken_off(dsn: str, how: str) -> None:
    database = Database(dsn, pool_size=1)
    await database.open_lazily()

    async def sources() -> list[dict[str, Any]]:
        return await database.fetch("sources", {"tenant": "local"})

    try:
        await until_next_is_prepared(database)
        async with await psycopg.AsyncConnection.connect(dsn) as other:
            await other.execute("LOCK TABLE source IN ACCESS EXCLUSIVE MODE")  # which preparing it waits for
            if how == "cancelled":
                task = asyncio.create_task(sources())
                await waits_for_a_lock(other)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            else:
                with database.within(0.2), pytest.raises(TimedOut):
                    await sources()
        assert [await sources(), await sources()] == [[], []]
    finally:
        await database.close()
