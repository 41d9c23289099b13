"""What is kept of an entry that repeats, and which of its dates lie in some days."""

from datetime import UTC, datetime

import pytest
from tests.nextcloud.pim.texts import event, todo

from citemark.model.ids import NativeId
from citemark.sources.nextcloud.calendar.occurrences import dates_within
from citemark.sources.nextcloud.calendar.reader import CalendarReader
from citemark.sources.nextcloud.dav.kinds import ResourceLocation

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
PLACE = ResourceLocation("/dav/calendars/alice/work/a.ics", "/dav/calendars/alice/work/", "Work")
ZONE = "Europe/Berlin"


def kept(data: str) -> str:
    """The series that the reader keeps beside the text; empty for none."""
    read = CalendarReader("https://cloud.example", lambda: NOW)(data, NativeId("x"), PLACE)
    return read.metadata.get("Series", "")


def weekly(*extra: str, rule: str = "RRULE:FREQ=WEEKLY", minutes: int = 60) -> str:
    """Every Monday at ten, from 5 January 2026 on."""
    return event("e", "Weekly", start="20260105T100000", zone=ZONE, minutes=minutes, extra=[rule, *extra])


def dates(data: str, first: str | None, last: str | None, most: int = 10) -> list[str] | None:
    """The days of the dates from the first to the last day, both included."""
    start = datetime.fromisoformat(first) if first else None
    end = datetime.fromisoformat(f"{last}T23:59:59") if last else None
    found = dates_within(kept(data), start, end, most)
    return None if found is None else [each.start.stored[:10] for each in found]


def test_the_dates_in_some_days_are_those_of_the_rule_without_what_was_taken_out() -> None:
    data = weekly("EXDATE;TZID=Europe/Berlin:20261214T100000", "RDATE;TZID=Europe/Berlin:20261216T100000")
    assert dates(data, "2026-12-07", "2026-12-21") == ["2026-12-07", "2026-12-16", "2026-12-21"]
    assert dates(data, "2026-12-08", "2026-12-13") == []
    assert dates(data, None, "2026-01-12") == ["2026-01-05", "2026-01-12"]
    assert dates(data, "2040-06-04", None, most=2) == ["2040-06-04", "2040-06-11"]


def test_an_occurrence_that_was_moved_is_found_at_its_new_time() -> None:
    moved = (
        "BEGIN:VEVENT\r\nUID:e\r\nRECURRENCE-ID;TZID=Europe/Berlin:20261207T100000\r\nDTSTAMP:20261101T080000Z\r\n"
        "DTSTART;TZID=Europe/Berlin:20261209T150000\r\nSUMMARY:With guests\r\nSTATUS:CANCELLED\r\nEND:VEVENT\r\n"
    )
    data = weekly().replace("END:VCALENDAR", f"{moved}END:VCALENDAR")
    assert dates(data, "2026-12-07", "2026-12-07") == []
    (found,) = dates_within(kept(data), datetime(2026, 12, 9), datetime(2026, 12, 10), 3) or []  # noqa: DTZ001 - local
    assert (found.summary, found.changed, found.cancelled) == ("With guests", True, True)


def test_an_occurrence_matches_each_day_that_it_touches_in_its_own_time_zone() -> None:
    late = weekly().replace("20260105T100000", "20260105T233000")
    assert dates(late, "2026-12-08", "2026-12-08") == ["2026-12-07"]
    whole = weekly().replace(f"DTSTART;TZID={ZONE}:20260105T100000", "DTSTART;VALUE=DATE:20260105")
    whole = whole.replace("DURATION:PT60M", "DTEND;VALUE=DATE:20260107")
    assert dates(whole, "2026-12-08", "2026-12-08") == ["2026-12-07"]
    assert dates(whole, "2026-12-09", "2026-12-09") == []


def test_a_task_that_repeats_has_dates_too() -> None:
    data = todo("t", "Water", due="20260105T120000Z", extra=["DTSTART:20260105T100000Z", "RRULE:FREQ=WEEKLY"])
    assert dates(data, "2026-12-07", "2026-12-07") == ["2026-12-07"]


@pytest.mark.parametrize(
    "rule",
    [
        "RRULE:FREQ=WEEKLY;COUNT=4",
        "RRULE:FREQ=WEEKLY;UNTIL=20260131T000000Z",
    ],
)
def test_a_series_that_is_over_still_has_the_dates_that_were(rule: str) -> None:
    assert dates(weekly(rule=rule), "2026-01-12", "2026-01-12") == ["2026-01-12"]
    assert dates(weekly(rule=rule), "2026-12-07", None) == []


@pytest.mark.parametrize(
    "rule",
    ["RRULE:FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=31;BYMONTH=2", "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=5",
     "RRULE:FREQ=SECONDLY", "DESCRIPTION:once"],
)  # fmt: skip
def test_entries_without_repeated_dates_are_not_kept(rule: str) -> None:
    data = weekly(rule=rule).replace(":20260105", ":95000105")  # a rule that never comes true is followed to 9999
    assert kept(data) == ""
    assert dates(data, "2026-12-07", None) is None
