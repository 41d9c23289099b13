"""Time zones that calendar data defines: each entry has its own, and a broken one hides no entry."""

import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from tests.nextcloud.pim.texts import event
from tests.support.calendar_entries import read

ZONE = (
    "BEGIN:VTIMEZONE",
    "TZID:My/Own",
    "BEGIN:STANDARD",
    "DTSTART:19700101T000000",
    "TZOFFSETFROM:+0500",
    "TZOFFSETTO:+0500",
    "END:STANDARD",
    "END:VTIMEZONE",
)
AS_WRITTEN = "2026-12-01T10:00:00[My/Own]"


def start(*zone: str) -> str:
    """When an event starts whose data defines a time zone in these lines, or none."""
    data = event("e", "Still here", start="20261201T100000", zone="My/Own")
    found = read(data.replace("BEGIN:VEVENT", "\r\n".join([*zone, "BEGIN:VEVENT"]), 1))
    assert "- When: Tuesday 1 December 2026, 10:00 to 11:00 (My/Own)" in found.extracted.body
    return found.metadata["Start"]


def at(offset: str) -> str:
    return start(*(line.replace("+0500", offset) for line in ZONE))


def replaced(line: str, by: str) -> tuple[str, ...]:
    return tuple(part for each in ZONE for part in ([each] if each != line else [by] if by else []))


@pytest.mark.requirement("recurring-event-kept-as-stored", "odd-values-are-source-errors")
def test_a_zone_that_one_entry_defines_is_not_the_zone_of_another() -> None:
    assert at("+0500") == "2026-12-01T10:00:00+05:00[My/Own]"
    assert at("+0900") == "2026-12-01T10:00:00+09:00[My/Own]"
    assert start() == AS_WRITTEN


@pytest.mark.requirement("recurring-event-kept-as-stored")
def test_entries_that_are_read_at_the_same_time_keep_their_zones(request: pytest.FixtureRequest) -> None:
    request.addfinalizer(partial(sys.setswitchinterval, sys.getswitchinterval()))
    sys.setswitchinterval(1e-5)
    with ThreadPoolExecutor(4) as threads:
        starts = list(threads.map(at, [f"+0{hour}00" for hour in range(1, 5)] * 100))
    assert starts == [f"2026-12-01T10:00:00+0{hour}:00[My/Own]" for hour in range(1, 5)] * 100


@pytest.mark.requirement("malformed-calendars-and-cards-reported")
@pytest.mark.parametrize(
    "zone",
    [
        replaced("TZOFFSETTO:+0500", "TZOFFSETTO:junk"),
        replaced("TZOFFSETTO:+0500", "TZOFSETTO:+0500"),
        replaced("TZOFFSETTO:+0500", ""),
        replaced("DTSTART:19700101T000000", "DTSTART:never"),
        replaced("DTSTART:19700101T000000", ""),
        (*ZONE[:4], "no line", *ZONE[4:]),
        (*ZONE[:4], "RRULE:FREQ=SOMETIMES", *ZONE[4:]),
        (*ZONE[:2], "TZID:My/Own", *ZONE[2:]),
        (*ZONE[:2], *ZONE[-1:]),
        (*ZONE[:2], "BEGIN:X-THING", "END:X-THING", *ZONE[2:]),
    ],
)
def test_a_zone_whose_rules_cannot_be_followed_leaves_times_as_they_are_written(zone: tuple[str, ...]) -> None:
    assert start(*zone) == AS_WRITTEN


@pytest.mark.requirement("malformed-calendars-and-cards-reported")
@pytest.mark.parametrize("line", ["LAST-MODIFIED:junk", "X-FOO;VALUE=INTEGER:junk", "TZURL:"])
def test_a_broken_line_that_is_not_a_rule_leaves_a_zone_unchanged(line: str) -> None:
    assert start(*ZONE[:2], line, *ZONE[2:]) == "2026-12-01T10:00:00+05:00[My/Own]"


def test_a_zone_outside_of_a_calendar_hides_no_entry() -> None:
    assert read("\r\n".join([*ZONE[:2], "END:VTIMEZONE", event("e", "Still here")])).extracted.title == "Still here"
