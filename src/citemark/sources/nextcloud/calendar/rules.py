"""A recurrence rule (RFC 5545, 3.3.10) in words."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, cast

from citemark.sources.nextcloud.calendar.components import Component, values_of
from citemark.sources.nextcloud.calendar.times import when
from citemark.sources.nextcloud.words import MONTHS

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


def rules_in_words(component: Component) -> list[str]:
    """Each rule of a component as a phrase, such as "every week on Monday and Friday until 24 December 2026"."""
    return [_rule(cast("Mapping[str, Any]", rule)) for rule in values_of(component, "RRULE") if isinstance(rule, dict)]


def written_rules(component: Component) -> list[str]:
    """Each rule in the notation of iCalendar, its parts in the order of the library."""
    written: list[str] = []
    for rule in values_of(component, "RRULE"):
        made: Any = rule.to_ical() if hasattr(rule, "to_ical") else str(rule)
        written.append(made.decode("utf-8", "replace") if isinstance(made, bytes) else str(made))
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
        told = [
            f"the {_nth(number)} {name}" if number else f"every {name}"
            for number, name in zip(numbered, names, strict=True)
        ]
        return f"{_listed(told)}{_within('MONTHLY' if _all(rule, 'BYMONTH') else frequency)}"
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
    told: list[str] = []
    for name, words in (("BYWEEKNO", "in week"), ("BYYEARDAY", "on day of the year"), ("BYHOUR", "at hour"),
                        ("BYMINUTE", "at minute"), ("BYSECOND", "at second")):  # fmt: skip
        values = [str(each) for each in _all(rule, name)]
        if values:
            told.append(f"{words} {_listed(values)}")
    return " ".join(told)


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
