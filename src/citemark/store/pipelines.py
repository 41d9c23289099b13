"""Statements that go to the server in one message, and may fail or be cancelled."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

import psycopg
from psycopg import AsyncConnection
from psycopg.pq import TransactionStatus

Value = TypeVar("Value")

_CANCEL_SECONDS = 5.0
"""How long the server may take to break off a statement, as long as psycopg gives it outside of a pipeline."""


async def in_one_message(connection: AsyncConnection[Any], send: Callable[[], Awaitable[Value]]) -> Value:
    """Return what `send` returns, whose statements go to the server in one message.

    Where this is cancelled, the server is told to break off, and its answers are read: psycopg (3.3) would leave the
    connection in the middle of them. Where it fails or is cancelled, the connection is closed, since psycopg takes a
    statement for prepared even if the message that was to prepare it failed before, and whatever runs it afterwards
    would fail too. The end of a transaction makes it forget what was prepared, so that the connection stays there.
    """

    async def sent() -> Value:
        first: psycopg.Error | None = None
        values: list[Value] = []
        try:
            async with connection.pipeline():
                try:
                    values.append(await send())
                except psycopg.Error as error:  # of which psycopg would write to the log if another follows
                    first = error
        except psycopg.Error as error:
            raise first or error from None
        if first is not None:
            raise first
        return values[0]

    alone = connection.info.transaction_status == TransactionStatus.IDLE
    task = asyncio.create_task(sent())
    try:
        await asyncio.wait([task])
        return task.result()
    except BaseException:
        try:
            if not task.done():
                await _break_off(connection, task)
        finally:
            if not connection.closed and (alone or not task.done()):
                await connection.close()
        raise


async def _break_off(connection: AsyncConnection[Any], task: "asyncio.Task[Any]") -> None:
    """Have the server end what it does for a task, and wait until that has read so."""
    with suppress(psycopg.Error):  # as if it had not been told
        await connection.cancel_safe(timeout=_CANCEL_SECONDS)
    await asyncio.wait([task], timeout=_CANCEL_SECONDS)
    if task.done() and not task.cancelled():
        task.exception()  # what the server says of statements that it broke off
