"""The dates of what repeats: the next ones for texts, and a compact series for questions that name days."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import available_timezones

import recurring_ical_events as recurring
from icalendar import Calendar, Event, Todo

from citemark.model.errors import SkippableSourceError
from citemark.sources.nextcloud.calendar.components import (
    CalendarEntry,
    Component,
    parameter_of,
    parse_entry,
    text_of,
    values_of,
)
from citemark.sources.nextcloud.calendar.times import StoredTime, end_of, when_of

MOST = 10
"""Dates that a text lists: ten weeks of a weekly meeting."""

_WINDOWS = (timedelta(days=92), timedelta(days=366), timedelta(days=9 * 366))
"""How far to look ahead while too few dates are found; the last window includes two leap days."""

_DENSE = frozenset({"SECONDLY", "MINUTELY", "HOURLY"})
_NARROW = frozenset({"BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYSETPOS"})
_WALKED_BY_DAYS = frozenset({"DAILY", "WEEKLY"})


SERIES = "Series"
"""Key of the metadata that holds a series. It is for programs; readers do not see it."""

_KEPT = (
    "UID", "DTSTART", "DTEND", "DUE", "DURATION", "RRULE", "RDATE", "EXDATE", "RECURRENCE-ID", "STATUS", "SUMMARY",
)  # fmt: skip

_LONGEST = 8_000
"""Characters: about a hundred dates set by hand. Of longer series, the text only gives the rule."""

_YEARS = timedelta(days=9 * 366)
"""How far a series without an end is followed."""

_FIRST = timedelta(days=92)
"""The first window of days that is searched; each further one is four times as long."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One date of a series; `changed` if it was set by hand, `summary` its own title then."""

    start: StoredTime
    end: StoredTime | None
    changed: bool
    summary: str
    cancelled: bool


def next_occurrences(item: CalendarEntry, name: str, now: datetime) -> list[Occurrence] | None:
    """Return the next dates from `now` on, at most MOST; None if they cannot be computed within bounds.

    EXDATE, RDATE, overrides and clock changes are the library's work. Rules that repeat several times a day are not
    followed, nor rules that may walk day by day to the year 9999 in search of a date that does not exist.
    """
    found: list[Occurrence] | None = []
    for window in _WINDOWS:
        found = occurrences_between(item, name, now, now + window)
        if found is None or len(found) >= MOST:
            break
    return None if found is None else found[:MOST]


def occurrences_between(item: CalendarEntry, name: str, start: datetime, end: datetime) -> list[Occurrence] | None:
    """Return all dates from `start` to before `end`, in order; None if they cannot be computed within bounds."""
    if any(_unbounded(rule) for part in (item.master, *item.overrides) for rule in values_of(part, "RRULE")):
        return None
    try:
        query = recurring.of(item.calendar, components=[name], keep_recurrence_attributes=True)
        found: list[Component] = query.between(start, end)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError, AssertionError):
        # Stored rules can contradict themselves in countless ways; the text then has the rule without dates.
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
    name = str(frequency[0] if isinstance(frequency, list) and frequency else frequency).upper()  # pyright: ignore[reportUnknownArgumentType]
    return name in _DENSE or (name in _WALKED_BY_DAYS and bool(names & _NARROW))


def _moment(at: StoredTime | None) -> datetime:
    """Return a comparable instant; days and times without a zone count as UTC."""
    if at is None:
        return datetime.min.replace(tzinfo=UTC)
    value = at.value if isinstance(at.value, datetime) else datetime(at.value.year, at.value.month, at.value.day)  # noqa: DTZ001
    return value.astimezone(UTC) if value.tzinfo is not None else value.replace(tzinfo=UTC)


def series_of(item: CalendarEntry, name: str, now: datetime) -> str:
    """Return the series of an event or to-do as iCalendar; "" if it does not repeat, or its dates cannot be computed.

    A rule without an end that never matches a date is not kept: each query would follow it to the year 9999.
    """
    rules = values_of(item.master, "RRULE")
    if not rules and not values_of(item.master, "RDATE"):
        return ""
    if any("UNTIL" not in rule for rule in rules) and not (next_occurrences(item, name, now) or _repeated(item, name)):
        return ""
    calendar = Calendar()
    zones = {parameter_of(value, "TZID") for part in (item.master, *item.overrides) for value in _times(part)}
    for part in item.calendar.subcomponents:
        if part.name == "VTIMEZONE" and str(part.get("TZID")) in zones - available_timezones():
            calendar.add_component(part)
    for part in (item.master, *item.overrides):
        kept: Component = Event() if name == "VEVENT" else Todo()
        for key in _KEPT:
            for value in values_of(part, key):
                kept.add(key, value, encode=False)
        calendar.add_component(kept)
    written = calendar.to_ical().decode("utf-8", "replace")
    return written if len(written) <= _LONGEST else ""


def dates_within(series: str, first: datetime | None, last: datetime | None, most: int) -> list[Occurrence] | None:
    """Return the first dates of a series that overlap the days from `first` to before `last`.

    Args:
        series: as made by `series_of`.
        first: local, without a zone; None for no lower bound.
        last: local, without a zone; None for no upper bound.
        most: number of dates.

    Returns:
        The dates in order; None if they cannot be computed.
    """
    name = "VTODO" if "BEGIN:VTODO" in series else "VEVENT"
    try:
        item = parse_entry(series, name)
    except SkippableSourceError:
        return None
    begins = values_of(item.master, "DTSTART") or values_of(item.master, "DUE")
    start = first or _local(begins[0].dt if begins else None)
    if start is None:
        return None
    end = last or start + _YEARS
    found: list[Occurrence] = []
    window = _FIRST
    while start < end and len(found) < most:
        until = min(end, start + window)
        some = occurrences_between(item, name, start, until)
        if some is None:
            return None
        found += [each for each in some if each not in found and _overlaps(each, first, last)]
        start, window = until, 4 * window
    return found[:most]


def _repeated(item: CalendarEntry, name: str) -> bool:
    """Tell whether a series that is over occurred more than once."""
    begins = when_of(item.master, "DTSTART") or when_of(item.master, "DUE")
    start = None if begins is None else _local(begins.value)
    found = None if start is None else occurrences_between(item, name, start, start + _YEARS)
    return found is not None and len(found) > 1


def _overlaps(each: Occurrence, first: datetime | None, last: datetime | None) -> bool:
    """Tell whether a date overlaps the days, by its own zone's clock; whole days end with the day after the last."""
    begins = _local(each.start.value)
    ends = _local(each.end.value) if each.end is not None else begins
    if begins is None or ends is None:
        return False
    return (last is None or begins < last) and (first is None or ends > first or begins >= first)


def _local(value: Any) -> datetime | None:
    """Return a date or time by its own clock."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    return None if value is None else datetime(value.year, value.month, value.day)  # noqa: DTZ001 - local by intent


def _times(part: Component) -> Sequence[Any]:
    return [value for key in _KEPT for value in values_of(part, key)]
