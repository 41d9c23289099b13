"""iCalendar data as components: the one that a document is about, its changed occurrences, and the people in it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, cast

from icalendar import Calendar

from citemark.extraction.calendar.lenient_parser import Component, parse_calendars, remove_broken
from citemark.extraction.calendar.mended_lines import mended_lines
from citemark.extraction.calendar.zones import with_plain_times
from citemark.extraction.content_lines import cap_properties, unfold, unify_line_breaks
from citemark.model.errors import SkippableSourceError

_MOST_CHARACTERS = 5_000_000
"""Of the data of one event; real ones have some kilobytes."""

_LONGEST_REASON = 200
"""Characters of a library's error that a message repeats."""

_LONGEST_VALUE = 200
"""Characters of a value that cannot be read and is shown as it is written."""

_ANSWERS = MappingProxyType(
    {
        "NEEDS-ACTION": "has not answered",
        "ACCEPTED": "accepted",
        "DECLINED": "declined",
        "TENTATIVE": "tentative",
        "DELEGATED": "delegated",
        "COMPLETED": "completed",
        "IN-PROCESS": "in process",
    }
)

_ROLES = MappingProxyType({"CHAIR": "chair", "OPT-PARTICIPANT": "optional", "NON-PARTICIPANT": "for information"})
_KINDS = MappingProxyType({"ROOM": "room", "RESOURCE": "resource", "GROUP": "group"})
_MAILTO = "mailto:"


@dataclass(frozen=True, slots=True)
class CalendarEntry:
    """One event or to-do.

    Attributes:
        calendar: the data, with its time zones.
        master: the component itself.
        overrides: occurrences that were changed by hand.
        left_out: number of properties left out because there were too many.
        unbalanced: how many components of the data had no end or no beginning.
        others: how many components of the data are neither entries nor time zones.
    """

    calendar: Calendar
    master: Component
    overrides: tuple[Component, ...]
    left_out: int = 0
    unbalanced: int = 0
    others: int = 0


def parse_entry(data: str, name: str) -> CalendarEntry:
    """Parse the first component of a name ("VEVENT", "VTODO"), with its overrides.

    Raises:
        SkippableSourceError: the data is not iCalendar, or has no such component; the message says what is wrong.
    """
    entry = next(iter(parse_entries(data, (name,))), None)
    if entry is None:
        raise SkippableSourceError(f"The calendar data holds no {name}.")
    return entry


def parse_entries(data: str, names: Sequence[str]) -> list[CalendarEntry]:
    """Parse all components of some names, each with its overrides, in the order of the data.

    Raises:
        SkippableSourceError: the data is not iCalendar; the message says what is wrong.
    """
    calendars, left_out, unbalanced = _parsed(data)
    parts = [part.name for calendar in calendars for part in calendar.subcomponents]
    others = sum(name not in {"VTIMEZONE", *names} for name in parts)
    return [
        replace(entry, left_out=left_out, unbalanced=unbalanced, others=others)
        for calendar in calendars
        for entry in _entries(calendar, names)
    ]


def _parsed(data: str) -> tuple[Sequence[Calendar], int, int]:
    """The calendars in the data, how many properties were left out because there were too many, and open components."""
    if len(data) > _MOST_CHARACTERS:
        raise SkippableSourceError(
            f"The calendar data has {len(data):,} characters, more than the {_MOST_CHARACTERS:,} that are read."
        )
    capped = cap_properties(unfold(data))
    # Rules have to be mended before parsing, during which the library already follows those of time zones.
    mended = mended_lines(unify_line_breaks(capped.data))
    try:
        clean = with_plain_times(mended.data).encode("utf-8", "replace").decode()
        return parse_calendars(clean), capped.left_out, mended.unbalanced
    except OSError as error:
        # A zone's name is looked up as a file.
        raise SkippableSourceError("The calendar data is broken: a time zone in it has no possible name.") from error
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, OverflowError) as error:
        # On broken data, the library raises whatever error its parsing happens to hit.
        raise SkippableSourceError(f"The calendar data is broken: {str(error)[:_LONGEST_REASON]}") from error


def _entries(calendar: Calendar, names: Sequence[str]) -> Iterator[CalendarEntry]:
    """The entries of one calendar; the changed dates of a component are those with its UID, in one entry with it."""
    by_uid: dict[tuple[str, str], list[Component]] = {}
    for number, part in enumerate(calendar.subcomponents):
        if part.name in names:
            remove_broken(part)
            uid = text_of(part, "UID") or f" {number}"
            by_uid.setdefault((str(part.name), uid), []).append(part)
    for found in by_uid.values():
        masters = [part for part in found if not _is_override(part)] or found[:1]
        overrides = tuple(part for part in found if part is not masters[0] and _is_override(part))
        yield CalendarEntry(calendar, masters[0], overrides)
        for other in masters[1:]:  # programs copy entries together with their UID
            yield CalendarEntry(calendar, other, ())


def _is_override(part: Component) -> bool:
    return "RECURRENCE-ID" in part or bool(as_written(part, "RECURRENCE-ID"))


def unreadable(component: Component) -> list[str]:
    """Return the properties whose values could not be read, as written; "a line" for what is not a property."""
    found = [f"{name}: {value[:_LONGEST_VALUE]}" if name else "a line" for name, value in component.errors]
    return list(dict.fromkeys(found))


def as_written(component: Component, name: str) -> str:
    """Return the value of a property that could not be read, as it is written; "" if it could be."""
    written = next((value for error, value in component.errors if error == name), "")
    return " ".join(written.strip('"').split())[:_LONGEST_VALUE]


def values_of(component: Component, name: str) -> list[Any]:
    """Return all values of a property, in order."""
    value = component.get(name)
    if value is None:
        return []
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def value_of(component: Component, name: str) -> Any | None:
    """Return the first value of a property."""
    return next(iter(values_of(component, name)), None)


def text_of(component: Component, name: str) -> str:
    """Return the first value of a property as text; "" where it is missing."""
    value = value_of(component, name)
    return "" if value is None else str(value).strip()


def parameter_of(value: Any, name: str) -> str:
    """Return a parameter of a value, such as TZID; "" where it has none."""
    parameters: Any = getattr(value, "params", None)
    found: Any = parameters.get(name) if parameters is not None else None
    if isinstance(found, list):
        return ", ".join(map(str, cast("list[Any]", found)))
    return "" if found is None else str(found).strip()


def categories_of(component: Component) -> tuple[str, ...]:
    """Return the categories without duplicates."""
    found: list[str] = []
    for value in values_of(component, "CATEGORIES"):
        cats: Any = getattr(value, "cats", None)
        names = cats if cats is not None else str(value).split(",")
        found.extend(str(each).strip() for each in cast("Sequence[Any]", names))
    return tuple(dict.fromkeys(each for each in found if each))


@dataclass(frozen=True, slots=True)
class Participant:
    """A person named with an address. `mail` is "" if the address is not a mail address."""

    name: str
    mail: str
    notes: tuple[str, ...] = ()
    answer: str = ""

    @property
    def words(self) -> str:
        """Name, address and what is known about the participation."""
        named = f"{self.name} ({self.mail})" if self.name and self.mail else self.name or self.mail
        return f"{named}: {', '.join(self.notes)}" if self.notes else named


def organizer_of(component: Component) -> Participant | None:
    """Return who invited."""
    return next((_person(value, ()) for value in values_of(component, "ORGANIZER")), None)


def attendees_of(component: Component) -> list[Participant]:
    """Return who is invited, with their answers, without duplicates."""
    people = [_person(value, tuple(_notes(value)), _answer(value)) for value in values_of(component, "ATTENDEE")]
    return list({(person.mail or person.name).lower(): person for person in people if person.words}.values())


def _person(value: Any, notes: tuple[str, ...], answer: str = "") -> Participant:
    address = str(value).strip()
    mail = address[len(_MAILTO) :] if address.lower().startswith(_MAILTO) else ""
    mail = mail or parameter_of(value, "EMAIL") or (address if "@" in address and ":" not in address else "")
    name = parameter_of(value, "CN").strip('"')
    return Participant("" if name.lower() == mail.lower() else name, mail, notes, answer)


def _notes(value: Any) -> Iterator[str]:
    for words, name in ((_KINDS, "CUTYPE"), (_ROLES, "ROLE")):
        text = words.get(parameter_of(value, name).upper())
        if text:
            yield text
    answer = _answer(value)
    deputy = parameter_of(value, "DELEGATED-TO").strip('"').removeprefix(_MAILTO)
    yield f"{answer} to {deputy}" if answer == _ANSWERS["DELEGATED"] and deputy else answer


def _answer(value: Any) -> str:
    """Return the answer in words; invited people without one have not answered."""
    written = parameter_of(value, "PARTSTAT").upper() or "NEEDS-ACTION"
    return _ANSWERS.get(written, written.lower())
