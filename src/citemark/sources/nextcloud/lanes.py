"""How many requests a server gets at once, and how fast: work in the background never holds up a person."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from citemark.sources.waiting import awaited

_MOST_AWAITED = 16
_BURST = 20


class Lanes:
    """What one server is asked by all accounts of this process: some lanes and a pace for work, others for people."""

    def __init__(self, *, parallel: int, rate: float) -> None:
        """Take the number of requests at once and the number per second that work may come to."""
        self._work = asyncio.Semaphore(parallel)
        self._people = asyncio.Semaphore(_MOST_AWAITED)
        self._interval = 1 / rate
        self._due = 0.0

    @asynccontextmanager
    async def lane(self) -> AsyncGenerator[None, None]:
        """Wait for a lane and hold it while the block runs."""
        if awaited():
            async with self._people:
                yield
            return
        async with self._work:
            await self._pace()
            yield

    async def _pace(self) -> None:
        """A leaky bucket (generic cell rate algorithm, ITU-T I.371): bursts of 20, then the rate."""
        now = asyncio.get_running_loop().time()
        self._due = max(self._due, now) + self._interval
        wait = self._due - now - _BURST * self._interval
        if wait > 0:
            await asyncio.sleep(wait)
