"""Texts of events, tasks and contacts, as a client would write them."""

from collections.abc import Sequence

from tests.nextcloud.pim.lines import folded

BERLIN = (
    "BEGIN:VTIMEZONE",
    "TZID:Europe/Berlin",
    "BEGIN:DAYLIGHT",
    "TZOFFSETFROM:+0100",
    "TZOFFSETTO:+0200",
    "TZNAME:CEST",
    "DTSTART:19700329T020000",
    "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU",
    "END:DAYLIGHT",
    "BEGIN:STANDARD",
    "TZOFFSETFROM:+0200",
    "TZOFFSETTO:+0100",
    "TZNAME:CET",
    "DTSTART:19701025T030000",
    "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU",
    "END:STANDARD",
    "END:VTIMEZONE",
)


def escaped(text: str) -> str:
    """A TEXT value of iCalendar and vCard."""
    for plain, written in (("\\", "\\\\"), ("\n", "\\n"), (",", "\\,"), (";", "\\;")):
        text = text.replace(plain, written)
    return text


def event(
    uid: str,
    summary: str,
    *,
    start: str = "20261201T100000Z",
    minutes: int = 60,
    description: str = "",
    location: str = "",
    zone: str | None = None,
    extra: Sequence[str] = (),
) -> str:
    """A calendar with one event; `start` as iCalendar writes it, `extra` as whole lines."""
    named = f";TZID={zone}" if zone else ""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//double//texts//EN",
        *(BERLIN if zone == "Europe/Berlin" else ()),
        "BEGIN:VEVENT",
        f"UID:{uid}",
        "DTSTAMP:20261101T080000Z",
        f"SUMMARY:{escaped(summary)}",
        f"DTSTART{named}:{start}",
        f"DURATION:PT{minutes}M",
        *([f"DESCRIPTION:{escaped(description)}"] if description else []),
        *([f"LOCATION:{escaped(location)}"] if location else []),
        *extra,
        "END:VEVENT",
        "END:VCALENDAR",
    ]
    return folded(lines)


def todo(
    uid: str, summary: str, *, due: str | None = None, status: str = "NEEDS-ACTION", extra: Sequence[str] = ()
) -> str:
    """A calendar with one task."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//double//texts//EN",
        "BEGIN:VTODO",
        f"UID:{uid}",
        "DTSTAMP:20261101T080000Z",
        f"SUMMARY:{escaped(summary)}",
        *([f"DUE:{due}"] if due else []),
        f"STATUS:{status}",
        *extra,
        "END:VTODO",
        "END:VCALENDAR",
    ]
    return folded(lines)


def contact(uid: str, name: str, *, version: str = "3.0", email: str = "", extra: Sequence[str] = ()) -> str:
    """One vCard."""
    given, _, family = name.partition(" ")
    lines = [
        "BEGIN:VCARD",
        f"VERSION:{version}",
        f"UID:{uid}",
        f"FN:{escaped(name)}",
        f"N:{escaped(family)};{escaped(given)};;;",
        *([f"EMAIL;TYPE=WORK:{email}"] if email else []),
        *extra,
        "END:VCARD",
    ]
    return folded(lines)
