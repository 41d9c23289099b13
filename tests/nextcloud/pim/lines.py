"""iCalendar and vCard as lines: enough to look at a component and to leave things out, no more."""

import re
from collections.abc import Iterator

_FOLD = re.compile(r"\r?\n[ \t]")
_KEPT_WHEN_BUSY = frozenset(
    {"CREATED", "DTSTART", "DTEND", "DURATION", "RRULE", "RDATE", "EXDATE", "EXRULE", "RECURRENCE-ID", "CLASS", "UID"}
)
_SHOWN = frozenset({"VEVENT", "VTODO", "VJOURNAL"})


def unfolded(text: str) -> list[str]:
    """The content lines."""
    return [line for line in _FOLD.sub("", text).splitlines() if line]


def split(line: str) -> tuple[str, str]:
    """The property's name in upper case, without parameters and group, and its value."""
    quoted = False
    for place, letter in enumerate(line):
        if letter == '"':
            quoted = not quoted
        elif letter == ":" and not quoted:
            name = line[:place].partition(";")[0].rpartition(".")[2]
            return name.upper(), line[place + 1 :]
    return line.upper(), ""


def values(text: str, name: str) -> list[str]:
    """The values of all properties of a name, wherever they are."""
    return [value for found, value in map(split, unfolded(text)) if found == name]


def first(text: str, name: str) -> str | None:
    return next(iter(values(text, name)), None)


def uid_of(text: str) -> str | None:
    return first(text, "UID")


def component_of(text: str) -> str:
    """VEVENT, VTODO or VJOURNAL: the first that begins."""
    return next((value.upper() for value in values(text, "BEGIN") if value.upper() in _SHOWN), "VEVENT")


def class_of(text: str) -> str:
    """PUBLIC, PRIVATE or CONFIDENTIAL."""
    return (first(text, "CLASS") or "PUBLIC").upper()


def for_sharee(text: str) -> str:
    """What a sharee is delivered: no alarms, and of a confidential event only its time."""
    lines = list(_without_alarms(unfolded(text)))
    if class_of(text) == "CONFIDENTIAL":
        lines = list(_busy(lines))
    return folded(lines)


def folded(lines: list[str]) -> str:
    """The lines with CRLF, cut at 75 bytes as iCalendar wants."""
    return "".join(f"{_fold(line)}\r\n" for line in lines)


def _fold(line: str) -> str:
    if len(line) <= 75 and line.isascii():
        return line
    parts: list[str] = []
    rest = line
    while len(rest.encode()) > 75:
        cut = 74
        while len(rest[:cut].encode()) > 74:
            cut -= 1
        parts.append(rest[:cut])
        rest = rest[cut:]
    return "\r\n ".join([*parts, rest])


def _without_alarms(lines: list[str]) -> Iterator[str]:
    inside = False
    for line in lines:
        if line.upper() == "BEGIN:VALARM":
            inside = True
        if not inside:
            yield line
        if line.upper() == "END:VALARM":
            inside = False


def _busy(lines: list[str]) -> Iterator[str]:
    inside = False
    for line in lines:
        name, value = split(line)
        if name in {"BEGIN", "END"}:
            inside = (inside or name == "BEGIN") and (value.upper() in _SHOWN) == (name == "BEGIN")
            yield line
        elif not inside or name in _KEPT_WHEN_BUSY:
            yield line
        elif name == "SUMMARY":
            yield "SUMMARY:Busy"


def as_version_3(text: str) -> str:
    """A vCard as the server hands it out: 4.0 becomes 3.0."""
    lines = unfolded(text)
    if first(text, "VERSION") != "4.0":
        return text
    return folded([line for found in lines for line in _older(found)])


def _older(line: str) -> Iterator[str]:
    name, value = split(line)
    if name == "VERSION":
        yield "VERSION:3.0"
        yield "PRODID:-//Sabre//Sabre VObject 4.5.4//EN"
    elif name == "KIND" and value.lower() == "org":
        yield "X-ABSHOWAS:COMPANY"
    elif name != "PRODID":
        yield line
