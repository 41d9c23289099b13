"""What is kept of an entry that repeats, and which of its dates lie in some days."""

from datetime import UTC, datetime

import pytest
from tests.nextcloud.pim.texts import event, todo
from tests.support.hostile_calendars import crowded_days, ticking
from tests.support.operations import operations

from citemark.extraction.calendar.occurrences import dates_within
from citemark.features.nextcloud.source.calendar.reader import CalendarReader
from citemark.features.nextcloud.source.dav.kinds import ResourceLocation
from citemark.model.ids import NativeId

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
PLACE = ResourceLocation("/dav/calendars/alice/work/a.ics", "/dav/calendars/alice/work/", "Work")
ZONE = "Europe/Berlin"


def kept(data: str) -> str:
    """The series that the reader keeps beside the text; empty for none."""
    read = CalendarReader("https://cloud.example", lambda: NOW)(data, NativeId("x"), PLACE)
    return read.dates.series if read.dates is not None else ""


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


MANY_LINES = 15_000_000
"""What a processor runs in half a second."""

HOSTILE = {
    "dates every second of some days": weekly(rule=f"RRULE:{crowded_days('20260109T000000Z')}"),
    "dates every second of every day": weekly(rule=f"RRULE:{crowded_days()}"),
    "sixty rules with hourly dates": weekly(
        *(f"RRULE:FREQ=DAILY;BYHOUR={','.join(map(str, range(24)))};BYMINUTE={n}" for n in range(1, 60))
    ),
    "a month that does not exist": weekly(rule="RRULE:FREQ=DAILY;BYMONTH=13;UNTIL=20300101T000000Z"),
    "a weekday that never falls on the interval": weekly(rule="RRULE:FREQ=DAILY;INTERVAL=7;BYDAY=TU;UNTIL=20300101"),
    "many rules for a day that does not exist": weekly(
        *(f"RRULE:FREQ=YEARLY;INTERVAL={n};BYMONTH=2;BYMONTHDAY=30;UNTIL=20300101" for n in range(1, 100))
    ),
    "many positions": weekly(
        rule=f"RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;UNTIL=20300101;BYSETPOS={','.join(map(str, range(1, 60)))}"
    ),
    "many days of the year that do not exist": weekly(
        rule=f"RRULE:FREQ=YEARLY;UNTIL=20300101;BYYEARDAY={','.join(map(str, range(1000, 2500)))}"
    ),
    "intervals of millions of days": weekly(
        *(f"RRULE:FREQ=DAILY;INTERVAL={2_000_000 + n};UNTIL=20300101" for n in range(150))
    ),
    "an interval of zero in other digits": weekly(rule="RRULE:FREQ=DAILY;INTERVAL=+0;UNTIL=20300101"),
    "dates that each last for millennia": weekly(rule="RRULE:FREQ=DAILY;UNTIL=20360101", minutes=60 * 24 * 1_000_000),
    "a time zone that changes every hour": ticking("FREQ=HOURLY;COUNT=400000").replace(
        "DURATION:", "RRULE:FREQ=WEEKLY\r\nDURATION:"
    ),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_stored_series_never_takes_more_than_a_limited_number_of_steps(data: str) -> None:
    first = datetime(2026, 2, 1)  # noqa: DTZ001 - local
    assert operations(lambda: dates_within(data, first, None, 3)) < MANY_LINES


def test_a_rule_with_dates_in_every_second_is_not_kept_whether_it_ends_or_not() -> None:
    assert kept(weekly(rule=f"RRULE:{crowded_days('20260106T000000Z')}")) == ""
    assert kept(weekly(rule=f"RRULE:{crowded_days()}")) == ""


def test_hourly_dates_of_a_day_and_days_of_the_month_in_a_daily_rule_are_followed() -> None:
    hours = ",".join(map(str, range(24)))
    data = weekly(rule=f"RRULE:FREQ=DAILY;BYHOUR={hours}")
    assert dates(data, "2026-12-07", "2026-12-07", most=30) == ["2026-12-07"] * 24
    thirteenth = weekly(rule="RRULE:FREQ=DAILY;BYMONTHDAY=13;BYDAY=FR")
    assert dates(thirteenth, "2026-02-01", None, most=3) == ["2026-02-13", "2026-03-13", "2026-11-13"]


def test_old_series_still_have_their_dates_today() -> None:
    daily = weekly(rule="RRULE:FREQ=DAILY").replace("20260105", "19700101")
    yearly = weekly(rule="RRULE:FREQ=YEARLY").replace("20260105", "16040229")
    assert dates(daily, "2026-12-07", "2026-12-08") == ["2026-12-07", "2026-12-08"]
    assert dates(yearly, "2027-01-01", "2036-12-31") == ["2028-02-29", "2032-02-29", "2036-02-29"]


def test_days_at_the_end_of_time_are_searched_up_to_there() -> None:
    late = weekly(rule="RRULE:FREQ=WEEKLY;UNTIL=99991231T000000Z").replace(":20260105", ":99950105")
    assert dates_within(late, None, None, 1)
    assert dates_within(late, datetime(9999, 12, 20), None, 3) == []  # noqa: DTZ001 - local


def test_a_numbered_weekday_that_no_month_has_makes_no_dates() -> None:
    assert kept(weekly(rule="RRULE:FREQ=MONTHLY;BYDAY=60MO")) == ""


@pytest.mark.parametrize("begins", ["16010101T000000", "00010101T000000"])
def test_a_time_zone_that_changes_twice_a_year_since_long_ago_keeps_its_offsets(begins: str) -> None:
    def part(name: str, rule: str, offsets: tuple[str, str]) -> list[str]:
        return [
            f"BEGIN:{name}", f"DTSTART:{begins}", f"RRULE:FREQ=YEARLY;{rule}", f"TZOFFSETFROM:{offsets[0]}",
            f"TZOFFSETTO:{offsets[1]}", f"END:{name}",
        ]  # fmt: skip

    zone = [
        "BEGIN:VTIMEZONE", "TZID:Office", *part("STANDARD", "BYMONTH=10;BYDAY=-1SU", ("+0200", "+0100")),
        *part("DAYLIGHT", "BYMONTH=3;BYDAY=-1SU", ("+0100", "+0200")), "END:VTIMEZONE",
    ]  # fmt: skip
    data = event("e", "Weekly", start="20260105T100000", zone="Office", extra=["RRULE:FREQ=WEEKLY"])
    data = data.replace("BEGIN:VEVENT", "\r\n".join([*zone, "BEGIN:VEVENT"]), 1)
    found = dates_within(kept(data), datetime(2026, 7, 1), datetime(2026, 7, 8), 3) or []  # noqa: DTZ001 - local
    assert [each.start.stored for each in found] == ["2026-07-06T10:00:00+02:00[Office]"]
