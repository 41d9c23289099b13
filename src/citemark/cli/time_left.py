"""How long the rest of some work takes, as a figure that a person can watch without seeing it leap."""

from collections.abc import Callable
from math import exp

_RATE_SECONDS = 30.0
"""Batches take unlike times; over half a minute of them the rate is steady."""

_SHOWN_SECONDS = 10.0
"""The end that is shown draws near to the one that was reckoned within about so long."""

_LEAST_SECONDS = 2.0
"""No figure before: the first batch tells too little."""


class TimeLeft:
    """Counts down to an end that is reckoned anew with each report and moves there smoothly.

    Rate and end are averages that weigh a report by its age, exponentially: see `_RATE_SECONDS` and `_SHOWN_SECONDS`.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._began = self._noted = clock()
        self._done: int | None = None
        self._amount = 0.0
        self._time = 0.0
        self._end: float | None = None

    def note(self, done: int, waiting: int) -> None:
        """Take in a report: how much is done since the beginning, and how much still waits."""
        now = self._clock()
        if self._done is None:
            self._began = self._noted = now
            self._done = done
            return
        passed = now - self._noted
        if passed <= 0:
            return
        kept = exp(-passed / _RATE_SECONDS)
        self._amount = self._amount * kept + max(0, done - self._done)
        self._time = self._time * kept + passed
        self._done, self._noted = done, now
        if self._amount <= 0:
            return
        end = now + waiting * self._time / self._amount
        if self._end is None:
            self._end = end if now - self._began >= _LEAST_SECONDS else None
        else:
            self._end += (end - self._end) * (1 - exp(-passed / _SHOWN_SECONDS))

    def seconds(self) -> float | None:
        """Seconds from now to the end; None while nothing can be said."""
        return None if self._end is None else max(0.0, self._end - self._clock())
