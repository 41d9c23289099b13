"""Converts iCalendar files, and the invitations in messages, to text: a section for each event or to-do."""

from collections.abc import Iterator
from types import MappingProxyType

from citemark.extraction.builder import Builder, inline
from citemark.extraction.calendar.components import (
    CalendarEntry,
    Component,
    attendees_of,
    parameter_of,
    parse_entries,
    text_of,
    values_of,
)
from citemark.extraction.calendar.facts import Fact, describe, people, repetition, shared_facts
from citemark.extraction.calendar.times import end_of, span_words, when_of
from citemark.extraction.content_lines import left_out_note
from citemark.extraction.decoding import decoded
from citemark.model.text import Extracted

_READ = ("VEVENT", "VTODO", "VJOURNAL")

_METHODS = MappingProxyType(
    {
        "REQUEST": "invitation",
        "CANCEL": "cancellation",
        "REPLY": "answer to an invitation",
        "COUNTER": "proposal of another time",
        "DECLINECOUNTER": "refusal of another time",
        "REFRESH": "request for the latest version",
        "ADD": "further dates",
    }
)
"""What a message does with an entry, in words (RFC 5546)."""

_MOST_ENTRIES = 5_000
"""Entries of one file; a busy calendar gets about a thousand in a year."""


def extract_calendar(data: bytes, *, fallback_title: str) -> Extracted:
    """Extract the events, to-dos and journal entries of an iCalendar file, each as a section with its title.

    Raises:
        SkippableSourceError: the file is not iCalendar, or holds no entry.
    """
    text = decoded(data)
    builder = Builder()
    write_entries(builder, text.text)
    return builder.finish(title=fallback_title, nothing="The file holds no calendar entries.", read_as=text.read_as)


def write_entries(builder: Builder, data: str, *, level: int = 1) -> int:
    """Add a section for each entry, and return how many were added.

    Raises:
        SkippableSourceError: the data is not iCalendar.
    """
    entries = parse_entries(data, _READ)
    for entry in entries[:_MOST_ENTRIES]:
        _write(builder, entry, level)
    builder.leave_out("calendar entry", len(entries) - _MOST_ENTRIES)
    if entries and entries[0].left_out:
        builder.cut(left_out_note(entries[0].left_out))
    return min(len(entries), _MOST_ENTRIES)


def _write(builder: Builder, entry: CalendarEntry, level: int) -> None:
    component = entry.master
    builder.heading(inline(text_of(component, "SUMMARY")).text or "Untitled entry", level)
    describe(builder, list(_facts(entry, component)), text_of(component, "DESCRIPTION"))
    if attendees_of(component):
        people(builder, component)
    for changed in entry.overrides:
        facts = [fact for fact in _facts(entry, changed) if fact[0] in {"When", "Due", "Where", "State"}]
        builder.paragraph(f"Changed date: {inline(text_of(changed, 'SUMMARY')).text}".rstrip(": "))
        describe(builder, facts, "")
    builder.leave_out("embedded file", sum(map(_is_stored, values_of(component, "ATTACH"))))


def _facts(entry: CalendarEntry, component: Component) -> Iterator[Fact]:
    start, end = when_of(component, "DTSTART"), end_of(component)
    due = when_of(component, "DUE") or (end_of(component, name="DUE") if component.name == "VTODO" else None)
    yield "Kind", _METHODS.get(text_of(entry.calendar, "METHOD").upper(), "")
    yield "When", span_words(start, end) if start is not None else ""
    yield "Due", due.words if due is not None else ""
    yield "Where", text_of(component, "LOCATION")
    yield from repetition(component)
    yield "State", text_of(component, "STATUS").lower().replace("confirmed", "")
    yield from shared_facts(component, "", "Calendar")


def _is_stored(value: object) -> bool:
    return bool(parameter_of(value, "ENCODING")) or str(value).lower().startswith("data:")
