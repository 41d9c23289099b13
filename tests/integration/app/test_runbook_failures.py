"""Failures of the runbook that nothing else provokes: what callers are told, by a PostgreSQL that fails so."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack

import psycopg
import pytest
from tests.support.patience import HANG_SECONDS

from citemark.model.errors import BackendUnavailable
from citemark.store.database import Database

PLACES = 2


@pytest.fixture
async def database(dsn: str) -> AsyncGenerator[Database]:
    """A pool of two connections."""
    made = Database(dsn, pool_size=PLACES)
    await made.open()
    yield made
    await made.close()


async def read(database: Database) -> None:
    await database.fetch("sources", {"tenant": "local"})


async def write(database: Database, ended_by: psycopg.AsyncConnection | None = None) -> None:
    """Write, on a connection that another one ends meanwhile if it is given."""
    async with database.transaction() as connection:
        if ended_by is not None:
            await ended_by.execute("SELECT pg_terminate_backend(%s)", (connection.info.backend_pid,))
        await connection.execute("SELECT pg_sleep(%s)", (0 if ended_by is None else HANG_SECONDS,))
        await connection.execute("UPDATE source SET name = name")


@pytest.mark.requirement("runbook-of-ten-failures")
async def test_a_call_without_a_free_connection_says_so_and_the_next_one_is_answered(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = database._pool  # fifteen seconds are for people  # pyright: ignore[reportPrivateUsage]
    assert pool is not None
    assert pool.timeout == 15
    monkeypatch.setattr(pool, "timeout", 0.1)
    async with AsyncExitStack() as busy:
        for _ in range(PLACES):
            await busy.enter_async_context(database.transaction())
        with pytest.raises(BackendUnavailable) as told:
            await read(database)
        assert told.value.message == "No database connection became free; try again in a moment."
    await read(database)


@pytest.mark.requirement("runbook-of-ten-failures")
async def test_a_write_whose_connection_is_lost_says_that_the_database_went_away_and_the_next_one_is_made(
    database: Database, dsn: str
) -> None:
    async with asyncio.timeout(HANG_SECONDS), await psycopg.AsyncConnection.connect(dsn, autocommit=True) as other:
        with pytest.raises(BackendUnavailable, match=r"^The database went away: "):
            await write(database, other)
        await write(database)
    await read(database)
