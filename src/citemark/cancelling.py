"""Work in a task of its own, which is cancelled once, and waited for.

A scope of anyio, in which a web server or an SDK runs a request, cancels its tasks again at every step until they end:
also while they tell the database to stop, or close a file.
"""

import asyncio
from typing import Any

import anyio


async def ended_within(task: "asyncio.Future[Any]", seconds: float | None = None) -> bool:
    """Whether a task has ended within `seconds` (None: however long it takes).

    Otherwise, and if the caller is cancelled, it is cancelled; it has ended in any case.
    """
    try:
        ended, _ = await asyncio.wait([task], timeout=seconds)
        return bool(ended)
    finally:
        await end(task)


async def end(task: "asyncio.Future[Any]") -> None:
    """Cancel a task, unless it has ended, and wait for its end; nobody needs to ask what it raised then."""
    if task.done():
        return
    task.cancel()
    with anyio.CancelScope(shield=True):
        await asyncio.wait([task])
    if not task.cancelled():
        task.exception()
