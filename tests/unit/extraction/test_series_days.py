"""On which days something that repeats takes place, as filters compare them."""

from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise

import pytest
from tests.nextcloud.pim.texts import event, todo

from citemark.extraction.calendar.occurrences import dates_within
from citemark.extraction.calendar.series_days import MOST_DATES
from citemark.features.nextcloud.source.calendar.reader import CalendarReader
from citemark.features.nextcloud.source.dav.kinds import (
    ResourceLocation,
    ResourceText,
    resource_text_from_json,
    resource_text_to_json,
)
from citemark.model.ids import NativeId
from citemark.model.stated_dates import DayRange

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
PLACE = ResourceLocation("/dav/calendars/alice/work/a.ics", "/dav/calendars/alice/work/", "Work")
FIRST = date(2026, 1, 5)


def read(data: str) -> ResourceText:
    return CalendarReader("https://cloud.example", lambda: NOW)(data, NativeId("x"), PLACE)


def mondays(*extra: str, minutes: int = 60, start: str = "20260105T100000") -> str:
    """An event that begins on Monday, 5 January 2026."""
    return event("e", "Weekly", start=start, zone="Europe/Berlin", minutes=minutes, extra=extra)


def moved_to(day: str) -> str:
    """An event on four Mondays, the second of which was moved."""
    override = (
        "BEGIN:VEVENT\r\nUID:e\r\nRECURRENCE-ID;TZID=Europe/Berlin:20260112T100000\r\nDTSTAMP:20261101T080000Z\r\n"
        f"DTSTART;TZID=Europe/Berlin:{day}T150000\r\nSUMMARY:With guests\r\nEND:VEVENT\r\n"
    )
    return mondays("RRULE:FREQ=WEEKLY;COUNT=4").replace("END:VCALENDAR", f"{override}END:VCALENDAR")


def days(data: str) -> list[tuple[str, str]]:
    return [(str(each.first or ""), str(each.last or "")) for each in read(data).days]


def single(*found: str) -> list[tuple[str, str]]:
    return [(day, day) for day in found]


@pytest.mark.requirement("days-and-labels-are-columns")
def test_the_days_of_a_series_that_ends_are_those_of_its_dates() -> None:
    assert days(mondays("RRULE:FREQ=WEEKLY;COUNT=3")) == single("2026-01-05", "2026-01-12", "2026-01-19")
    extra = "RDATE;TZID=Europe/Berlin:20250701T100000", "EXDATE;TZID=Europe/Berlin:20260112T100000"
    assert days(mondays("RRULE:FREQ=WEEKLY;COUNT=3", *extra)) == single("2025-07-01", "2026-01-05", "2026-01-19")
    assert days(mondays("RDATE;VALUE=PERIOD:20260301T100000Z/PT1H")) == single("2026-01-05", "2026-03-01")
    assert days(moved_to("20251231")) == single("2025-12-31", "2026-01-05", "2026-01-19", "2026-01-26")
    nights = mondays("RRULE:FREQ=WEEKLY;UNTIL=20260113T000000Z", start="20260105T230000", minutes=120)
    assert days(nights) == [("2026-01-05", "2026-01-06"), ("2026-01-12", "2026-01-13")]
    until_midnight = mondays("RRULE:FREQ=WEEKLY;COUNT=2", start="20260105T230000")
    assert days(until_midnight) == single("2026-01-05", "2026-01-12")


@pytest.mark.requirement("days-and-labels-are-columns")
def test_a_series_without_an_end_or_with_too_many_dates_has_all_days_between() -> None:
    assert days(mondays("RRULE:FREQ=WEEKLY")) == [("2026-01-05", "")]
    assert days(mondays("RRULE:FREQ=WEEKLY", "RDATE;TZID=Europe/Berlin:20250701T100000")) == [("", "")]
    assert days(mondays(f"RRULE:FREQ=DAILY;COUNT={MOST_DATES + 1}")) == [("2026-01-05", "")]
    assert days(mondays("RRULE:FREQ=DAILY;UNTIL=20261231T230000Z")) == [("2026-01-05", "2027-01-01")]
    assert days(mondays("RRULE:FREQ=DAILY;UNTIL=20261231T230000Z", minutes=48 * 60)) == [("2026-01-05", "2027-01-03")]


def test_a_rule_that_is_not_followed_lasts_until_the_day_that_it_names() -> None:
    hourly = "RRULE:FREQ=HOURLY;UNTIL="
    assert days(mondays(f"{hourly}20260301T000000Z")) == [("2026-01-05", "2026-03-02")]
    assert days(mondays(f"{hourly}20250301T000000Z")) == single("2026-01-05")
    assert days(mondays(f"{hourly}99991231T000000Z")) == [("2026-01-05", "")]
    assert days(mondays("RRULE:FREQ=HOURLY")) == [("2026-01-05", "")]


def test_entries_state_their_days_and_labels_across_processes() -> None:
    task = read(
        todo("t", "Task", due="20261224T120000Z", extra=["DTSTART:20261220T120000Z", "CATEGORIES:Harbour,legal"])
    )
    assert task.days == (DayRange(date(2026, 12, 20), date(2026, 12, 24)),)
    assert task.labels == ("Harbour", "legal")
    assert resource_text_from_json(resource_text_to_json(task)) == task
    endless = read(mondays("RRULE:FREQ=WEEKLY"))
    assert resource_text_from_json(resource_text_to_json(endless)) == endless
    undated = read(todo("t", "Someday"))
    assert (undated.dates, undated.days) == (None, ())


@pytest.mark.parametrize(
    "extra",
    [
        ("RRULE:FREQ=WEEKLY",),
        ("RRULE:FREQ=WEEKLY;COUNT=30", "RDATE;TZID=Europe/Berlin:20251101T233000"),
        ("RRULE:FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20270301T000000Z",),
        ("RRULE:FREQ=DAILY;UNTIL=20260901T000000Z",),
    ],
)
@pytest.mark.requirement("days-and-labels-are-columns")
def test_no_day_with_a_date_is_missing(extra: tuple[str, ...]) -> None:
    found = read(mondays(*extra, start="20260105T233000", minutes=90))
    assert found.dates is not None
    asked = [FIRST + timedelta(days=number) for number in range(-90, 500, 7)]
    for first, last in pairwise(asked):
        begin, end = datetime.combine(first, time.min), datetime.combine(last, time.min)
        if dates_within(found.dates.series, begin, end, 1):
            within = [each for each in found.days if (each.first or first) < last and (each.last or last) >= first]
            assert within, f"there is a date from {first} on"
