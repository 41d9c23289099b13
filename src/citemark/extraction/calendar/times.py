"""Dates, times and recurrence rules as they are stored, and in words; nothing is converted to another zone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType
from typing import Any, cast

from citemark.extraction.calendar.components import Component, as_written, parameter_of, value_of, values_of
from citemark.extraction.english_names import DAYS, MONTHS

_UNITS = MappingProxyType(
    {"SECONDLY": "second", "MINUTELY": "minute", "HOURLY": "hour", "DAILY": "day", "WEEKLY": "week",
     "MONTHLY": "month", "YEARLY": "year"}
)  # fmt: skip

_DAYS = MappingProxyType(
    {"MO": "Monday", "TU": "Tuesday", "WE": "Wednesday", "TH": "Thursday", "FR": "Friday", "SA": "Saturday",
     "SU": "Sunday"}
)  # fmt: skip

_WORKDAYS = {"MO", "TU", "WE", "TH", "FR"}
_ORDINALS = MappingProxyType({1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth"})
_TEENS = range(11, 14)


@dataclass(frozen=True, slots=True)
class StoredTime:
    """A stored date or time. `zone` is its TZID as written, "UTC", or "" for local time wherever the reader is."""

    value: date | datetime
    zone: str = ""

    @property
    def is_date(self) -> bool:
        """True for a day without a time."""
        return not isinstance(self.value, datetime)

    @property
    def stored(self) -> str:
        """ISO 8601 followed by the zone's name (RFC 9557): sortable, and as stored."""
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
        """The time of day; "" for a date."""
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
    """Read a property's value as a time; None for anything else."""
    at: Any = getattr(value, "dt", value)
    if isinstance(at, tuple):
        at = cast("tuple[Any, ...]", at)[0]
    if isinstance(at, datetime):
        at = existing(at)
        zone = parameter_of(value, "TZID")
        if not zone and at.tzinfo is not None:
            # Without a TZID the stored form is "...Z"; an occurrence that was worked out knows its zone by name.
            zone = "UTC" if at.utcoffset() == timedelta(0) and str(at.tzinfo).upper() == "UTC" else str(at.tzinfo)
        return StoredTime(at, zone)
    return StoredTime(at) if isinstance(at, date) else None


def existing(at: datetime) -> datetime:
    """The moment as clocks show it: a time that a change of clocks skips is an hour later (RFC 5545, 3.3.5)."""
    if at.tzinfo is None:
        return at
    shown = at.astimezone(UTC).astimezone(at.tzinfo)
    return shown if shown.replace(tzinfo=None) != at.replace(tzinfo=None) else at


def when_of(component: Component, name: str) -> StoredTime | None:
    """Return the time of a property."""
    value = value_of(component, name)
    return None if value is None else when(value)


def end_of(component: Component, *, name: str = "DTEND") -> StoredTime | None:
    """Return the stored end, or start plus stored duration; None if neither is stored."""
    end = when_of(component, name)
    start = when_of(component, "DTSTART")
    length: Any = getattr(value_of(component, "DURATION"), "dt", None)
    if end is not None or start is None or not isinstance(length, timedelta):
        return _behind(component, start, end, name)
    try:
        return StoredTime(_after(start.value, length), start.zone)
    except (OverflowError, ValueError):
        return None


def _behind(component: Component, start: StoredTime | None, end: StoredTime | None, name: str) -> StoredTime | None:
    """The stored end, moved with a start that a change of clocks skips, so that the length stays."""
    stored: Any = getattr(value_of(component, "DTSTART"), "dt", None)
    until: Any = getattr(value_of(component, name), "dt", None)
    moved = start is not None and isinstance(stored, datetime) and stored.replace(tzinfo=None) != _naive(start.value)
    if start is None or end is None or not moved or not isinstance(until, datetime):
        return end
    if (until.tzinfo is None) != (stored.tzinfo is None) or until.tzinfo != stored.tzinfo:
        return end
    return StoredTime(_after(start.value, until - stored), end.zone)


def _naive(value: date | datetime) -> date | datetime:
    return value.replace(tzinfo=None) if isinstance(value, datetime) else value


def when_words(component: Component) -> str:
    """When a component takes place; a time that cannot be read is shown as it is written."""
    start, end = when_of(component, "DTSTART"), end_of(component)
    begins = _written(component, "DTSTART")
    ends, lasts = _written(component, "DTEND"), _written(component, "DURATION")
    if start is not None:
        begins, end = span_words(start, end), None
    until = ends or (end.words if end is not None else "")
    parts = [begins, f"until {until}" if until else "", f"for {lasts}" if lasts else ""]
    return ", ".join(filter(None, parts))


def due_words(component: Component) -> str:
    """When a to-do is due; a time that cannot be read is shown as it is written."""
    due = when_of(component, "DUE") or (end_of(component, name="DUE") if component.name == "VTODO" else None)
    return due.words if due is not None else _written(component, "DUE")


def _written(component: Component, name: str) -> str:
    written = as_written(component, name)
    return f'"{written}" (as it is written)' if written else ""


def span_words(start: StoredTime, end: StoredTime | None) -> str:
    """Describe both ends in one phrase. Whole days are stored with the day after the last as end; the last is named."""
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
    """Add a duration. Hours are exact across clock changes; whole days keep the time of day."""
    if not isinstance(start, datetime) or start.tzinfo is None or length % timedelta(days=1) == timedelta(0):
        return start + length
    return (start.astimezone(UTC) + length).astimezone(start.tzinfo)


def rules_in_words(component: Component) -> list[str]:
    """Describe each rule of a component, such as "every week on Monday and Friday until 24 December 2026"."""
    return [_rule(cast("Mapping[str, Any]", rule)) for rule in values_of(component, "RRULE") if isinstance(rule, dict)]


def written_rules(component: Component) -> list[str]:
    """Return each rule in iCalendar notation, its parts in the library's order."""
    written: list[str] = []
    for rule in values_of(component, "RRULE"):
        notation: Any = rule.to_ical() if hasattr(rule, "to_ical") else str(rule)
        written.append(notation.decode("utf-8", "replace") if isinstance(notation, bytes) else str(notation))
    return written


def _rule(rule: Mapping[str, Any]) -> str:
    frequency = str(_first(rule, "FREQ") or "").upper()
    unit = _UNITS.get(frequency)
    if unit is None:
        return "by a rule that names no known frequency"
    interval = _number(_first(rule, "INTERVAL")) or 1
    parts = [f"every {unit}" if interval == 1 else f"every {interval} {unit}s"]
    days = [str(day).upper() for day in _all(rule, "BYDAY")]
    if frequency == "WEEKLY" and interval == 1 and set(days) == _WORKDAYS:
        parts = ["every weekday (Monday to Friday)"]
    elif days:
        parts.append(f"on {_days(days, rule, frequency)}")
    parts += [words for words in (_month_days(rule), _months(rule), _others(rule)) if words]
    count, until = _number(_first(rule, "COUNT")), when(_first(rule, "UNTIL"))
    if count:
        parts.append("once" if count == 1 else f"{count} times")
    if until is not None:
        parts.append(f"until {until.words}")
    return " ".join(parts)


def _days(days: Sequence[str], rule: Mapping[str, Any], frequency: str) -> str:
    positions = [_number(each) for each in _all(rule, "BYSETPOS")]
    names = [_DAYS.get(day[-2:], day) for day in days]
    if positions:
        chosen = _listed([_nth(position) for position in positions if position])
        group = "weekday" if set(days) == _WORKDAYS else "day" if len(set(days)) == len(_DAYS) else _listed(names, "or")
        return f"the {chosen} {group}{_within(frequency)}"
    numbered = [_number(day[:-2]) for day in days]
    if any(numbered):
        days_text = [
            f"the {_nth(number)} {name}" if number else f"every {name}"
            for number, name in zip(numbered, names, strict=True)
        ]
        return f"{_listed(days_text)}{_within('MONTHLY' if _all(rule, 'BYMONTH') else frequency)}"
    return _listed(names)


def _within(frequency: str) -> str:
    return {"MONTHLY": " of the month", "YEARLY": " of the year"}.get(frequency, "")


def _month_days(rule: Mapping[str, Any]) -> str:
    days = [number for each in _all(rule, "BYMONTHDAY") if (number := _number(each))]
    if not days:
        return ""
    return (
        "on "
        + _listed(
            [f"day {day}" if day > 0 else "the last day" if day == -1 else f"the {_nth(day)} day" for day in days]
        )
        + " of the month"
    )


def _months(rule: Mapping[str, Any]) -> str:
    numbers = [_number(each) for each in _all(rule, "BYMONTH")]
    names = [MONTHS[number - 1] for number in numbers if number and 1 <= number <= len(MONTHS)]
    return f"in {_listed(names)}" if names else ""


def _others(rule: Mapping[str, Any]) -> str:
    parts: list[str] = []
    for name, words in (("BYWEEKNO", "in week"), ("BYYEARDAY", "on day of the year"), ("BYHOUR", "at hour"),
                        ("BYMINUTE", "at minute"), ("BYSECOND", "at second")):  # fmt: skip
        values = [str(each) for each in _all(rule, name)]
        if values:
            parts.append(f"{words} {_listed(values)}")
    return " ".join(parts)


def _nth(number: int) -> str:
    if number < 0:
        return "last" if number == -1 else f"{_nth(-number)} to last"
    if number in _ORDINALS:
        return _ORDINALS[number]
    ending = "th" if number % 100 in _TEENS else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _listed(parts: Sequence[str], word: str = "and") -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {word} {parts[-1]}" if parts else ""


def _all(rule: Mapping[str, Any], name: str) -> list[Any]:
    value = rule.get(name)
    if value is None:
        return []
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def _first(rule: Mapping[str, Any], name: str) -> Any | None:
    return next(iter(_all(rule, name)), None)


def _number(value: Any) -> int | None:
    try:
        return int(value)
    except (TypeError, ValueError):
        return None
