"""By when sources must answer for one page of hits."""

import asyncio
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

_LONGEST = 5.0
"""Seconds after which nobody waits for a page any more, however well its sources go on answering."""

_PAUSE = 1.0
"""Seconds between two verdicts of a source that is slow and not silent."""

Asked = tuple[int, str]
"""A source and one of its types of documents: what is asked together, and given time together."""

Clock = Callable[[], float]


@dataclass(slots=True)
class Deadline:
    """One for a page, its refills included, so that a source that is silent costs its deadline once.

    Times are the event loop's. `slow` are those who get all the time there is from the beginning.
    """

    usual: float
    end: float
    clock: Clock
    slow: AbstractSet[Asked] = frozenset()
    _later: dict[Asked, float] = field(default_factory=dict[Asked, float])

    def of(self, asked: Asked) -> float:
        """By when these must have answered, as it stands."""
        return self._later.get(asked, self.end if asked in self.slow else self.usual)

    def prolong(self, asked: Asked) -> float:
        """The same after a verdict that was heard just now: who goes on answering gets more time, up to the end."""
        later = max(self.of(asked), min(self.end, self.clock() + _PAUSE))
        self._later[asked] = later
        return later


class Patience:
    """How long sources are waited for: the usual time, and up to five seconds where they are slow and answer."""

    def __init__(self, seconds: float, clock: Clock = lambda: asyncio.get_running_loop().time()) -> None:
        """Take the usual time in seconds; one that is longer than the longest is kept as it is."""
        self._seconds = seconds
        self._clock = clock
        self._slow: set[Asked] = set()

    def begin(self) -> Deadline:
        """The deadline of a page that is begun now."""
        now = self._clock()
        return Deadline(now + self._seconds, now + max(self._seconds, _LONGEST), self._clock, frozenset(self._slow))

    def learn(self, asked: Asked, *, slow: bool) -> None:
        """Remember for the next page whether these were still answering when their time was over."""
        if slow:
            self._slow.add(asked)
        else:
            self._slow.discard(asked)
