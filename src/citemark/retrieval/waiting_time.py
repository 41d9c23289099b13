"""How long a page waits for its sources: as long as they usually take, within limits."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial
from statistics import median

_LONGEST = 5.0
"""Seconds after which a page is no longer waited for, even if its sources keep answering."""

LONGEST_SLOW = 10.0
"""The same for a source whose verdicts usually take longer: nobody waits much longer for an answer."""

_PAUSE = 1.0
"""Seconds that may pass between two verdicts of a source that is slow but not silent."""

_RECENT = 15
"""Verdicts of which the usual time is the median: those of a page or two."""

_SPARE = 2.0
"""The factor by which the last of many concurrent verdicts may be later than the usual one."""

Asked = tuple[int, str]
"""A source and one of its document types: their documents are asked about together and share one time limit."""

MonotonicClock = Callable[[], float]


@dataclass(slots=True)
class Deadline:
    """The deadline of one page, its refills included, so that a silent source costs its deadline only once.

    Times are those of the event loop. Those in `slow` get all the available time from the beginning; `longer` are the
    ends for those that usually take longer than that. `waited` is how long one was waited for in vain, in seconds, and
    `remembered` the age of the oldest verdict that was taken from memory.
    """

    usual: float
    end: float
    clock: MonotonicClock
    slow: AbstractSet[Asked] = frozenset()
    longer: dict[Asked, float] = field(default_factory=dict[Asked, float])
    waited: float = 0.0
    remembered: float = 0.0
    _later: dict[Asked, float] = field(default_factory=dict[Asked, float])

    def of(self, asked: Asked) -> float:
        """The time by which these must have answered, as currently set."""
        first = self.end if asked in self.slow else self.usual
        return self._later.get(asked, max(first, self.longer.get(asked, first)))

    def prolong(self, asked: Asked) -> float:
        """Extend the deadline after a verdict: a source that keeps answering gets more time, up to the end."""
        later = max(self.of(asked), min(self.end, self.clock() + _PAUSE))
        self._later[asked] = later
        return later


class WaitingTime:
    """How long to wait for sources: the usual time, and up to five seconds if they are slow but do answer.

    A source whose verdicts usually take longer is waited for accordingly, up to ten seconds.
    """

    def __init__(self, seconds: float, clock: MonotonicClock = lambda: asyncio.get_running_loop().time()) -> None:
        """Take the usual time in seconds; it is kept even if it exceeds those limits."""
        self._seconds = seconds
        self._clock = clock
        self._slow: set[Asked] = set()
        self._took: dict[Asked, deque[float]] = defaultdict(partial(deque[float], maxlen=_RECENT))

    def begin(self) -> Deadline:
        """The deadline of a page that begins now."""
        now = self._clock()
        longer = {asked: now + min(LONGEST_SLOW, _SPARE * median(took)) for asked, took in self._took.items()}
        end = now + max(self._seconds, _LONGEST)
        return Deadline(now + self._seconds, end, self._clock, frozenset(self._slow), longer)

    def learn(self, asked: Asked, *, slow: bool) -> None:
        """Remember for the next page whether these were still answering when their time ran out."""
        if slow:
            self._slow.add(asked)
        else:
            self._slow.discard(asked)

    def took(self, asked: Asked, seconds: float) -> None:
        """Remember how long a verdict took, also one that came too late."""
        self._took[asked].append(seconds)
