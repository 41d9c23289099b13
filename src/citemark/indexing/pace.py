"""When to scan next: soon after the last change, not for ever later, and at intervals whatever was heard."""

from dataclasses import dataclass, field
from math import inf

_QUIET = 0.15
_MOST = 1.0
_SHARE = 2.0


@dataclass(slots=True)
class Pace:
    """The times of one source's scans, in seconds of one clock that only goes forward.

    A scan follows a change once nothing changed for `quiet` seconds, and no later than `most` seconds after the first
    change: a folder that is written to all the time is indexed too. After a scan follow `share` times its own duration
    of rest, so that a large tree leaves time for other things. The first scan is due at `start`, and is none of the
    regular ones that follow every `interval`.
    """

    interval: float
    start: float
    quiet: float = _QUIET
    most: float = _MOST
    share: float = _SHARE
    _first: float = inf
    _last: float = inf
    _rested: float = 0.0
    _asked: list[float] = field(init=False)
    _regular: float = field(init=False)

    def __post_init__(self) -> None:
        self._asked = [self.start]
        self._regular = self.start + self.interval

    def changed(self, now: float) -> None:
        """Something may have changed."""
        self._first = min(self._first, now)
        self._last = now

    def ask(self, at: float) -> None:
        """Scan at that time or soon after, for another reason than a change; an earlier scan does not do."""
        self._asked.append(at)

    def due(self) -> float:
        """When to begin the next scan."""
        change = max(min(self._last + self.quiet, self._first + self.most), self._rested)
        return min(change, self._regular, *self._asked)

    def begun(self, now: float) -> bool:
        """A scan begins and answers for all changes so far; True when it is one of the regular ones."""
        self._first = self._last = inf
        self._asked = [at for at in self._asked if at > now]
        if now < self._regular:
            return False
        self._regular = now + self.interval
        return True

    def ended(self, began: float, now: float) -> None:
        """The scan is over."""
        self._rested = now + self.share * (now - began)
