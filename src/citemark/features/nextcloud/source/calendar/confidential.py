"""Confidential events of others, of which Nextcloud delivers only the times and a summary that says "Busy"."""

import re

from citemark.extraction.content_lines import unfold

_DELIVERED = frozenset(
    {"CLASS", "CREATED", "DTEND", "DTSTART", "DURATION", "EXDATE", "EXRULE"}
    | {"RDATE", "RECURRENCE-ID", "RRULE", "SUMMARY", "UID"}
)
"""What the server leaves of a confidential entry for everyone but its owner. The owner's own has at least a DTSTAMP."""

_LINE = re.compile(r"[ \t]*([\w-]+)[;:]")
_CONFIDENTIAL = re.compile(r"[ \t]*CLASS(?:;[^:]*)?:[ \t]*CONFIDENTIAL\b", re.IGNORECASE)
_ENTRIES = ("VEVENT", "VTODO")


def shows_only_times(data: str) -> bool:
    """Tell whether iCalendar data is what somebody gets who may know when a confidential entry is, and no more."""
    depth = 0
    confidential = False
    for line in unfold(data).split("\n"):
        found = _LINE.match(line)
        name = found[1].upper() if found else ""
        if name == "BEGIN":
            depth += depth > 0 or line.partition(":")[2].strip().upper() in _ENTRIES
        elif name == "END":
            depth -= depth > 0
        elif name and depth:
            if name not in _DELIVERED:
                return False
            confidential = confidential or _CONFIDENTIAL.match(line) is not None
    return confidential
