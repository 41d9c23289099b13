"""Shared by the texts of events and to-dos: facts, people, repetition, dates and metadata."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from citemark.extraction.builder import Builder, TextRun
from citemark.extraction.calendar.components import (
    CalendarEntry,
    Component,
    Participant,
    attendees_of,
    categories_of,
    organizer_of,
    parameter_of,
    text_of,
    unreadable,
    values_of,
)
from citemark.extraction.calendar.occurrences import next_occurrences
from citemark.extraction.calendar.times import (
    StoredTime,
    end_of,
    rules_in_words,
    span_words,
    when,
    when_of,
    written_rules,
)
from citemark.extraction.html.document import read_html

Fact = tuple[str, str | Sequence[TextRun]]
"""A label and its value, as text or as runs with links."""

_BLANK = re.compile(r"\n\s*\n")
_CLASSES = MappingProxyType({"PRIVATE": "private", "CONFIDENTIAL": "confidential"})
_MOST_DATES = 20
"""Most dates listed per line; of the others, only the number is given."""

_MOST_OVERRIDES = 50
"""Changed occurrences that are described, a year of a weekly meeting."""

_REMINDS = re.compile(
    r"(?:this is an? (?:event|mozilla)?\s*reminder|(?:default )?(?:mozilla )?(?:description|reminder|alarm|alert)|"
    r"event reminder|erinnerung|rappel|recordatorio)[.!]?",
    re.IGNORECASE,
)
"""What programs write as the text of a reminder."""

_DATA = "data:"
_WORD = re.compile(r"\w+")


def describe(builder: Builder, facts: Sequence[Fact], description: str) -> None:
    """Write the facts as a list, and the description below them, one paragraph each."""
    for name, value in facts:
        if value:
            builder.item([TextRun(f"{name}: "), *([TextRun(value)] if isinstance(value, str) else value)])
    for part in _BLANK.split(description.replace("\r\n", "\n").strip()):
        builder.paragraph(part)


def shared_facts(component: Component, collection: str, name: str) -> Iterator[Fact]:
    """Yield the facts that events and to-dos share, in order. `name` is what the kind of collection is called."""
    yield name, collection
    organizer = organizer_of(component)
    yield "Organizer", organizer.words if organizer is not None else ""
    yield "Categories", ", ".join(categories_of(component))
    yield "Visibility", _CLASSES.get(text_of(component, "CLASS").upper(), "")
    address = text_of(component, "URL")
    yield "Link", [TextRun(address, address)] if address else ""
    for value in values_of(component, "ATTACH"):
        yield "Attachment", _attachment(value)
    for key, label in (("COMMENT", "Comment"), ("CONTACT", "Contact"), ("CONFERENCE", "Conference")):
        for value in values_of(component, key):
            yield label, str(value).strip()
    for words in reminders_of(component):
        yield "Reminder", words
    resources = ",".join(map(str, values_of(component, "RESOURCES"))).split(",")
    yield "Resources", ", ".join(filter(None, map(str.strip, resources)))
    yield "Not readable", "; ".join(unreadable(component))


def description_of(component: Component) -> str:
    """The description of an entry, and what the page beside it says if there are other words in it."""
    plain = text_of(component, "DESCRIPTION")
    page = text_of(component, "X-ALT-DESC")
    if not page:
        return plain
    builder = Builder()
    read_html(page, builder)
    said = "" if builder.empty else builder.finish(title="", nothing="").body
    new = set(_WORD.findall(said)) - set(_WORD.findall(plain))
    return f"{plain}\n\n{said}".strip() if new else plain


def count_lost(builder: Builder, item: CalendarEntry) -> None:
    """Count the properties of an entry that cannot be read."""
    parts = (item.master, *item.overrides)
    builder.leave_out("property that cannot be read", sum(len(unreadable(part)) for part in parts))


def reminders_of(component: Component) -> Iterator[str]:
    """Yield what reminders say, if a person wrote it: programs put the title there, or the word "reminder"."""
    usual = {text_of(component, "SUMMARY").casefold(), text_of(component, "DESCRIPTION").casefold(), ""}
    for alarm in component.subcomponents:
        if alarm.name == "VALARM":
            for name in ("SUMMARY", "DESCRIPTION"):
                words = text_of(alarm, name)
                if words.casefold() not in usual and not _REMINDS.fullmatch(words):
                    yield words


def people(builder: Builder, component: Component) -> list[Participant]:
    """Write who is invited, and return them."""
    found = attendees_of(component)
    if found:
        builder.paragraph("Attendees:")
    for person in found:
        builder.item(person.words)
    return found


def repetition(component: Component) -> Iterator[Fact]:
    """Yield the rules in words and in iCalendar notation, and the extra and excluded dates."""
    for words, written in zip(rules_in_words(component), written_rules(component), strict=False):
        yield "Repeats", f"{words} (rule: {written})"
    for name, label in (("RDATE", "Also on"), ("EXDATE", "Not on")):
        dates = [at for each in values_of(component, name) for at in _dates(each)]
        more = f" and {len(dates) - _MOST_DATES} more dates" if len(dates) > _MOST_DATES else ""
        yield label, "; ".join(at.words for at in dates[:_MOST_DATES]) + more


def dates(builder: Builder, item: CalendarEntry, name: str, now: datetime) -> None:
    """Write the next dates of what repeats, and all occurrences that were changed by hand."""
    if not item.overrides and not any(values_of(item.master, rule) for rule in ("RRULE", "RDATE")):
        return
    found = next_occurrences(item, name, now)
    today = StoredTime(now.date()).day
    if found is None:
        builder.paragraph("The next dates are not worked out: the rule is too dense, or contradicts itself.")
    elif not found:
        builder.paragraph(f"No dates from {today} on.")
    else:
        builder.paragraph(f"Next dates from {today} on:")
        for each in found:
            notes = [
                note
                for note in (each.summary, "changed" if each.changed else "", "cancelled" if each.cancelled else "")
                if note
            ]
            period = span_words(each.start, each.end)
            builder.item(f"{period}: {', '.join(notes)}" if notes else period)
    if item.overrides:
        builder.paragraph("Occurrences changed by hand:")
    for part in item.overrides[:_MOST_OVERRIDES]:
        builder.item("; ".join(_override(part, item.master)))
    if len(item.overrides) > _MOST_OVERRIDES:
        builder.cut(f"{len(item.overrides) - _MOST_OVERRIDES} more changed occurrences are left out.")


def metadata(component: Component, collection: str, name: str, given: Mapping[str, str]) -> dict[str, str]:
    """Return the metadata shown beside a hit and used by filters; several values are separated by line breaks."""
    organizer = organizer_of(component)
    known = {
        **given,
        "Location": text_of(component, "LOCATION"),
        "Organizer": (organizer.name or organizer.mail) if organizer is not None else "",
        "Attendees": "\n".join(person.name or person.mail for person in attendees_of(component)),
        "Labels": "\n".join(categories_of(component)),
        "Recurrence": "\n".join(written_rules(component)),
        name: collection,
    }
    return {key: value for key, value in known.items() if value}


def _override(part: Component, master: Component) -> Iterator[str]:
    """Yield how an occurrence differs from its series."""
    instead_of = when_of(part, "RECURRENCE-ID")
    yield instead_of.words if instead_of is not None else "an occurrence"
    if text_of(part, "STATUS").upper() == "CANCELLED":
        yield "cancelled"
    start = when_of(part, "DTSTART")
    if start is not None and instead_of is not None and start.value != instead_of.value:
        yield f"moved to {span_words(start, end_of(part))}"
    for name, label in (("SUMMARY", "titled"), ("LOCATION", "at"), ("DESCRIPTION", "described as")):
        value = text_of(part, name)
        if value and value != text_of(master, name):
            yield f"{label} {value}"


def _dates(value: object) -> Iterator[StoredTime]:
    found: Sequence[object] = getattr(value, "dts", None) or (value,)
    for each in found:
        at = when(each)
        if at is not None:
            # The zone is a parameter of the list, not of its entries.
            zone = parameter_of(value, "TZID")
            yield StoredTime(at.value, zone) if zone and not at.is_date else at


def _attachment(value: object) -> str | Sequence[TextRun]:
    """Return a file of the account by its id, an address, or the name of a file stored inside the event."""
    name = parameter_of(value, "FILENAME") or parameter_of(value, "X-FILENAME") or parameter_of(value, "FMTTYPE")
    target = str(value).strip()
    if parameter_of(value, "ENCODING") or target.lower().startswith(_DATA):
        return name or "a file stored inside"
    file_id = parameter_of(value, "X-NC-FILE-ID")
    if file_id.isdecimal():
        target = f"/index.php/f/{file_id}"
    return [TextRun(name.rpartition("/")[2] or target, target)]
