"""Who takes part in an event or has to do with a to-do."""

from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from citemark.sources.nextcloud.calendar.components import Component, parameter_of, values_of

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
class Person:
    """Somebody named with an address. `mail` is "" where the address is no mail address."""

    name: str
    mail: str
    notes: tuple[str, ...] = ()
    answer: str = ""

    @property
    def words(self) -> str:
        """Name, address and what is known of the part taken."""
        named = f"{self.name} ({self.mail})" if self.name and self.mail else self.name or self.mail
        return f"{named}: {', '.join(self.notes)}" if self.notes else named


def organizer_of(component: Component) -> Person | None:
    """Who invited."""
    return next((_person(value, ()) for value in values_of(component, "ORGANIZER")), None)


def attendees_of(component: Component) -> list[Person]:
    """Who is invited, with the answer given, each once."""
    people = [_person(value, tuple(_notes(value)), _answer(value)) for value in values_of(component, "ATTENDEE")]
    return list({(person.mail or person.name).lower(): person for person in people if person.words}.values())


def _person(value: Any, notes: tuple[str, ...], answer: str = "") -> Person:
    address = str(value).strip()
    mail = address[len(_MAILTO) :] if address.lower().startswith(_MAILTO) else ""
    mail = mail or parameter_of(value, "EMAIL") or (address if "@" in address and ":" not in address else "")
    name = parameter_of(value, "CN").strip('"')
    return Person("" if name.lower() == mail.lower() else name, mail, notes, answer)


def _notes(value: Any) -> Iterator[str]:
    for words, name in ((_KINDS, "CUTYPE"), (_ROLES, "ROLE")):
        told = words.get(parameter_of(value, name).upper())
        if told:
            yield told
    answer = _answer(value)
    deputy = parameter_of(value, "DELEGATED-TO").strip('"').removeprefix(_MAILTO)
    yield f"{answer} to {deputy}" if answer == _ANSWERS["DELEGATED"] and deputy else answer


def _answer(value: Any) -> str:
    """The answer in words; whoever is invited without one has not answered."""
    written = parameter_of(value, "PARTSTAT").upper() or "NEEDS-ACTION"
    return _ANSWERS.get(written, written.lower())
