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
from citemark.extraction.calendar.facts import (
    Fact,
    count_lost,
    describe,
    description_of,
    people,
    repetition,
    shared_facts,
)
from citemark.extraction.calendar.times import due_words, when_words
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

_OF_A_DATE = frozenset({"When", "Due", "Where", "State"})
"""Facts of a changed date that are named even if they are those of the series."""

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
    if entries:
        builder.leave_out("calendar component of another kind", entries[0].others)
        builder.leave_out("component without an end or a beginning", entries[0].unbalanced)
    if entries and entries[0].left_out:
        builder.cut(left_out_note(entries[0].left_out))
    return min(len(entries), _MOST_ENTRIES)


def _write(builder: Builder, entry: CalendarEntry, level: int) -> None:
    component = entry.master
    builder.heading(inline(text_of(component, "SUMMARY")).text or "Untitled entry", level)
    shown = list(_facts(entry, component))
    describe(builder, shown, description_of(component))
    if attendees_of(component):
        people(builder, component)
    for changed in entry.overrides:
        facts = [fact for fact in _facts(entry, changed) if fact[0] in _OF_A_DATE or fact not in shown]
        builder.paragraph(f"Changed date: {inline(text_of(changed, 'SUMMARY')).text}".rstrip(": "))
        said = description_of(changed)
        describe(builder, facts, said if said != description_of(component) else "")
    count_lost(builder, entry)
    builder.leave_out("embedded file", sum(map(_is_stored, values_of(component, "ATTACH"))))


def _facts(entry: CalendarEntry, component: Component) -> Iterator[Fact]:
    yield "Kind", _METHODS.get(text_of(entry.calendar, "METHOD").upper(), "")
    yield "When", when_words(component)
    yield "Due", due_words(component)
    yield "Where", text_of(component, "LOCATION")
    yield from repetition(component)
    yield "State", text_of(component, "STATUS").lower().replace("confirmed", "")
    yield from shared_facts(component, "", "Calendar")


def _is_stored(value: object) -> bool:
    return bool(parameter_of(value, "ENCODING")) or str(value).lower().startswith("data:")
