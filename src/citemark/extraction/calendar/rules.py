"""Recurrence rules followed in a limited number of steps: whoever sends an invitation chooses the rule."""

from bisect import bisect_left, bisect_right
from collections.abc import Generator, Iterator, Mapping
from datetime import date, datetime
from functools import partial
from itertools import islice
from typing import Any, Self, cast

from dateutil.rrule import rrulestr
from recurring_ical_events.selection.name import ComponentsWithName
from recurring_ical_events.series.rrule import Series
from recurring_ical_events.util import compare_greater, convert_to_datetime

MOST_STEPS = 50_000
"""For one series and one question, a fraction of a second: daily dates for 65 years, or hourly ones for five."""

_MOST_A_DAY = 24
"""Dates of one rule on one day: one each hour."""

_MOST_VALUES = 62
"""Values in all lists of a rule: the days of two months. The library compares each day with each value."""

_FOLLOWED = frozenset({"DAILY", "WEEKLY", "MONTHLY", "YEARLY"})
_DAYS = {"DAILY": 1, "WEEKLY": 7}

_YEARLY_COST = 12
"""Steps that count for a year, each day of which is looked at: as many as for its months."""

_VALUES_A_STEP = 10
"""Values of a rule whose comparison takes about as long as a step without any."""

_DAYS_A_STEP = 31
"""Days of an interval that are skipped month by month, in as many steps."""

_SHOWN_COST = 10
"""Steps that count for a date within the days asked for: it is looked up, sorted and compared."""

_ZONE_DATES = 5
"""Dates of a time zone's rule that are looked at: no rule of a real zone matches more than once a year."""

_ZONE_STEPS = 100 * _YEARLY_COST
_ZONE_YEARS = 5_000
"""Years over all rules of a time zone: two rules from the year 1, where some programs let them begin."""

_ZONE_HORIZON = 2100

_REFUSED = (ValueError, TypeError, LookupError, AttributeError, OverflowError)
"""What the library raises for rules that contradict themselves."""


class TooManySteps(Exception):
    """A series was not followed to the dates asked for within its steps."""


class Steps:
    """The steps that are left."""

    def __init__(self, most: int = MOST_STEPS) -> None:
        self.left = most

    def take(self, count: int = 1) -> None:
        """Count steps.

        Raises:
            TooManySteps: there are none left.
        """
        self.left -= count
        if self.left < 0:
            raise TooManySteps


def refused(rule: Any) -> bool:
    """Tell whether a rule is not followed: it repeats within hours, too often a day, or has too many values."""
    if not isinstance(rule, dict):
        return True
    parts = {str(key).upper(): _list(value) for key, value in cast("dict[Any, Any]", rule).items()}
    a_day = 1
    for name in ("BYHOUR", "BYMINUTE", "BYSECOND"):
        a_day *= max(1, len(parts.get(name, ())))
    frequency = next((str(each).upper() for each in parts.get("FREQ", ())), "")
    return (
        frequency not in _FOLLOWED
        or a_day > _MOST_A_DAY
        or sum(map(len, parts.values())) > _MOST_VALUES
        or any(int(each) < 1 for each in parts.get("INTERVAL", ()))
    )


def counted_components(name: str, steps: Steps) -> ComponentsWithName:
    """Return what the library follows instead of its own components of a name, so that it takes steps."""
    return ComponentsWithName(name, series=cast("type[Series]", partial(_CountedSeries, steps=steps)))


def zone_is_followed(zone: Any) -> bool:
    """Tell whether a VTIMEZONE changes so seldom that its offsets can be looked up: each looks through all changes."""
    years = 0
    for part in zone.subcomponents:
        rules = _list(part.get("RRULE"))
        if "EXRULE" in part or any(refused(rule) for rule in rules):
            return False
        begin: Any = getattr(part.get("DTSTART"), "dt", None)
        if rules and not isinstance(begin, date):
            return False
        try:
            if not all(_yearly(rule.to_ical().decode(), begin) for rule in rules):
                return False
        except (TooManySteps, *_REFUSED):
            return False
        years += sum(max(1, _ZONE_HORIZON - begin.year) for _ in rules)
    return years <= _ZONE_YEARS


def _yearly(written: str, begin: date) -> bool:
    if _parts(written)["FREQ"] != "YEARLY":
        return False
    rule: Any = rrulestr(written, dtstart=datetime(begin.year, begin.month, begin.day), ignoretz=True)  # noqa: DTZ001
    counted: Iterator[datetime] = iter(_counted(rule, written, Steps(_ZONE_STEPS)))
    dates = list(islice(counted, _ZONE_DATES))
    return len(dates) < _ZONE_DATES or dates[-1].year - dates[0].year >= _ZONE_DATES - 1


class _Interval(int):
    """An interval that takes steps whenever the library adds it.

    A rule that looks for a date that does not exist, such as 30 February, does so up to the year 9999 without
    returning; this is the only thing of ours that it touches meanwhile.
    """

    def __new__(cls, value: int, steps: Steps, cost: int) -> Self:
        made = super().__new__(cls, value)
        made._steps, made._cost = steps, cost
        return made

    _steps: Steps
    _cost: int

    def __radd__(self, other: int) -> int:
        self._steps.take(self._cost)
        return other + int(self)

    def __mul__(self, other: int) -> int:
        self._steps.take(self._cost)
        return int(self) * other


def _counted(rule: Any, written: str, steps: Steps) -> Any:
    """Return a rule of the library with an interval that takes steps."""
    parts = _parts(written)
    frequency, interval = parts["FREQ"], int(parts.get("INTERVAL", "1"))
    positions = parts["BYSETPOS"].count(",") + 1 if "BYSETPOS" in parts else 0
    cost = (_YEARLY_COST if frequency == "YEARLY" else 1) * (1 + positions + written.count(",") // _VALUES_A_STEP)
    cost += _DAYS.get(frequency, 0) * interval // _DAYS_A_STEP
    steps.take(cost)
    return rule.replace(interval=_Interval(interval, steps, cost))


def _parts(written: str) -> Mapping[str, str]:
    pairs = (part.partition("=") for part in written.upper().split(";"))
    return {name: value for name, _, value in pairs}


def _list(value: Any) -> list[Any]:
    if value is None:
        return []
    return cast("list[Any]", value) if isinstance(value, list) else [value]


class _RuleDates:
    """The dates of a rule, worked out as far as they were asked for."""

    def __init__(self, rule: Any, steps: Steps) -> None:
        self._later: Iterator[datetime] = iter(rule)
        self._found: list[datetime] = []
        self._steps = steps

    def between(self, start: datetime, end: datetime) -> list[datetime]:
        """Return the dates between two moments, both included."""
        self._steps.take()
        while not self._found or self._found[-1] <= end:
            following = next(self._later, None)
            if following is None:
                break
            self._steps.take()
            self._found.append(following)
        dates = self._found[bisect_left(self._found, start) : bisect_right(self._found, end)]
        self._steps.take(_SHOWN_COST * len(dates))
        return dates


class _CountedRules(Series.RecurrenceRules):
    """The rules of a series, whose every date is a step."""

    def __init__(self, core: Any, steps: Steps) -> None:
        self._steps = steps
        super().__init__(core)
        rules = cast("list[Any]", self.rrules)
        self._dates = [(_RuleDates(rule, steps), rule.until) for rule in rules]

    def rrulestr(self, rule_string: str) -> Any:
        rule: Any = super().rrulestr(rule_string)  # pyright: ignore[reportUnknownMemberType]
        counted = _counted(rule, rule.string, self._steps)
        counted.string, counted.until = rule.string, rule.until
        return counted

    def rrule_between(self, span_start: Any, span_stop: Any) -> Generator[Any, None, None]:
        start, end = (convert_to_datetime(each, self.tzinfo) for each in (span_start, span_stop))
        for dates, until in self._dates:
            for each in dates.between(start, end):
                if until is None or not compare_greater(each, until):
                    yield each


class _CountedSeries(Series):
    def __init__(self, components: Any, steps: Steps) -> None:
        self._steps = steps
        super().__init__(components)

    def RecurrenceRules(self, core: Any) -> _CountedRules:  # noqa: N802  # pyright: ignore[reportIncompatibleVariableOverride] - the library's name
        return _CountedRules(core, self._steps)
