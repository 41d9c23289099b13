"""Limits the number and rate of requests to a server; background work never delays a person."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import TypeAlias

from citemark.model.clock import Clock, system_clock
from citemark.sources.contract import foreground_waiting

_FIRST_FOREGROUND = 6
"""Requests at a time for a person until the server has answered some."""

_MOST_FOREGROUND = 12
"""Requests at a time for a person: those of one page of hits, and no more than a small server has workers."""

_MAINTENANCE = timedelta(seconds=5)
"""How long a server in maintenance is not asked again, by anybody."""

_BURST = 20
"""Background requests that may be sent in one burst before the rate applies: a scan without changes takes fewer."""

_TOO_MUCH = frozenset({HTTPStatus.LOCKED, HTTPStatus.TOO_MANY_REQUESTS})

StatusReport: TypeAlias = Callable[[int], None]
"""Takes the status of the response to the request that a slot was held for."""


class RateLimiter:
    """Limits what all accounts of this process ask of one server: separate slots for background work and for people.

    Background work has a fixed number of slots and a rate. The number for people adapts: one more with each good
    response up to twelve, and half after a 423 or 429, after which it does not grow again.
    """

    def __init__(self, *, parallel: int, rate: float, clock: Clock = system_clock) -> None:
        """Set the number of background requests at a time, and per second; the clock tells when maintenance was."""
        self._work = asyncio.Semaphore(parallel)
        self._people = _Gate(_FIRST_FOREGROUND)
        self._interval = 1 / rate
        self._due = 0.0
        self._refusals = 0
        self._clock = clock
        self._maintenance_at: datetime | None = None

    @property
    def in_maintenance(self) -> bool:
        """Whether the server has just said that it is in maintenance: then it is not asked again for some seconds."""
        return self._maintenance_at is not None and abs(self._clock() - self._maintenance_at) < _MAINTENANCE

    def note_maintenance(self) -> None:
        """Remember that the server has said so."""
        self._maintenance_at = self._clock()

    @property
    def overloaded(self) -> bool:
        """Whether the server has ever answered 423 or 429."""
        return self._refusals > 0

    @asynccontextmanager
    async def slot(self) -> AsyncGenerator[StatusReport, None]:
        """Wait for a slot and hold it during the block, which reports the status of the response."""
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
                self._people.set_most(min(_MOST_FOREGROUND, self._people.most + 1))

        return report_status

    async def _pace(self) -> None:
        """Delay background work by a leaky bucket (generic cell rate algorithm, ITU-T I.371)."""
        now = asyncio.get_running_loop().time()
        self._due = max(self._due, now) + self._interval
        wait = self._due - now - _BURST * self._interval
        if wait > 0:
            await asyncio.sleep(wait)


class _Gate:
    """A semaphore with an adjustable number of places; first come, first served."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._inside = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    def set_most(self, most: int) -> None:
        """Set the number of places. Those inside stay; those waiting follow when there is room."""
        self.most = most
        self._admit()

    @asynccontextmanager
    async def passed(self) -> AsyncGenerator[None, None]:
        """Wait for a place and hold it during the block."""
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
