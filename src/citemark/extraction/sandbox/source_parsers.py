"""How long one source may keep parsers busy without a result, before each of its files gets less time."""

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from citemark.extraction.sandbox.ipc import ParseItem, ParseTask
from citemark.extraction.sandbox.pool import ParseOutcome, ParserPool

_LOST_SECONDS = 180.0
"""Three files that take their whole minute; what more a source has of them is not what its person works with."""

_WINDOW_SECONDS = 3600.0
"""After so long the time that was lost is forgotten."""

_LEFT_SECONDS = 3.0
"""What a file gets then: nearly all files of people take less, and a hundred that would not end take five minutes."""

T = TypeVar("T")


class SourceParsers(ParserPool):
    """The processes of a pool as one source uses them: time that its files lose is counted, and then cut."""

    def __init__(self, pool: ParserPool, seconds: Callable[[], float] = time.monotonic) -> None:
        """Share the processes of `pool`; `seconds` is a monotonic clock, by which lost time is forgotten."""
        super().__init__(pool.limits)
        self._pool = pool
        self._clock = seconds
        self._lost = 0.0
        self._since = seconds()

    async def read(
        self,
        task: ParseTask,
        items: Sequence[ParseItem],
        decode: Callable[[Any], T],
        *,
        most_seconds: float | None = None,
    ) -> list[ParseOutcome[T]]:
        """Like `ParserPool.read`, with less time for each item once the source has lost too much."""
        if self._clock() - self._since > _WINDOW_SECONDS:
            self._lost, self._since = 0.0, self._clock()
        most = _LEFT_SECONDS if self._lost >= _LOST_SECONDS else None
        outcomes = await self._pool.read(task, items, decode, most_seconds=most_seconds if most is None else most)
        self._lost += sum(outcome.lost for outcome in outcomes)
        return outcomes

    async def close(self) -> None:
        """Leave the processes to the pool, which others share."""
