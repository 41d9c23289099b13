"""The little that a listing needs of iCalendar and vCard data, read without parsing it: broken data has a name too."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

_FOLD = re.compile(r"\n[ \t]")
_LINE = re.compile(
    r"^[ \t]*(?P<name>BEGIN|END|UID|RRULE|RDATE|LAST-MODIFIED|REV|DTSTAMP)(?:;[^:\n]*)?:(?P<value>.*)$",
    re.IGNORECASE | re.MULTILINE,
)
"""The lines that say what is asked: all others are passed over by the pattern, however many there are."""

_MOMENT = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)T(\d\d):?(\d\d):?(\d\d)(?:\.\d+)?Z")
_LONGEST_UID = 512
_CHANGED = frozenset({"LAST-MODIFIED", "REV", "DTSTAMP"})
"""What names the last change: DTSTAMP too in what is stored and not sent (RFC 5545, 3.8.7.2)."""


@dataclass(frozen=True, slots=True)
class ComponentSummary:
    """What data says of itself. `doc_type` is "" for what is none of the kinds asked for."""

    doc_type: str
    uid: str
    repeats: bool
    modified_at: datetime | None
    digest: str


def unify_line_breaks(data: str) -> str:
    """The text with one kind of line break: XML turns one into the other on the way."""
    return data.replace("\r\n", "\n").replace("\r", "\n")


def unfold(data: str) -> str:
    """The text with a line for each property."""
    return _FOLD.sub("", unify_line_breaks(data))


def summarize(data: str, components: Mapping[str, str]) -> ComponentSummary:
    """Read what stands directly in the first component that `components` names."""
    text = unify_line_breaks(data)
    # Servers differ in whether the last line is ended; that is no change.
    digest = hashlib.sha256(text.strip().encode("utf-8", "surrogatepass")).hexdigest()
    inside: list[str] = []
    doc_type, uid, repeats, modified = "", "", False, None
    for found in _LINE.finditer(_FOLD.sub("", text)):
        name, value = found["name"].upper(), found["value"].strip()
        if name == "BEGIN":
            inside.append(value.upper())
            doc_type = doc_type or components.get(value.upper(), "")
        elif name == "END":
            if inside:
                inside.pop()
        elif inside and components.get(inside[-1]) == doc_type != "":
            uid = uid or (value[:_LONGEST_UID] if name == "UID" else "")
            repeats = repeats or name in {"RRULE", "RDATE"}
            if name in _CHANGED and (moment := _moment(value)) is not None:
                modified = moment if modified is None else max(modified, moment)
    return ComponentSummary(doc_type, uid, repeats, modified, digest)


def _moment(value: str) -> datetime | None:
    found = _MOMENT.fullmatch(value)
    if found is None:
        return None
    try:
        return datetime(*map(int, found.groups()), tzinfo=UTC)  # type: ignore[misc]
    except ValueError:
        return None
