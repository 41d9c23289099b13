"""Calendar files as programs leave them: cut off, unbalanced, of an older version, with lines that cannot be read."""

import pytest

from citemark.extraction.calendar.document import extract_calendar
from citemark.model.text import Extracted
from citemark.model.unread_parts import in_words

SOUND = ("BEGIN:VEVENT", "UID:good", "SUMMARY:Sound", "DTSTART:20260301T100000Z", "END:VEVENT")
KILN = ("BEGIN:VEVENT", "UID:1", "SUMMARY:Kiln day", "DTSTART:20260302T100000Z")


def calendar(*lines: str, last: tuple[str, ...] = (*SOUND, "END:VCALENDAR")) -> Extracted:
    data = "\r\n".join(["BEGIN:VCALENDAR", "VERSION:2.0", *lines, *last, ""])
    return extract_calendar(data.encode(), fallback_title="file")


def entry(*lines: str) -> Extracted:
    return calendar(*KILN, *lines, "END:VEVENT")


@pytest.mark.requirement("one-bad-detail")
@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("DTEND:03/01/2026 11:00", '10:00 (UTC), until "03/01/2026 11:00" (as it is written)'),
        ("DURATION:90 min", '10:00 (UTC), for "90 min" (as it is written)'),
        ("RRULE:FREQ=FORTNIGHTLY", "- Not readable: RRULE: FREQ=FORTNIGHTLY"),
        ("RRULE:FREQ=DAILY;INTERVAL=0", '- Not readable: RRULE: "FREQ=DAILY;INTERVAL=0"'),
        ("EXDATE:soon", "- Not readable: EXDATE: soon"),
        ("GEO:here", "- Not readable: GEO: here"),
        ("no line", "- Not readable: a line"),
    ],
)
def test_a_property_that_cannot_be_read_is_shown_as_it_is_written_and_counted(line: str, shown: str) -> None:
    found = entry(line)
    assert shown in found.body
    assert in_words(found.left_out) == "1 property that cannot be read"
    assert [section.title for section in found.sections] == ["Kiln day", "Sound"]


@pytest.mark.requirement("one-bad-detail")
@pytest.mark.parametrize(
    ("lines", "last", "titles"),
    [
        (KILN, (*SOUND, "END:VCALENDAR"), ["Kiln day", "Sound"]),
        ((*KILN, "END:VTODO", "END:VEVENT"), (*SOUND, "END:VCALENDAR"), ["Kiln day", "Sound"]),
        ((*KILN, "BEGIN:VALARM", "TRIGGER:-PT5M", "END:VEVENT"), (*SOUND, "END:VCALENDAR"), ["Kiln day", "Sound"]),
        (SOUND, KILN, ["Sound", "Kiln day"]),
    ],
)
def test_an_entry_without_its_end_costs_no_entry_and_is_counted(
    lines: tuple[str, ...], last: tuple[str, ...], titles: list[str]
) -> None:
    found = calendar(*lines, last=last)
    assert [section.title for section in found.sections] == titles
    assert "without an end or a beginning" in in_words(found.left_out)


def test_a_long_text_that_was_not_folded_is_read_whole() -> None:
    found = entry("DESCRIPTION:Bring gloves", "and a spatula", "https://example.org/kiln", "LOCATION:Hall 7")
    assert "Bring gloves\nand a spatula\nhttps://example.org/kiln" in found.body
    assert "- Where: Hall 7" in found.body
    assert not found.left_out


def test_values_of_the_first_version_are_decoded() -> None:
    quoted = "DESCRIPTION;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:Gr=FC=DFe=0D=0Aund mehr, =\r\nviel mehr"
    assert "Grüße\nund mehr, viel mehr" in entry(quoted).body


@pytest.mark.requirement("hidden-parts-are-read-or-named")
def test_what_only_a_changed_date_says_is_read() -> None:
    series = (*KILN, "RRULE:FREQ=DAILY;COUNT=3", "DESCRIPTION:Usual", "END:VEVENT")
    changed = (*KILN[:3], "DTSTART:20260303T120000Z", "DESCRIPTION:Zirconia", "COMMENT:Mind the step", "END:VEVENT")
    said = calendar(*series, *changed[:2], "RECURRENCE-ID:20260303T100000Z", *changed[2:]).body
    assert "Changed date: Kiln day" in said
    assert "- Comment: Mind the step" in said
    assert "Zirconia" in said
    unreadable = calendar(*series, *changed[:2], "RECURRENCE-ID:when", *changed[2:])
    assert "- Not readable: RECURRENCE-ID: when" in unreadable.body
    assert "Zirconia" in unreadable.body


def test_copies_of_an_entry_with_its_name_are_entries() -> None:
    second = (*KILN[:2], "SUMMARY:Copied day", "DTSTART:20260304T100000Z", "END:VEVENT")
    found = calendar(*KILN, "END:VEVENT", *second)
    assert [section.title for section in found.sections] == ["Kiln day", "Copied day", "Sound"]


@pytest.mark.requirement("hidden-parts-are-read-or-named")
def test_parts_that_are_no_entries_are_counted_and_rare_properties_read() -> None:
    busy = ("BEGIN:VFREEBUSY", "UID:f", "COMMENT:vermilion", "END:VFREEBUSY")
    found = calendar(
        *KILN, "RESOURCES:Projector,Easel", "X-ALT-DESC;FMTTYPE=text/html:<p>Magenta</p>", "END:VEVENT", *busy
    )
    assert "- Resources: Projector, Easel" in found.body
    assert "Magenta" in found.body
    assert in_words(found.left_out) == "1 calendar component of another kind"
