"""The days on which something that repeats takes place, as filters compare them."""

import re
from datetime import date, timedelta

from citemark.extraction.calendar.components import CalendarEntry, values_of
from citemark.extraction.calendar.occurrences import Occurrence, all_occurrences, local_time
from citemark.extraction.calendar.times import written_rules
from citemark.model.stated_dates import DayRange, StatedDates, days_of

MOST_DATES = 120
"""Two years of weekly dates; working out one takes about half a millisecond."""

_BOUNDED = re.compile(r"\b(?:UNTIL|COUNT)=")
_UNTIL = re.compile(r"\bUNTIL=(\d{4})-?(\d\d)-?(\d\d)")
_DAY = timedelta(days=1)
_MOMENT = timedelta(microseconds=1)


def series_days(item: CalendarEntry, name: str, dates: StatedDates) -> tuple[DayRange, ...]:
    """The days of an event or to-do: exactly those of its dates if these end and are few, else all days between.

    What has no end has no last day. Who shows it asks the series itself whether it has a date in the days in question.

    Args:
        item: the entry.
        name: VEVENT or VTODO.
        dates: what it states; without a series if its dates cannot be computed.
    """
    rules = list(filter(None, written_rules(item.master)))
    if dates.series and all(map(_BOUNDED.search, rules)):
        found = all_occurrences(item, name, MOST_DATES + 1)
        if found is not None and len(found) <= MOST_DATES:
            return tuple(dict.fromkeys(filter(None, map(_days_of, found))))
    if dates.series and _irregular(item):
        return (DayRange(None, None),)
    stated = days_of(dates)
    if not rules or not stated:
        return stated
    first, last = stated[0].first, _last_day(rules)
    length = timedelta() if first is None or stated[0].last is None else stated[0].last - first
    return (DayRange(first, None if last is None or first is None else max(first, last) + length),)


def _days_of(date_of_series: Occurrence) -> DayRange | None:
    """The days of one date by its own clock; what ends at midnight does not last into the next day."""
    begins = local_time(date_of_series.start.value)
    ends = begins if date_of_series.end is None else local_time(date_of_series.end.value)
    if begins is None or ends is None:
        return None
    return DayRange(begins.date(), max(begins, ends - _MOMENT).date())


def _irregular(item: CalendarEntry) -> bool:
    """Whether it has dates that its rules do not give, which may be earlier or later than those of the rules."""
    return bool(item.overrides or values_of(item.master, "RDATE"))


def _last_day(rules: list[str]) -> date | None:
    """The last day on which a date of the rules may begin; None if they name none.

    The moment until which a rule repeats is in UTC: elsewhere it may already be the day after.
    """
    found = [match for rule in rules if (match := _UNTIL.search(rule)) is not None]
    try:
        days = [date(int(year), int(month), int(day)) for year, month, day in (match.groups() for match in found)]
        return max(days) + _DAY if len(days) == len(rules) else None
    except (ValueError, OverflowError):
        return None
