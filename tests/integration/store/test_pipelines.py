"""Statements that go to the server in one message: what is raised, and what becomes of the connection."""

import logging
from collections.abc import AsyncGenerator
from typing import Any

import psycopg
import pytest

from citemark.store.pipelines import in_one_message

Connection = psycopg.AsyncConnection[Any]


@pytest.fixture
async def connection(dsn: str) -> AsyncGenerator[Connection]:
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
        yield connection


async def divide(connection: Connection) -> None:
    """Fail, and look at it while further statements are on their way."""
    failing = await connection.execute("SELECT 1 / 0")
    await connection.execute("SELECT no_such_column")
    await failing.fetchall()


async def test_what_failed_first_is_raised_without_a_warning_and_the_connection_is_closed(
    connection: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero):
        await in_one_message(connection, lambda: divide(connection))
    assert connection.closed
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []


async def test_the_connection_of_a_transaction_stays_and_can_be_used_after_it(connection: Connection) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero):
        async with connection.transaction():
            await in_one_message(connection, lambda: divide(connection))
    assert await (await connection.execute("SELECT 1")).fetchall() == [(1,)]


async def test_what_is_sent_together_is_returned(connection: Connection) -> None:
    async def send() -> list["psycopg.AsyncCursor[Any]"]:
        return [await connection.execute("SELECT %s::int", (number,)) for number in range(3)]

    found = await in_one_message(connection, send)
    assert [await cursor.fetchall() for cursor in found] == [[(0,)], [(1,)], [(2,)]]
    assert not connection.closed
