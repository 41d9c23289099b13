"""No statement outlasts its limit: the server ends it, whatever became of the process that sent it."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

import psycopg
import pytest

from citemark.model.errors import BackendUnavailable, TimedOut
from citemark.store.database import Database

SHORT = 0.2


@pytest.fixture(params=[False, True], ids=["direct", "behind a pooler"])
async def database(dsn: str, request: pytest.FixtureRequest) -> AsyncGenerator[Database]:
    made = Database(dsn, pool_size=2, pooler=request.param)
    await made.open()
    yield made
    await made.close()


async def read(database: Database) -> None:
    await database.fetch("sources", {"tenant": "local"})


async def write(database: Database) -> None:
    async with database.transaction() as connection:
        await connection.execute("UPDATE source SET name = name")


async def limit_of(database: Database) -> int:
    """Milliseconds that a statement may take here."""
    rows = await database.read_sql("SELECT setting FROM pg_settings WHERE name = 'statement_timeout'")
    return int(rows[0]["setting"])


@pytest.mark.requirement("overlong-statements-are-ended")
@pytest.mark.parametrize("work", [read, write])
async def test_a_statement_that_waits_for_a_lock_is_cancelled_by_the_server_and_reported_as_a_timeout(
    database: Database, dsn: str, work: Callable[[Database], Awaitable[Any]]
) -> None:
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as other:
        async with other.transaction():
            await other.execute("LOCK TABLE source IN ACCESS EXCLUSIVE MODE")
            with database.within(SHORT), pytest.raises(TimedOut, match=r"within 0\.2 seconds") as told:
                await work(database)
            assert told.value.code == "TIMEOUT"
        with database.within(SHORT):
            await work(database)


@pytest.mark.requirement("overlong-statements-are-ended")
async def test_every_statement_has_a_time_limit_and_those_of_a_query_a_shorter_one(database: Database) -> None:
    everywhere = await limit_of(database)
    assert 0 < everywhere <= 3_600_000
    with database.within(30):
        assert await limit_of(database) == 30_000
        with database.within(60):
            assert await limit_of(database) == 30_000
        assert await asyncio.create_task(limit_of(database)) == 30_000
    assert await limit_of(database) == everywhere


@pytest.mark.requirement("overlong-statements-are-ended")
async def test_statements_are_prepared_on_direct_connections_alone(dsn: str) -> None:
    found: dict[bool | None, bool] = {}
    for pooler in (None, False, True):
        made = Database(dsn, pool_size=2, pooler=pooler)
        await made.open()
        async with made.transaction() as connection:
            found[pooler] = connection.prepare_threshold is not None
        await made.close()
    assert found == {None: True, False: True, True: False}


@pytest.mark.requirement("overlong-statements-are-ended")
async def test_the_limit_of_one_question_is_not_that_of_another_at_the_same_time(database: Database) -> None:
    async def asked(seconds: float) -> list[int]:
        found: list[int] = []
        for _ in range(20):
            with database.within(seconds):
                found.append(await limit_of(database))
        return found

    both = await asyncio.gather(asked(5), asked(7), limit_of(database))
    assert both == [[5_000] * 20, [7_000] * 20, 3_600_000]


async def test_a_server_that_takes_no_writes_after_a_failover_is_reported_as_unavailable(database: Database) -> None:
    async def written_elsewhere() -> None:
        async with database.transaction() as connection:
            await connection.execute("SET TRANSACTION READ ONLY")
            await connection.execute("UPDATE source SET name = name")

    with pytest.raises(BackendUnavailable, match="takes no changes at the moment"):
        await written_elsewhere()
