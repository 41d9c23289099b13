"""Statements that go to the server in one message, and can be cancelled."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from psycopg import AsyncConnection

Value = TypeVar("Value")

_CANCEL_SECONDS = 5.0
"""How long the server may take to break off a statement, as long as psycopg gives it outside of a pipeline."""


async def in_one_message(connection: AsyncConnection[Any], send: Callable[[], Awaitable[Value]]) -> Value:
    """Return what `send` returns, whose statements go to the server in one message.

    Where this is cancelled, the server is told to break off, and the connection is left once it has answered. psycopg
    (3.3) would leave it in the middle of its answers, where those who use it next would seem to get no rows.
    """

    async def sent() -> Value:
        async with connection.pipeline():
            return await send()

    task = asyncio.create_task(sent())
    try:
        await asyncio.wait([task])
    except asyncio.CancelledError:
        try:
            await connection.cancel_safe(timeout=_CANCEL_SECONDS)
            await asyncio.wait([task], timeout=_CANCEL_SECONDS)
        finally:
            if not task.done():
                await connection.close()
            elif not task.cancelled():
                task.exception()  # what the server says of statements that it broke off
        raise
    return task.result()
