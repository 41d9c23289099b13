"""iCalendar and vCard data as lines (RFC 5545, 3.1): summarized without parsing, and capped before libraries see it."""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

_FOLD = re.compile(r"\n[ \t]")
_LINE = re.compile(
    r"^[ \t]*(?P<name>BEGIN|END|UID|RRULE|RDATE|LAST-MODIFIED|REV|DTSTAMP)(?:;[^:\n]*)?:(?P<value>.*)$",
    re.IGNORECASE | re.MULTILINE,
)
"""The lines that matter to a summary; the pattern skips all others, however many there are."""

_MOMENT = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)T(\d\d):?(\d\d):?(\d\d)(?:\.\d+)?Z")
_LONGEST_UID = 512
"""Characters of a UID that are kept: it becomes a native id, which has to fit into an index."""

_CHANGED = frozenset({"LAST-MODIFIED", "REV", "DTSTAMP"})
"""Properties that hold the time of the last change; DTSTAMP counts in stored data (RFC 5545, 3.8.7.2)."""


MOST_OF_A_NAME = 5_000
"""Properties of one name in one component: no meeting has more guests, no daily series more exceptions in ten years."""

MOST_PROPERTIES = 20_000
"""In all: a series with 200 changed occurrences of 100 guests each; parsing them takes about a second."""

_NAME = re.compile(r"(?:[\w-]+\.)?([\w-]+)[;:]")
"""A property's name; a vCard may put a group before it."""

_BEGIN = re.compile(r"BEGIN:\s*([\w-]+)", re.IGNORECASE)
_END = re.compile(r"END:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ComponentSummary:
    """Identifying properties of the data. `doc_type` is "" if it is of none of the requested kinds."""

    doc_type: str
    uid: str
    repeats: bool
    modified_at: datetime | None
    digest: str


def unify_line_breaks(data: str) -> str:
    """Return the text with one kind of line break, because XML converts one kind into the other."""
    return data.replace("\r\n", "\n").replace("\r", "\n")


def unfold(data: str) -> str:
    """Return the text with one line per property."""
    return _FOLD.sub("", unify_line_breaks(data))


def summarize(data: str, components: Mapping[str, str]) -> ComponentSummary:
    """Read what is directly in the first component that `components` names. Damaged data can be read, too.

    Args:
        data: of a resource.
        components: document types by component name, such as "VEVENT".
    """
    text = unify_line_breaks(data)
    # Servers differ in whether the last line ends with a line break; that is not a change.
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


@dataclass(frozen=True, slots=True)
class CappedData:
    """Data that is safe to parse, and how many properties were left out of it."""

    data: str
    left_out: int = 0


def cap_properties(data: str) -> CappedData:
    """Return the data without properties in excess; components that are open at the cut are closed."""
    if data.count("\n") + data.count("\r") <= MOST_OF_A_NAME:
        return CappedData(data)
    lines = [line for line in unfold(data).split("\n") if line]
    kept: list[str] = []
    inside: list[tuple[str, Counter[str]]] = []
    for number, line in enumerate(lines):
        if len(kept) >= MOST_PROPERTIES:
            kept += [f"END:{name}" for name, _ in reversed(inside)]
            return CappedData("\r\n".join([*kept, ""]), len(lines) - number)
        if (begun := _BEGIN.match(line)) is not None:
            inside.append((begun[1], Counter()))
        elif _END.match(line):
            if inside:
                inside.pop()
        elif inside and (named := _NAME.match(line)) is not None:
            seen = inside[-1][1]
            seen[named[1].upper()] += 1
            if seen[named[1].upper()] > MOST_OF_A_NAME:
                continue
        kept.append(line)
    return CappedData("\r\n".join([*kept, ""]), len(lines) - len(kept))


def left_out_note(left_out: int) -> str:
    """Return the sentence that a text contains if properties were left out."""
    return f"{left_out:,} more lines of the data are left out."
