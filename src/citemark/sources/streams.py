"""Streams of results from several tasks, in the order in which they become available."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Iterable
from contextlib import aclosing
from typing import Any, TypeVar

_T = TypeVar("_T")


async def completed(work: Iterable[Coroutine[Any, Any, Iterable[_T]]]) -> AsyncGenerator[_T, None]:
    """Run the coroutines concurrently and yield the results of each as soon as it finishes.

    Closing the generator cancels those still running. An exception ends it, after the results that came before.
    """
    tasks = [asyncio.create_task(each) for each in work]
    try:
        for done in asyncio.as_completed(tasks):
            for item in await done:
                yield item
    finally:
        await _cancel(tasks)


async def merged(streams: Iterable[AsyncGenerator[_T, None]]) -> AsyncGenerator[_T, None]:
    """Yield the items of several generators as they come; closing this one closes them."""
    items: asyncio.Queue[tuple[_T] | None] = asyncio.Queue()

    async def drain(stream: AsyncGenerator[_T, None]) -> None:
        try:
            async with aclosing(stream):
                async for item in stream:
                    items.put_nowait((item,))
        finally:
            items.put_nowait(None)

    tasks = [asyncio.create_task(drain(stream)) for stream in streams]
    try:
        running = len(tasks)
        while running:
            item = await items.get()
            if item is None:
                running -= 1
            else:
                yield item[0]
        await asyncio.gather(*tasks)
    finally:
        await _cancel(tasks)


async def _cancel(tasks: Iterable[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
