"""Reported files whose parts were lost, each read as its EXPECTED.txt says, and their kin."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

import pytest
from tests.support.calendar_entries import PLACE, SERVER

from citemark.extraction.calendar.document import extract_calendar
from citemark.extraction.calendar.occurrences import dates_within
from citemark.extraction.decoding import decoded
from citemark.extraction.html.document import extract_html
from citemark.extraction.mail import extract_mail
from citemark.extraction.pdf.document import extract_pdf
from citemark.features.nextcloud.source.calendar.reader import CalendarReader
from citemark.model.ids import NativeId

Reader = Callable[[str], bytes]
_JANUARY = datetime(2026, 1, 5, tzinfo=UTC)


@pytest.fixture
def fault(shared_data: Path) -> Reader:
    """Reads a reported file by its name."""
    return lambda name: (shared_data / "faults" / name).read_bytes()


def event(*lines: str) -> str:
    """An event with these lines."""
    inside = ["BEGIN:VEVENT", "UID:1", "SUMMARY:Talk", *lines, "END:VEVENT"]
    return "\r\n".join(["BEGIN:VCALENDAR", "VERSION:2.0", *inside, "END:VCALENDAR", ""])


def read_event(data: str) -> tuple[str, str]:
    """The text of an event, and its stored start."""
    found = CalendarReader(SERVER, lambda: _JANUARY)(data, NativeId("x"), PLACE)
    return found.extracted.body, found.metadata.get("Start", "")


@pytest.mark.requirement("damaged-utf-8-is-utf-8")
@pytest.mark.parametrize(
    ("name", "words"),
    [("02/handbuch.md", ("Kältemaschine", "Rückbau")), ("02/truncated.md", ("Überprüfung", "Förderbänder"))],
)
def test_one_damaged_byte_costs_one_character(name: str, words: Iterable[str], fault: Reader) -> None:
    found = decoded(fault(name))
    assert all(word in found.text for word in words)
    assert found.text.count("\ufffd") == 1
    assert found.read_as == "UTF-8 with 1 damaged character"


@pytest.mark.requirement("damaged-utf-8-is-utf-8")
def test_every_damaged_character_of_a_long_text_is_counted_and_the_others_stay() -> None:
    text = "Die Mühle läuft über Nacht. " * 20
    data = text.encode().replace("ü".encode(), b"\xc3", 3)
    found = decoded(data)
    assert (found.text.count("\ufffd"), found.read_as) == (3, "UTF-8 with 3 damaged characters")
    assert found.text.replace("\ufffd", "ü") == text
    assert decoded("日本の水は美味しい".encode()[:-1]).text == "日本の水は美味し\ufffd"


@pytest.mark.requirement("mail-in-any-charset")
@pytest.mark.parametrize(("name", "word"), [("23/cp850.eml", "Brücke"), ("23/utf7.eml", "Schlüssel")])
def test_old_encodings_of_mail_are_read(name: str, word: str, fault: Reader) -> None:
    found = extract_mail(fault(name), fallback_title="x")
    assert word in found.body
    assert found.read_as in {"CP850", "UTF-7"}


@pytest.mark.requirement("mail-in-any-charset")
@pytest.mark.parametrize(
    ("charset", "codec", "words"),
    [
        ("ibm00858", "cp858", "Größe 5 €"),
        ("cp437", "cp437", "Größe"),
        ("UNICODE-1-1-UTF-7", "utf-7", "Größe 日本"),
        ("x-mac-roman", "mac-roman", "Größe"),
        ("iso-2022-jp", "iso2022-jp", "日本の水"),
        ("dos-866", "cp866", "Привет"),
    ],
)
def test_parts_are_read_in_the_charset_that_they_declare(charset: str, codec: str, words: str) -> None:
    head = f"From: a@example.org\nSubject: x\nContent-Type: text/plain; charset={charset}\n\n".encode()
    assert words in extract_mail(head + words.encode(codec), fallback_title="x").body


def test_a_page_cannot_choose_utf_7() -> None:
    page = b"<!doctype html><meta charset=utf-7><p>a +ADw-b+AD4- c d</p>"
    assert "+ADw-b" in extract_html(page, fallback_title="x").body


@pytest.mark.requirement("form-values-and-annotations-of-pdf")
def test_the_values_of_a_form_are_read_with_their_labels(fault: Reader) -> None:
    body = extract_pdf(fault("05/form.pdf"), fallback_title="x").body
    assert {"applicant: Quintus Marmot", "no: ZX-9917", "ch: teal", "ok: yes"} <= set(body.splitlines())


@pytest.mark.requirement("form-values-and-annotations-of-pdf")
def test_a_page_with_nothing_but_typed_text_is_no_scan(fault: Reader) -> None:
    assert "penstock" in extract_pdf(fault("29/freetext.pdf"), fallback_title="x").body


@pytest.mark.requirement("invitations-are-read")
@pytest.mark.parametrize("name", ["11/invite.eml", "11/invite-alt.eml"])
def test_an_invitation_in_a_mail_is_read(name: str, fault: Reader) -> None:
    found = extract_mail(fault(name), fallback_title="x")
    for words in ("Kiln safety briefing", "Where: Pottery hall 7", "Bring asbestos gloves"):
        assert words in found.body
    assert "- When: Wednesday 1 April 2026, 09:00 to 10:00 (UTC)" in found.body


@pytest.mark.requirement("invitations-are-read")
def test_a_cancellation_says_so_and_the_same_invitation_is_read_once() -> None:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "ada@example.org", "Off"
    mail.set_content("Sorry.\n")
    data = event("DTSTART:20260401T090000Z").replace("VERSION:2.0", "VERSION:2.0\r\nMETHOD:CANCEL").encode()
    mail.add_alternative(data, maintype="text", subtype="calendar")
    mail.make_mixed()
    mail.add_attachment(data, maintype="application", subtype="ics", filename="invite.ics")
    body = extract_mail(bytes(mail), fallback_title="x").body
    assert body.count("- Kind: cancellation") == body.count("# Talk") == 1


@pytest.mark.requirement("hidden-tabs-are-read")
def test_what_another_tab_or_a_closed_fold_hides_is_read_and_other_hidden_text_is_counted(fault: Reader) -> None:
    found = extract_html(fault("22/tabs.html"), fallback_title="x")
    for words in ("semaphore installer", "heliograph installer", "zoetrope", "praxinoscope"):
        assert words in found.body
    assert "telegraph key" not in found.body
    assert [part.words for part in found.left_out] == ["1 hidden part"]


@pytest.mark.requirement("zones-of-every-spelling")
def test_a_zone_with_a_colon_in_its_name_is_read(fault: Reader) -> None:
    body, start = read_event(fault("20/tz.ics").decode())
    assert "- When: Sunday 1 March 2026, 10:00 to 11:00 (UTC+01:00)" in body
    assert start == "2026-03-01T10:00:00+01:00[UTC+01:00]"


@pytest.mark.requirement("zones-of-every-spelling")
@pytest.mark.parametrize(
    ("written", "start"),
    [
        (";TZID=GMT+1:20260301T100000", "2026-03-01T10:00:00+01:00[UTC+01:00]"),
        (";TZID=GMT+0530:20260301T100000", "2026-03-01T10:00:00+05:30[UTC+05:30]"),
        (";TZID=W. Europe Standard Time:20260301T100000", "2026-03-01T10:00:00+01:00[W. Europe Standard Time]"),
        (
            ";TZID=(UTC+01:00) Amsterdam, Berlin, Bern, Rome:20260301T100000",
            "2026-03-01T10:00:00+01:00[Europe/Amsterdam]",
        ),
        (
            ';TZID="(UTC-05:00) Eastern Time (US & Canada)":20260301T100000',
            "2026-03-01T10:00:00-05:00[America/New_York]",
        ),
        (
            ";TZID=/freeassociation.sourceforge.net/Europe/Berlin:20260301T100000",
            "2026-03-01T10:00:00+01:00[Europe/Berlin]",
        ),
        (";TZID=europe/berlin:20260701T100000", "2026-07-01T10:00:00+02:00[Europe/Berlin]"),
        (";TZID=tzone://Microsoft/Utc:20260301T100000", "2026-03-01T10:00:00Z"),
        (":20260301T100000+0100", "2026-03-01T10:00:00+01:00[UTC+01:00]"),
        (":20260301T110000.000Z", "2026-03-01T11:00:00Z"),
        (":2026-03-01T10:00:00-03:30", "2026-03-01T10:00:00-03:30[UTC-03:30]"),
        (";TZID=Nowhere at all:20260301T100000", "2026-03-01T10:00:00[Nowhere at all]"),
    ],
)
def test_times_in_every_spelling_have_their_moment(written: str, start: str) -> None:
    body, stored = read_event(event(f"DTSTART{written}"))
    assert stored == start
    assert "- When: " in body


@pytest.mark.requirement("zones-of-every-spelling")
def test_a_zone_that_the_data_defines_keeps_its_name_and_its_rules() -> None:
    zone = "BEGIN:VTIMEZONE\r\nTZID:Our Zone\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0300\r\n"
    zone += "TZOFFSETTO:+0300\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n"
    data = event("DTSTART;TZID=Our Zone:20260301T100000").replace("BEGIN:VEVENT", f"{zone}BEGIN:VEVENT")
    assert read_event(data)[1] == "2026-03-01T10:00:00+03:00[Our Zone]"


@pytest.mark.requirement("times-that-do-not-exist")
def test_a_series_has_the_hour_after_the_gap_on_the_day_of_the_change(fault: Reader) -> None:
    body, _ = read_event(fault("26/gap.ics").decode())
    dates = body.splitlines()[-3:]
    assert dates == [
        "- Saturday 28 March 2026, 02:30 to 03:00 (Europe/Berlin)",
        "- Sunday 29 March 2026, 03:30 to 04:00 (Europe/Berlin)",
        "- Monday 30 March 2026, 02:30 to 03:00 (Europe/Berlin)",
    ]


@pytest.mark.requirement("times-that-do-not-exist")
@pytest.mark.parametrize(
    ("zone", "day", "shown"),
    [
        ("Europe/Berlin", "20260329", "Sunday 29 March 2026, 03:30 to 04:30"),
        ("America/New_York", "20260308", "Sunday 8 March 2026, 03:30 to 04:30"),
    ],
)
def test_an_event_in_the_gap_keeps_its_length(zone: str, day: str, shown: str) -> None:
    data = event(f"DTSTART;TZID={zone}:{day}T023000", f"DTEND;TZID={zone}:{day}T033000")
    assert f"- When: {shown} ({zone})" in read_event(data)[0]


@pytest.mark.requirement("times-that-do-not-exist", "zones-of-every-spelling")
def test_questions_about_days_find_dates_in_zones_that_only_programs_name() -> None:
    data = event("DTSTART;TZID=GMT+01:00:20260301T100000", "DTEND;TZID=GMT+01:00:20260301T110000", "RRULE:FREQ=WEEKLY")
    found = CalendarReader(SERVER, lambda: _JANUARY)(data, NativeId("x"), PLACE)
    first, last = datetime(2026, 3, 8), datetime(2026, 3, 9)  # noqa: DTZ001 - local days
    assert found.dates is not None
    (date,) = dates_within(found.dates.series, first, last, 5) or []
    assert date.start.stored == "2026-03-08T10:00:00+01:00[UTC+01:00]"


@pytest.mark.requirement("calendar-files-are-read")
def test_a_calendar_file_has_a_section_for_each_entry() -> None:
    data = event("DTSTART:20260401T090000Z", "LOCATION:Hall 7").replace("END:VCALENDAR", "")
    data += "BEGIN:VTODO\r\nUID:2\r\nSUMMARY:Buy clay\r\nDUE;VALUE=DATE:20260402\r\nEND:VTODO\r\nEND:VCALENDAR\r\n"
    found = extract_calendar(data.encode(), fallback_title="plans")
    assert (found.title, [section.slug for section in found.sections]) == ("plans", ["talk", "buy-clay"])
    assert "- Where: Hall 7" in found.body
    assert "- Due: Thursday 2 April 2026" in found.body
