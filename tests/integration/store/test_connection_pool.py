"""Waiting for a connection ends when it is cancelled, at whatever moment that happens."""

import asyncio
from collections.abc import AsyncGenerator

import pytest
from tests.support.patience import HANG_SECONDS

from citemark.store.database import Database

MOMENTS = 30
"""Turns of the event loop after the holder is told to let go: its connection is handed over within the first ones."""


@pytest.fixture
async def database(dsn: str) -> AsyncGenerator[Database]:
    made = Database(dsn, pool_size=2)
    await made.open()
    yield made
    await made.close()


async def held_until(database: Database, ready: asyncio.Event, let_go: asyncio.Event) -> None:
    """Take a connection, and keep it until told otherwise."""
    async with database.transaction():
        ready.set()
        await let_go.wait()


@pytest.mark.requirement("signal-ends-server-cleanly")
@pytest.mark.parametrize("moment", range(MOMENTS))
async def test_a_task_that_is_cancelled_as_its_turn_for_a_connection_comes_ends(
    database: Database, moment: int
) -> None:
    let_go, never = asyncio.Event(), asyncio.Event()
    ready = [asyncio.Event() for _ in range(2)]
    holders = [asyncio.create_task(held_until(database, each, let_go)) for each in ready]
    await asyncio.gather(*(each.wait() for each in ready))
    waiting = asyncio.create_task(held_until(database, asyncio.Event(), never))
    await asyncio.sleep(0.05)
    let_go.set()
    for _ in range(moment):
        await asyncio.sleep(0)
    waiting.cancel()
    ended, _ = await asyncio.wait([waiting], timeout=HANG_SECONDS)
    never.set()
    await asyncio.wait([waiting, *holders])
    assert ended
    assert waiting.cancelled()
    async with database.transaction(), database.transaction():  # both connections are there again
        pass
