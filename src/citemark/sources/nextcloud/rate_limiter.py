"""How many requests a server gets at once, and how fast: work in the background never holds up a person."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import TypeAlias

from citemark.sources.foreground import foreground_waiting

_FIRST_AWAITED = 6
_MOST_AWAITED = 12
"""Requests at once that a person waits for: those of one page of hits, and not more than a small server has workers."""

_BURST = 20
_TOO_MUCH = frozenset({HTTPStatus.LOCKED, HTTPStatus.TOO_MANY_REQUESTS})

StatusReport: TypeAlias = Callable[[int], None]
"""Told the status of the answer that came through a lane."""


class RateLimiter:
    """What one server is asked by all accounts of this process: some lanes and a pace for work, others for people.

    The lanes for people adapt: one more for each good answer, up to twelve; half of them after a 423 or 429, and never
    more again after the first of these.
    """

    def __init__(self, *, parallel: int, rate: float) -> None:
        """Take the number of requests at once and the number per second that work may come to."""
        self._work = asyncio.Semaphore(parallel)
        self._people = _Gate(_FIRST_AWAITED)
        self._interval = 1 / rate
        self._due = 0.0
        self._refusals = 0

    @property
    def overloaded(self) -> bool:
        """Whether the server has ever answered 423 or 429."""
        return self._refusals > 0

    @asynccontextmanager
    async def slot(self) -> AsyncGenerator[StatusReport, None]:
        """Wait for a lane and hold it while the block runs; the block says what it heard from the server."""
        if foreground_waiting():
            async with self._people.passed():
                yield self._status_report()
            return
        async with self._work:
            await self._pace()
            yield self._status_report()

    def _status_report(self) -> StatusReport:
        before = self._refusals

        def report_status(status: int) -> None:
            # Requests that were under way together are refused together, which says no more than one refusal.
            if status in _TOO_MUCH and self._refusals == before:
                self._refusals += 1
                self._people.set_most(max(1, self._people.most // 2))
            elif status < HTTPStatus.BAD_REQUEST and not self._refusals:
                self._people.set_most(min(_MOST_AWAITED, self._people.most + 1))

        return report_status

    async def _pace(self) -> None:
        """A leaky bucket (generic cell rate algorithm, ITU-T I.371): bursts of 20, then the rate."""
        now = asyncio.get_running_loop().time()
        self._due = max(self._due, now) + self._interval
        wait = self._due - now - _BURST * self._interval
        if wait > 0:
            await asyncio.sleep(wait)


class _Gate:
    """Lets through as many at once as it is set to, in the order in which they came; a semaphore has a fixed number."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._inside = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    def set_most(self, most: int) -> None:
        """Whoever is inside stays; those who wait follow once there is room."""
        self.most = most
        self._admit()

    @asynccontextmanager
    async def passed(self) -> AsyncGenerator[None, None]:
        """Wait to be let in, and be inside while the block runs."""
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        self._admit()
        try:
            await place
            yield
        finally:
            if place.done() and not place.cancelled():
                self._inside -= 1
                self._admit()

    def _admit(self) -> None:
        while self._waiting and self._inside < self.most:
            place = self._waiting.popleft()
            if not place.done():
                self._inside += 1
                place.set_result(None)
