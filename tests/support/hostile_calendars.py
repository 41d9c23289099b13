"""Events and contacts that nobody wrote to be read: each would hold up, or fill, whoever parses it unguarded."""

from collections.abc import Sequence

from tests.nextcloud.pim.texts import event


def standing(interval: str = "0", *, frequency: str = "DAILY") -> str:
    """An event whose dates never get past the first."""
    return event("standing", "Stands still", extra=[f"RRULE:FREQ={frequency};INTERVAL={interval}"])


def crowded(guests: int) -> str:
    """An event with many guests."""
    return event(
        "crowded", "Everybody", extra=[f"ATTENDEE;CN=Guest {n}:mailto:g{n}@example.org" for n in range(guests)]
    )


def nested(alarms: int) -> str:
    """An event with many reminders."""
    alarm = ("BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:-PT5M", "END:VALARM")
    return event("nested", "Reminds", extra=alarm * alarms)


def deep(levels: int) -> str:
    """An event in which components stand in each other."""
    return event("deep", "Deep", extra=["BEGIN:X-DEEP"] * levels + ["END:X-DEEP"] * levels)


def crowded_days(until: str = "") -> str:
    """A rule that gives 86,400 dates a day."""
    hours, sixty = ",".join(map(str, range(24))), ",".join(map(str, range(60)))
    return f"FREQ=DAILY;BYHOUR={hours};BYMINUTE={sixty};BYSECOND={sixty}{until and f';UNTIL={until}'}"


def ticking(rule: str = "FREQ=SECONDLY") -> str:
    """An event in a time zone that changes without end: whoever works the zone out never finishes."""
    zone = ["BEGIN:VTIMEZONE", "TZID:Nowhere/Ticking"]
    for part in ("STANDARD", "DAYLIGHT"):
        zone += [f"BEGIN:{part}", "DTSTART:19700101T000000", f"RRULE:{rule}"]
        zone += ["TZOFFSETFROM:+0000", "TZOFFSETTO:+0100", f"END:{part}"]
    zone.append("END:VTIMEZONE")
    made = event("ticking", "Ticks", zone="Nowhere/Ticking", start="20261201T100000")
    return made.replace("BEGIN:VEVENT", "\r\n".join([*zone, "BEGIN:VEVENT"]), 1)


def card(*lines: str) -> str:
    """A contact with lines as they are."""
    return "\r\n".join(["BEGIN:VCARD", "VERSION:3.0", "UID:card", "FN:Ada Hostile", *lines, "END:VCARD", ""])


def mailed(addresses: int) -> str:
    """A contact with many mail addresses."""
    return card(*(f"EMAIL;TYPE=WORK:a{n}@example.org" for n in range(addresses)))


def series(overrides: int, guests: int = 0) -> str:
    """A weekly event with that many occurrences changed by hand."""
    people: Sequence[str] = [f"ATTENDEE:mailto:g{n}@example.org" for n in range(guests)]
    changed = [
        line
        for n in range(overrides)
        for line in (
            "END:VEVENT", "BEGIN:VEVENT", "UID:series", f"RECURRENCE-ID:{20200101 + n}T100000Z",
            "DTSTAMP:20261101T080000Z", f"DTSTART:{20200101 + n}T110000Z", f"SUMMARY:Changed {n}", *people,
        )
    ]  # fmt: skip
    return event("series", "Weekly", extra=["RRULE:FREQ=WEEKLY", *changed])
