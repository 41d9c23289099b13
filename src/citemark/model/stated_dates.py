"""The dates and days that documents state, and when that is, seen from a moment: the past, now, or still to come."""

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Literal

When = Literal["past", "now", "upcoming"]

_MONTH = re.compile(r"\d{4}-\d\d")


@dataclass(frozen=True, slots=True)
class StatedDates:
    """The dates of a document as its source states them: ISO 8601, with a zone's name in brackets where one is stored.

    A day without a time is a whole day; the stored end of whole days is the day after. `series` is what repeats, in the
    source's own notation. `open` is False for what is done, cancelled or archived.
    """

    begin: str = ""
    end: str = ""
    due: str = ""
    series: str = ""
    open: bool = True


CLOSED_STATES = frozenset({"done", "cancelled", "archived"})
"""The stated states of what nobody has to do any more."""


@dataclass(frozen=True, slots=True)
class DayRange:
    """Days from a first to a last one, both included; None where there is no first or last one."""

    first: date | None
    last: date | None


@dataclass(frozen=True, slots=True)
class Occasion:
    """One date of a document that matters at a moment, as its source states it; `due`: something is due then."""

    begins: datetime
    ends: datetime
    stated: str
    when: When
    overdue: bool = False
    due: bool = False


@dataclass(frozen=True, slots=True)
class SeriesDate:
    """One date of a series: begin and end as stated; `end` may be ""."""

    begin: str
    end: str


def days_of(dates: StatedDates) -> tuple[DayRange, ...]:
    """The days on which something that does not repeat takes place, or may be done; empty if it states none.

    A month stands for all of its days. Of an end before the begin, or a due date before the start, all days between
    them count.
    """
    first = _days_of(dates.begin or dates.due)
    if first is None:
        return ()
    last = _days_of(dates.end or dates.due or dates.begin) or first
    until = last[1]
    if until > first[1] and len(dates.end) == len("2026-01-01"):
        until -= timedelta(days=1)
    return (DayRange(min(first[0], last[0]), max(first[1], until)),)


def _days_of(stated: str) -> tuple[date, date] | None:
    """The first and last day of a stated date, time or month, by its own clock; None for what is no date."""
    try:
        if _MONTH.fullmatch(stated):
            first = date.fromisoformat(f"{stated}-01")
            return first, first.replace(day=monthrange(first.year, first.month)[1])
        day = date.fromisoformat(stated[: len("2026-01-01")])
    except ValueError:
        return None
    return day, day


def moment_of(dated: str) -> datetime:
    """A day or moment in ISO 8601 as one that can be compared; without a zone it counts as one in UTC.

    What is no date is older than any date.
    """
    try:
        moment = datetime.fromisoformat(dated)
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
