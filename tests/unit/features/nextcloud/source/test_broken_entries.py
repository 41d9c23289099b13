"""Events, to-dos and contacts that are broken or hostile: one line hides no entry, and no text breaks the reader."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.nextcloud.pim.texts import contact, event, todo
from tests.support.calendar_entries import PLACE, SERVER, lines, read

from citemark.extraction.calendar.components import parse_entry
from citemark.features.nextcloud.source.contacts.reader import ContactReader
from citemark.model.errors import SkippableSourceError
from citemark.model.ids import NativeId

ODD = (
    *("\0", "\ud800", "\x85", "\u2028", "\u2100", "\r", "\n", "\r\n ", "[", "//[", "%ff", "\\", ";", ":", '"', "=\n"),
    *("9" * 400, "-1", "nan", "²", "20260231T250000", "00010101T000000", "99991231T235959Z", "P99999999999W", "-PT1S"),
    *("TZID=../x", "TZID=", "VALUE=DATE", "VALUE=PERIOD", "ENCODING=BASE64", "ENCODING=QUOTED-PRINTABLE", "CHARSET=x"),
    *("RRULE:FREQ=SECONDLY;BYSETPOS=-400\n", "RRULE:FREQ=DAILY;UNTIL=x\n", "BEGIN:VEVENT\n", "END:VEVENT\n", "mailto:"),
    *("BEGIN:VCARD\n", "END:VCARD\n", f"URL:{SERVER}//[x\n", "END:VCALENDAR\n", "---12", "1990-13-45", "</div>", "```"),
)
RICH = {
    "event": event(
        "e",
        "Stand-up",
        start="20261124T140000",
        zone="Europe/Berlin",
        description="See /f/12",
        extra=["RRULE:FREQ=WEEKLY;COUNT=10", "ATTENDEE;CN=Bob:mailto:b@example.org"],
    ),
    "todo": todo(
        "t", "Report", extra=["DUE:20261124T140000Z", "CATEGORIES:a,b", "ATTENDEE;CN=Bob:mailto:b@example.org"]
    ),
    "contact": contact("c", "Ana Lima", email="ana@example.org", extra=["BDAY:--0412", "ADR;TYPE=home:;;A 1;B;;2;C"]),
}


@pytest.mark.requirement("malformed-calendars-and-cards-reported", "odd-values-are-source-errors")
@given(
    kind=st.sampled_from(sorted(RICH)),
    written=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.sampled_from(ODD)), min_size=1, max_size=5),
)
def test_an_entry_with_any_content_is_read_or_skipped_with_a_reason(
    kind: str, written: list[tuple[float, str]]
) -> None:
    data = RICH[kind]
    for share, odd in written:
        at = int(share * len(data))
        data = data[:at] + odd + data[at:]
    reader = ContactReader(SERVER) if kind == "contact" else read
    try:
        found = reader(data, NativeId("x"), PLACE) if isinstance(reader, ContactReader) else reader(data)
    except SkippableSourceError:
        return
    assert found.extracted.title


@pytest.mark.requirement("malformed-calendars-and-cards-reported")
@pytest.mark.parametrize(
    "data",
    [
        "",
        "no calendar",
        "BEGIN:VCALENDAR\r\nEND:VEVENT\r\nEND:VCALENDAR",
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n",
        "\x00\x01\x02",
    ],
)
def test_data_that_is_not_a_calendar_is_skipped_with_a_reason(data: str) -> None:
    with pytest.raises(SkippableSourceError, match="calendar data"):
        read(data)


@pytest.mark.requirement("malformed-calendars-and-cards-reported")
def test_a_time_zone_that_is_named_as_a_folder_of_zones_skips_its_entry_or_is_unknown() -> None:
    """Python opens the folder as if it were a file; from 3.14 on it knows no zone of this name."""
    data = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:x\nDTSTART;TZID=Europe:20261201T100000\nEND:VEVENT\nEND:VCALENDAR\n"
    try:
        said = "\n".join(lines(data))
    except SkippableSourceError as refused:
        said = refused.message
    assert "10:00" in said or "DTSTART" in said or "a time zone in it has no possible name" in said


@pytest.mark.requirement("malformed-calendars-and-cards-reported")
@pytest.mark.parametrize(
    "line",
    [
        "DTSTART:yesterday",
        "RRULE:FREQ=SOMETIMES",
        "RRULE:rubbish",
        "EXDATE:never",
        "ATTENDEE;CN=:",
        "DURATION:long",
        "X-BROKEN",
        "ATTACH;ENCODING=BASE64;VALUE=BINARY:AAAA",
        "DTEND;TZID=Europe/Berlin:00000000T000000",
        "RDATE;VALUE=PERIOD:20261125T100000Z/PT1H",
        "PERCENT-COMPLETE:much",
        "GEO:1",
    ],
)
@pytest.mark.parametrize("make", [event, todo])
def test_one_broken_line_hides_no_event_and_no_to_do(line: str, make: Callable[..., str]) -> None:
    assert read(make("e", "Still here", extra=[line])).extracted.title == "Still here"


@pytest.mark.requirement("malformed-calendars-and-cards-reported")
@pytest.mark.parametrize("make", [event, todo])
def test_a_broken_alarm_or_calendar_line_hides_no_entry(make: Callable[..., str]) -> None:
    alarm = ["BEGIN:VALARM", "TRIGGER:soon", "no line", "REPEAT:often", "END:VALARM"]
    data = make("e", "Still here", extra=alarm).replace("VERSION:2.0", "VERSION:2.0\r\nno line\r\nCREATED:never", 1)
    assert read(data).extracted.title == "Still here"


@pytest.mark.requirement("malformed-calendars-and-cards-reported")
@pytest.mark.parametrize("make", [event, todo])
@pytest.mark.parametrize("name", ["PARTICIPANT", "X-VENDOR", "VJOURNAL"])
def test_a_broken_line_in_a_part_of_any_other_kind_hides_no_entry(name: str, make: Callable[..., str]) -> None:
    part = [f"BEGIN:{name}", "no line", "CREATED:never", f"END:{name}"]
    assert read(make("e", "Still here", extra=part)).extracted.title == "Still here"


@pytest.mark.requirement("odd-values-are-source-errors")
@pytest.mark.parametrize("kind", ["VEVENT", "VTODO"])
def test_data_that_is_the_path_of_a_file_is_not_read_from_the_disk(tmp_path: Path, kind: str) -> None:
    kept = tmp_path / "somebody.ics"
    kept.write_text((event if kind == "VEVENT" else todo)("e", "Kept on this machine"))
    with pytest.raises(SkippableSourceError, match="broken"):
        parse_entry(str(kept), kind)


def test_unreadable_parts_of_an_event_are_named() -> None:
    assert "- Not readable: a line; EXDATE: never" in lines(event("e", "T", extra=["EXDATE:never", "X-BROKEN"]))


@pytest.mark.requirement("one-bad-detail")
def test_a_time_that_cannot_be_read_is_shown_as_it_is_written_and_counted() -> None:
    found = read(event("e", "Kiln day").replace("DTSTART:", "DTSTART:some time on "))
    assert '- When: "some time on' in found.extracted.body
    assert [part.kind for part in found.extracted.left_out] == ["property that cannot be read"]
    due = read(todo("t", "Report", extra=["DUE:tomorrow"]))
    assert '- Due: "tomorrow" (as it is written)' in due.extracted.body


@pytest.mark.requirement("one-bad-detail")
def test_an_event_whose_end_is_missing_is_read() -> None:
    assert read("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:x\r\nSUMMARY:Cut off").extracted.title == "Cut off"
