"""The texts of events and to-dos; runs in the parsing process."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any

from citemark.extraction.builder import Builder, inline
from citemark.extraction.calendar.components import (
    CalendarEntry,
    Component,
    Participant,
    categories_of,
    organizer_of,
    parse_entry,
    text_of,
)
from citemark.extraction.calendar.facts import (
    Fact,
    count_lost,
    dates,
    describe,
    description_of,
    metadata,
    people,
    repetition,
    shared_facts,
)
from citemark.extraction.calendar.occurrences import series_of
from citemark.extraction.calendar.series_days import series_days
from citemark.extraction.calendar.times import due_words, end_of, when_of, when_words
from citemark.extraction.content_lines import left_out_note
from citemark.features.nextcloud.source.dav.kinds import ResourceLocation, ResourceText, resource_text_to_json
from citemark.features.nextcloud.source.links import event_url, links_in, task_url
from citemark.model.clock import Clock
from citemark.model.documents import StatedRelationship
from citemark.model.ids import NativeId
from citemark.model.stated_dates import CLOSED_STATES, DayRange, StatedDates
from citemark.model.text import Extracted, Span

EVENT, TODO = "calendar_event", "calendar_todo"
ATTENDEE, ORGANIZER = "attendee", "organizer"

_CALENDAR = "Calendar"
_UNTITLED = "(untitled)"
_EVENT_STATES = MappingProxyType({"CANCELLED": "cancelled", "TENTATIVE": "tentative", "CONFIRMED": "confirmed"})
_TODO_STATES = MappingProxyType({"COMPLETED": "done", "IN-PROCESS": "in progress", "CANCELLED": "cancelled"})
_HIGHEST, _HIGH, _MEDIUM, _LOWEST = 1, 4, 5, 9


class CalendarReader:
    """Turns the iCalendar data of events and to-dos into text; next dates count from the clock's day."""

    def __init__(self, server: str, clock: Clock) -> None:
        self._server = server
        self._clock = clock

    def __call__(self, data: str, _native_id: NativeId, location: ResourceLocation) -> ResourceText:
        """Turn an event or to-do into text.

        Raises:
            SkippableSourceError: the data is damaged; the message says how.
        """
        if _first_component(data) == "VTODO":
            return self._todo(parse_entry(data, "VTODO"), location)
        return self._event(parse_entry(data, "VEVENT"), location)

    def _event(self, item: CalendarEntry, location: ResourceLocation) -> ResourceText:
        event = item.master
        start, end = when_of(event, "DTSTART"), end_of(event)
        state = _EVENT_STATES.get(text_of(event, "STATUS").upper(), "")
        facts: list[Fact] = [
            ("When", when_words(event)),
            ("Where", text_of(event, "LOCATION")),
            *repetition(event),
            ("State", state if state != "confirmed" else ""),
            *shared_facts(event, location.label, _CALENDAR),
        ]
        fields = {
            "Start": start.stored if start is not None else "",
            "End": end.stored if end is not None else "",
            "Zone": start.zone if start is not None else "",
            "State": state,
        }
        dates_stated = StatedDates(
            begin=fields["Start"],
            end=fields["End"],
            series=series_of(item, "VEVENT", self._clock()),
            open=state not in CLOSED_STATES,
        )
        extracted, stated = self._text_and_relationships(item, "VEVENT", facts, "Event")
        known = metadata(event, location.label, _CALENDAR, fields)
        url = event_url(self._server, location.href)
        return ResourceText(extracted, url, stated, known, *_dated(item, "VEVENT", dates_stated))

    def _todo(self, item: CalendarEntry, location: ResourceLocation) -> ResourceText:
        todo = item.master
        start, due = when_of(todo, "DTSTART"), when_of(todo, "DUE") or end_of(todo, name="DUE")
        done = when_of(todo, "COMPLETED")
        percent = text_of(todo, "PERCENT-COMPLETE")
        state = _TODO_STATES.get(text_of(todo, "STATUS").upper(), "done" if done is not None else "open")
        priority = _priority(text_of(todo, "PRIORITY"))
        facts: list[Fact] = [
            ("To do", state),
            ("Due", due_words(todo)),
            ("Start", start.words if start is not None else ""),
            ("Done", f"{done.words}" if done is not None else ""),
            ("Progress", f"{percent} %" if percent and percent != "0" else ""),
            ("Priority", priority),
            ("Where", text_of(todo, "LOCATION")),
            *repetition(todo),
            *shared_facts(todo, location.label, "List"),
        ]
        fields = {
            "Start": start.stored if start is not None else "",
            "Due": due.stored if due is not None else "",
            "State": state,
            "Progress": percent,
            "Priority": priority,
        }
        dates_stated = StatedDates(
            begin=fields["Start"],
            due=fields["Due"],
            series=series_of(item, "VTODO", self._clock()),
            open=state not in CLOSED_STATES,
        )
        extracted, stated = self._text_and_relationships(item, "VTODO", facts, "To-do")
        known = metadata(todo, location.label, _CALENDAR, fields)
        url = task_url(self._server, location.href)
        return ResourceText(extracted, url, stated, known, *_dated(item, "VTODO", dates_stated))

    def _text_and_relationships(
        self, item: CalendarEntry, name: str, facts: list[Fact], what: str
    ) -> tuple[Extracted, tuple[StatedRelationship, ...]]:
        """Return the text, and the relationships it states."""
        title = inline(text_of(item.master, "SUMMARY")).text
        builder = Builder()
        builder.heading(title or f"{what} {_UNTITLED}", 1)
        describe(builder, facts, description_of(item.master))
        attendees = people(builder, item.master)
        dates(builder, item, name, self._clock())
        count_lost(builder, item)
        builder.leave_out("component without an end or a beginning", item.unbalanced)
        if item.left_out:
            builder.cut(left_out_note(item.left_out))
        extracted = builder.finish(
            title=title or f"{what} {_UNTITLED}", nothing="It holds no text.", tags=categories_of(item.master)
        )
        stated = (*_stated(extracted, item.master, attendees), *links_in(self._server, extracted))
        return extracted, stated


def read_entry(
    data: bytes, *, server: str, now: str, native_id: str, location: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield the text of an event or to-do as one part; the function that a parsing process runs for calendars."""
    reader = CalendarReader(server, lambda: datetime.fromisoformat(now))
    yield resource_text_to_json(
        reader(data.decode("utf-8", "replace"), NativeId(native_id), ResourceLocation(**location))
    )


def _stated(extracted: Extracted, component: Component, attendees: list[Participant]) -> Iterable[StatedRelationship]:
    """Return the people of an event by their mail addresses, which contacts state as well."""
    organizer = organizer_of(component)
    named = [(ATTENDEE, person) for person in attendees]
    if organizer is not None:
        named.insert(0, (ORGANIZER, organizer))
    section = extracted.sections[0].slug if extracted.sections else None
    for kind, person in named:
        if person.mail:
            text = inline(person.words).text
            start = max(0, extracted.body.find(text))
            span = Span(start, min(len(extracted.body), start + len(text)))
            known = {"name": person.name, "answer": person.answer}
            yield StatedRelationship(
                kind,
                section,
                None,
                f"mailto:{person.mail.lower()}",
                span,
                metadata={key: value for key, value in known.items() if value},
            )


def _dated(
    item: CalendarEntry, name: str, stated: StatedDates
) -> tuple[StatedDates | None, tuple[DayRange, ...], tuple[str, ...]]:
    """Return the dates, days and labels of an entry; one without a start or a due date has no dates."""
    labels = tuple(categories_of(item.master))
    if not (stated.begin or stated.due):
        return None, (), labels
    return stated, series_days(item, name, stated), labels


def _first_component(data: str) -> str:
    upper = data.upper()
    todo, event = upper.find("BEGIN:VTODO"), upper.find("BEGIN:VEVENT")
    return "VTODO" if todo >= 0 and (event < 0 or todo < event) else "VEVENT"


def _priority(written: str) -> str:
    """Return the priority in words. RFC 5545: 1 is the highest, 5 medium, 9 the lowest, 0 undefined."""
    if not written.isdecimal() or not _HIGHEST <= int(written) <= _LOWEST:
        return ""
    number = int(written)
    return "high" if number <= _HIGH else "medium" if number == _MEDIUM else "low"
