"""The next dates of what repeats: few, and within bounds whatever the rule says."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import recurring_ical_events as recurring

from citemark.sources.nextcloud.calendar.components import CalendarEntry, Component, text_of, values_of
from citemark.sources.nextcloud.calendar.times import StoredTime, end_of, when_of

MOST = 10
"""Dates that a text names: ten weeks of a weekly meeting."""

_WINDOWS = (timedelta(days=92), timedelta(days=366), timedelta(days=9 * 366))
"""How far ahead to look, as long as too few dates are found: the last reaches two leap days."""

_DENSE = frozenset({"SECONDLY", "MINUTELY", "HOURLY"})
_NARROW = frozenset({"BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYSETPOS"})
_WALKED_BY_DAYS = frozenset({"DAILY", "WEEKLY"})


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One date of a series; `changed` when it was set by hand, `summary` its own title then."""

    start: StoredTime
    end: StoredTime | None
    changed: bool
    summary: str
    cancelled: bool


def next_occurrences(item: CalendarEntry, name: str, now: datetime) -> list[Occurrence] | None:
    """The next dates from `now` on, at most MOST; None when they cannot be worked out within bounds.

    EXDATE, RDATE, overrides and changes of the clocks are the library's. A rule for several times a day is not
    followed, nor one that may walk day by day to the year 9999 in search of a date that does not exist.
    """
    found: list[Occurrence] | None = []
    for window in _WINDOWS:
        found = occurrences_between(item, name, now, now + window)
        if found is None or len(found) >= MOST:
            break
    return None if found is None else found[:MOST]


def occurrences_between(item: CalendarEntry, name: str, start: datetime, end: datetime) -> list[Occurrence] | None:
    """All dates from `start` to before `end`, in order; None when they cannot be worked out within bounds."""
    if any(_unbounded(rule) for part in (item.master, *item.overrides) for rule in values_of(part, "RRULE")):
        return None
    try:
        query = recurring.of(item.calendar, components=[name], keep_recurrence_attributes=True)
        found: list[Component] = query.between(start, end)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError, AssertionError):
        # Stored rules contradict themselves in ways that nobody has listed; the rule is told without its dates.
        return None
    overridden = {_moment(when_of(part, "RECURRENCE-ID")) for part in item.overrides}
    occurrences = [_occurrence(part, item, overridden) for part in found]
    return sorted((each for each in occurrences if each is not None), key=lambda each: _moment(each.start))


def _occurrence(part: Component, item: CalendarEntry, overridden: set[datetime]) -> Occurrence | None:
    start = when_of(part, "DTSTART") or when_of(part, "DUE")
    if start is None:
        return None
    changed = _moment(when_of(part, "RECURRENCE-ID")) in overridden
    stored = when_of(item.master, "DTSTART")
    zone = stored.zone if stored is not None and not changed and not start.is_date else start.zone
    end = end_of(part)
    summary = text_of(part, "SUMMARY")
    return Occurrence(
        start=StoredTime(start.value, zone),
        end=StoredTime(end.value, zone if not end.is_date else "") if end is not None else None,
        changed=changed,
        summary=summary if summary != text_of(item.master, "SUMMARY") else "",
        cancelled=text_of(part, "STATUS").upper() == "CANCELLED",
    )


def _unbounded(rule: Any) -> bool:
    if not isinstance(rule, dict):
        return True
    names = {str(key).upper() for key in rule}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    frequency: Any = rule.get("FREQ")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    spoken = str(frequency[0] if isinstance(frequency, list) and frequency else frequency).upper()  # pyright: ignore[reportUnknownArgumentType]
    return spoken in _DENSE or (spoken in _WALKED_BY_DAYS and bool(names & _NARROW))


def _moment(at: StoredTime | None) -> datetime:
    """A comparable instant; days and times without a zone count as UTC."""
    if at is None:
        return datetime.min.replace(tzinfo=UTC)
    value = at.value if isinstance(at.value, datetime) else datetime(at.value.year, at.value.month, at.value.day)  # noqa: DTZ001
    return value.astimezone(UTC) if value.tzinfo is not None else value.replace(tzinfo=UTC)
