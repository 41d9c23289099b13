"""When a password that a server refused may be tried again: a passing 401 is no verdict, a lasting one costs little.

Nextcloud counts failed logins by network address and slows every account of it down after a few, so what is counted
here is counted by server: the tries of all accounts together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

_DELAYS = (timedelta(minutes=2), timedelta(minutes=15), timedelta(hours=2), timedelta(hours=12))
"""How long after its first, second ... refusal of a day a password is left alone, unless its person asks."""

_DAY = timedelta(days=1)

_MOST_A_DAY = 4
"""Refused tries of one server in a day: from the sixth failed login on, Nextcloud delays whoever logs in by seconds."""

_MOST_ASKED = _MOST_A_DAY - 1
"""Of these, the tries that persons ask for: whoever asks all the time does not use up the one that comes by itself."""


@dataclass(frozen=True, slots=True)
class RefusedLogin:
    """A refused password. `refusals` counts those of the last day, and `retry_at` is when it may be tried by itself."""

    reason: str
    retry_at: datetime | None = None
    refusals: int = 0


def delay_after(refusals: int) -> timedelta:
    """How long a password is left alone that was refused `refusals` times within a day, this time included."""
    return _DELAYS[min(max(refusals, 1), len(_DELAYS)) - 1]


def counted(tries: Sequence[datetime], now: datetime) -> list[datetime]:
    """Those of a server's refused tries that still count, oldest first."""
    return sorted(each for each in tries if each > now - _DAY)


def next_try(retry_at: datetime | None, tries: Sequence[datetime], now: datetime, *, asked: bool) -> datetime:
    """The first moment, not before `now`, at which a refused password may be tried once.

    Args:
        retry_at: when it may be tried by itself; None for at once.
        tries: the refused tries of its server.
        now: the time.
        asked: a person asks for it, who need not wait for `retry_at`.
    """
    recent = counted(tries, now)
    most = _MOST_ASKED if asked else _MOST_A_DAY
    earliest = now if asked or retry_at is None else max(now, retry_at)
    return max(earliest, recent[-most] + _DAY) if len(recent) >= most else earliest
