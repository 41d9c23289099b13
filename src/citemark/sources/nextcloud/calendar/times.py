"""Dates and times as they are stored: with their zone's name, dates as dates, and nothing turned into anything else."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, cast

from citemark.sources.nextcloud.calendar.components import Component, parameter_of, value_of
from citemark.sources.nextcloud.words import DAYS, MONTHS


@dataclass(frozen=True, slots=True)
class StoredTime:
    """A stored date or time. `zone` is its TZID as written, "UTC", or "" for a time that is local wherever one is."""

    value: date | datetime
    zone: str = ""

    @property
    def is_date(self) -> bool:
        """True for a day without a time."""
        return not isinstance(self.value, datetime)

    @property
    def stored(self) -> str:
        """ISO 8601 with the zone's name behind (RFC 9557): sortable, and as stored."""
        if not isinstance(self.value, datetime):
            return self.value.isoformat()
        zone = f"[{self.zone}]" if self.zone and self.zone != "UTC" else ""
        return f"{self.value.isoformat().replace('+00:00', 'Z')}{zone}"

    @property
    def day(self) -> str:
        """The day in words."""
        at = self.value
        return f"{DAYS[at.weekday()]} {at.day} {MONTHS[at.month - 1]} {at.year}"

    @property
    def clock(self) -> str:
        """The time of the day; "" for a date."""
        if not isinstance(self.value, datetime):
            return ""
        return f"{self.value:%H:%M:%S}" if self.value.second else f"{self.value:%H:%M}"

    @property
    def words(self) -> str:
        """Day, time and zone."""
        if self.is_date:
            return self.day
        return f"{self.day}, {self.clock} ({self.zone or 'local time, no zone stored'})"


def when(value: Any) -> StoredTime | None:
    """A property's value as a time; None for what is none."""
    at: Any = getattr(value, "dt", value)
    if isinstance(at, tuple):
        at = cast("tuple[Any, ...]", at)[0]
    if isinstance(at, datetime):
        zone = parameter_of(value, "TZID")
        if not zone and at.tzinfo is not None:
            # Without a TZID the stored form is "...Z"; an occurrence that was worked out knows its zone by name.
            zone = "UTC" if at.utcoffset() == timedelta(0) and str(at.tzinfo).upper() == "UTC" else str(at.tzinfo)
        return StoredTime(at, zone)
    return StoredTime(at) if isinstance(at, date) else None


def when_of(component: Component, name: str) -> StoredTime | None:
    """The time of a property."""
    value = value_of(component, name)
    return None if value is None else when(value)


def end_of(component: Component, *, name: str = "DTEND") -> StoredTime | None:
    """The stored end, or the start and the stored duration; None where neither is stored."""
    end = when_of(component, name)
    start = when_of(component, "DTSTART")
    length: Any = getattr(value_of(component, "DURATION"), "dt", None)
    if end is not None or start is None or not isinstance(length, timedelta):
        return end
    try:
        return StoredTime(_after(start.value, length), start.zone)
    except (OverflowError, ValueError):
        return None


def span_words(start: StoredTime, end: StoredTime | None) -> str:
    """Both ends in one phrase. The stored end of whole days is the day after the last one, and is told as the last."""
    if end is None:
        return start.words
    if start.is_date and end.is_date:
        last = StoredTime(end.value - timedelta(days=1)) if end.value > start.value else start
        return f"{start.day} (all day)" if last.value == start.value else f"{start.day} to {last.day} (all day)"
    if start.is_date or end.is_date:
        return f"{start.words} to {end.words}"
    if (start.day, start.zone) == (end.day, end.zone):
        return f"{start.day}, {start.clock} to {end.clock} ({start.zone or 'local time, no zone stored'})"
    return f"{start.words} to {end.words}"


def _after(start: date | datetime, length: timedelta) -> date | datetime:
    """A duration of hours is exact, over a change of the clocks too; one of whole days keeps the time of the day."""
    if not isinstance(start, datetime) or start.tzinfo is None or length % timedelta(days=1) == timedelta(0):
        return start + length
    return (start.astimezone(UTC) + length).astimezone(start.tzinfo)
