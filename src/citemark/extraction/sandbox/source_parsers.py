"""How long one source may keep parsers busy without a result, before each of its files gets less time."""

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from citemark.extraction.sandbox.ipc import ParseItem, ParseTask
from citemark.extraction.sandbox.pool import ParseOutcome, ParserBudget, ParserPool

_LOST_SECONDS = 180.0
"""Three files that take their whole minute; what more a source has of them is not what its person works with."""

_WINDOW_SECONDS = 3600.0
"""After so long the time that was lost is forgotten."""

_LEFT_SECONDS = 3.0
"""What a file gets then: nearly all files of people take less, and a hundred that would not end take five minutes."""

T = TypeVar("T")


class LostTime:
    """The budget of one source: once its files have lost too much time without a result, each gets less.

    A file that fails within what it would get anyhow loses nothing: scans and locked files, which are refused quickly,
    do not shorten the time of others.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """Begin with nothing lost; `clock` gives the seconds by which lost time is forgotten."""
        self._clock = clock
        self._lost = 0.0
        self._since = clock()

    def seconds(self, most: float) -> float:
        """The time for the next file, of the `most` that any file may take."""
        if self._clock() - self._since > _WINDOW_SECONDS:
            self._lost, self._since = 0.0, self._clock()
        return min(most, _LEFT_SECONDS) if self._lost >= _LOST_SECONDS else most

    def failed(self, seconds: float) -> None:
        """A file took so long, and there is no result."""
        if seconds > _LEFT_SECONDS:
            self._lost += seconds


class SourceParsers(ParserPool):
    """The processes of a pool as one source uses them: time that its files lose is counted, and then cut."""

    def __init__(self, pool: ParserPool, clock: Callable[[], float] = time.monotonic) -> None:
        """Share the processes of `pool`; `clock` is a monotonic one, by which lost time is forgotten."""
        super().__init__(pool.limits, recognition=pool.recognition)
        self._pool = pool
        self._budget = LostTime(clock)

    async def read(
        self,
        task: ParseTask,
        items: Sequence[ParseItem],
        decode: Callable[[Any], T],
        *,
        budget: ParserBudget | None = None,
    ) -> list[ParseOutcome[T]]:
        """Like `ParserPool.read`, with less time for each item once the source has lost too much."""
        return await self._pool.read(task, items, decode, budget=budget or self._budget)

    async def close(self) -> None:
        """Leave the processes to the pool, which others share."""
