"""The dates of what repeats: the next ones for texts, and a compact series for questions that name days."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, cast
from zoneinfo import available_timezones

import recurring_ical_events as recurring
from icalendar import Calendar, Event, Todo

from citemark.extraction.calendar.components import (
    CalendarEntry,
    Component,
    parameter_of,
    parse_entry,
    text_of,
    values_of,
)
from citemark.extraction.calendar.rules import Steps, TooManySteps, counted_components, refused
from citemark.extraction.calendar.times import StoredTime, end_of, when_of
from citemark.model.errors import SkippableSourceError

MOST = 10
"""Dates that a text lists: ten weeks of a weekly meeting."""

_KEPT = (
    "UID", "DTSTART", "DTEND", "DUE", "DURATION", "RRULE", "RDATE", "EXDATE", "RECURRENCE-ID", "STATUS", "SUMMARY",
)  # fmt: skip

_LONGEST = 8_000
"""Characters: about a hundred dates set by hand. Of longer series, the text only gives the rule."""

_YEARS = timedelta(days=9 * 366)
"""How far a series without an end is followed; it includes two leap days."""

_FIRST = timedelta(days=31)
"""The first window of days that is searched; each further one is four times as long."""

_ZONES = timedelta(days=2)
"""More than two zones' clocks differ by."""

_LATEST = datetime(9999, 12, 1)  # noqa: DTZ001 - compared with local times, and with moments in UTC
"""Where searching ends: a month before the last day, so that no zone and no duration leads beyond it."""


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

    EXDATE, RDATE, overrides and clock changes are the library's work. Rules that repeat within hours or too often a
    day are not followed, nor rules that look too long for a date, which may not exist.
    """
    return _first_occurrences(item, name, now, _later(now, _YEARS), MOST)


def _first_occurrences(
    item: CalendarEntry,
    name: str,
    start: datetime,
    end: datetime,
    most: int,
    keep: Callable[[Occurrence], bool] = lambda _: True,
) -> list[Occurrence] | None:
    """Return the first dates from `start` to before `end`, in order; None if they cannot be computed within bounds."""
    if any(refused(rule) for part in (item.master, *item.overrides) for rule in values_of(part, "RRULE")):
        return None
    try:
        return list(islice(filter(keep, _occurrences(item, name, start, end)), most))
    except TooManySteps:
        return None
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError, AssertionError):
        # Stored rules can contradict themselves in countless ways; the text then has the rule without dates.
        return None


def _occurrences(item: CalendarEntry, name: str, start: datetime, end: datetime) -> Iterator[Occurrence]:
    """Yield all dates from `start` to before `end`, in order, looking no further ahead than they are asked for."""
    steps = Steps()
    query = recurring.of(item.calendar, components=[counted_components(name, steps)])
    overridden = {_moment(when_of(part, "RECURRENCE-ID")) for part in item.overrides}
    seen: set[Occurrence] = set()
    window = _FIRST
    while start < end:
        until = min(end, _later(start, window))
        found = [each for series in query.series for each in series.between(start, until)]
        for each in sorted(found, key=lambda each: _moment(StoredTime(each.start))):
            occurrence = _occurrence(each.as_component(keep_recurrence_attributes=True), item, overridden)
            if occurrence is not None and occurrence not in seen:
                seen.add(occurrence)
                yield occurrence
        start, window = until, 4 * window


def _later(start: datetime, by: timedelta) -> datetime:
    """Add a duration, up to the last moment that is searched."""
    latest = _LATEST.replace(tzinfo=start.tzinfo)
    return max(start, latest) if latest - start < by else start + by


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


def _moment(at: StoredTime | None) -> datetime:
    """Return a comparable instant; days and times without a zone count as UTC."""
    if at is None:
        return datetime.min.replace(tzinfo=UTC)
    value = at.value if isinstance(at.value, datetime) else datetime(at.value.year, at.value.month, at.value.day)  # noqa: DTZ001
    return value.astimezone(UTC) if value.tzinfo is not None else value.replace(tzinfo=UTC)


def series_of(item: CalendarEntry, name: str, now: datetime) -> str:
    """Return the series of an event or to-do as iCalendar; "" if it does not repeat, or its dates cannot be computed.

    A rule without an end that never matches a date is not kept.
    """
    rules = values_of(item.master, "RRULE")
    if not rules and not values_of(item.master, "RDATE"):
        return ""
    following = next_occurrences(item, name, now)
    if following is None:
        return ""
    if not following and any("UNTIL" not in rule for rule in rules) and not _repeated(item, name):
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
        The dates in order; None if they cannot be computed in a limited number of steps.
    """
    name = "VTODO" if "BEGIN:VTODO" in series else "VEVENT"
    try:
        item = parse_entry(series, name)
    except SkippableSourceError:
        return None
    begins = values_of(item.master, "DTSTART") or values_of(item.master, "DUE")
    start = first or local_time(begins[0].dt if begins else None)
    if start is None:
        return None
    end = last or _later(start, _YEARS)
    return _first_occurrences(item, name, start, end, most, lambda each: _overlaps(each, first, last))


def all_occurrences(item: CalendarEntry, name: str, most: int) -> list[Occurrence] | None:
    """Return the first dates of a series that ends, also those before the first one of its rules.

    Returns:
        At most `most` dates in order; None if they cannot be computed in a limited number of steps.
    """
    parts = (item.master, *item.overrides)
    lists = [value for key in ("DTSTART", "DUE", "RDATE") for part in parts for value in values_of(part, key)]
    begins = [local_time(_begin(value)) for each in lists for value in getattr(each, "dts", (each,))]
    earliest = min((each for each in begins if each is not None), default=None)
    if earliest is None:
        return None
    start = max(earliest, datetime.min + _ZONES) - _ZONES  # noqa: DTZ901 - local by intent
    return _first_occurrences(item, name, start, _LATEST, most)


def _begin(value: Any) -> Any:
    """Return the begin of a stored time or period."""
    at: Any = getattr(value, "dt", None)
    return cast("tuple[Any, ...]", at)[0] if isinstance(at, tuple) else at


def _repeated(item: CalendarEntry, name: str) -> bool:
    """Tell whether a series that is over occurred more than once."""
    begins = when_of(item.master, "DTSTART") or when_of(item.master, "DUE")
    start = None if begins is None else local_time(begins.value)
    found = None if start is None else _first_occurrences(item, name, start, _later(start, _YEARS), 2)
    return found is not None and len(found) > 1


def _overlaps(each: Occurrence, first: datetime | None, last: datetime | None) -> bool:
    """Tell whether a date overlaps the days, by its own zone's clock; whole days end with the day after the last."""
    begins = local_time(each.start.value)
    ends = local_time(each.end.value) if each.end is not None else begins
    if begins is None or ends is None:
        return False
    return (last is None or begins < last) and (first is None or ends > first or begins >= first)


def local_time(value: Any) -> datetime | None:
    """Return a date or time by its own clock."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    return None if value is None else datetime(value.year, value.month, value.day)  # noqa: DTZ001 - local by intent


def _times(part: Component) -> Sequence[Any]:
    return [value for key in _KEPT for value in values_of(part, key)]
