"""What repeats, kept beside its text: as little iCalendar as tells its dates, for questions that name days."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import available_timezones

from icalendar import Calendar, Event, Todo

from citemark.model.errors import SkippableSourceError
from citemark.sources.nextcloud.calendar.components import (
    CalendarEntry,
    Component,
    parameter_of,
    parse_entry,
    values_of,
)
from citemark.sources.nextcloud.calendar.occurrences import Occurrence, next_occurrences, occurrences_between
from citemark.sources.nextcloud.calendar.times import when_of

SERIES = "Series"
"""The key of a document's metadata that holds it; it is for machines, and no reader sees it."""

_KEPT = (
    "UID", "DTSTART", "DTEND", "DUE", "DURATION", "RRULE", "RDATE", "EXDATE", "RECURRENCE-ID", "STATUS", "SUMMARY",
)  # fmt: skip
_LONGEST = 8_000
"""Characters: some hundred dates that were set by hand; of a longer series only the rule is told."""

_YEARS = timedelta(days=9 * 366)
_FIRST = timedelta(days=92)


def series_of(item: CalendarEntry, name: str, now: datetime) -> str:
    """The series of an event or to-do as iCalendar; "" for what does not repeat, or whose dates cannot be worked out.

    A rule that never comes true and has no end would be followed to the year 9999 by each question: it is not kept.
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
    """The first dates of a series, at most so many, that overlap the days from `first` to before `last`.

    Both are local, without a zone; None leaves that side open. None when the dates cannot be worked out.
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
    """Whether a series that is over came true more often than at its start."""
    begins = when_of(item.master, "DTSTART") or when_of(item.master, "DUE")
    start = None if begins is None else _local(begins.value)
    found = None if start is None else occurrences_between(item, name, start, start + _YEARS)
    return found is not None and len(found) > 1


def _overlaps(each: Occurrence, first: datetime | None, last: datetime | None) -> bool:
    """Whether a date lies in the days, by the clock of its own zone; whole days end with the day after the last."""
    begins = _local(each.start.value)
    ends = _local(each.end.value) if each.end is not None else begins
    if begins is None or ends is None:
        return False
    return (last is None or begins < last) and (first is None or ends > first or begins >= first)


def _local(value: Any) -> datetime | None:
    """A date or time by its own clock."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    return None if value is None else datetime(value.year, value.month, value.day)  # noqa: DTZ001 - local by intent


def _times(part: Component) -> Sequence[Any]:
    return [value for key in _KEPT for value in values_of(part, key)]
