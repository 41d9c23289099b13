"""The account of personal content in tests/data/personal, as what a server holds, and the questions about it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import Any

import yaml
from tests.bench.locations import ROOT
from tests.nextcloud.expected_state import Key
from tests.nextcloud.pim.texts import contact, escaped, event, todo
from tests.nextcloud.world import World

DATA = ROOT / "tests" / "data" / "personal"
_ADDRESS_BOOK = "contacts"
_FIRST_CARD = 100_000
"""Cards have numbers of their own at a server; these are never the number of a file."""

_Entry = Mapping[str, Any]
_Held = Iterator[tuple[str, Key]]


@dataclass(frozen=True, slots=True)
class PersonalQuestion:
    """A question with its blind phrasings; `answers` are the ids of the documents that answer it, none if none does.

    `other_language`: its answers are in another language than itself.
    """

    id: str
    question: str
    answers: tuple[str, ...]
    also: tuple[str, ...]
    other_language: bool

    @property
    def fitted(self) -> bool:
        """Whether scores may be fitted on it; figures are reported on the other half."""
        return blake2b(self.id.encode()).digest()[0] % 2 == 0


def personal_questions() -> tuple[PersonalQuestion, ...]:
    """All questions, in the order of the file."""
    return tuple(
        PersonalQuestion(
            row["id"], row["question"], tuple(row["answers"]), tuple(row["also"]), row.get("other_language", False)
        )
        for row in _entries("questions")
    )


def fill(world: World, user: str) -> dict[str, Key]:
    """Put the account's documents into a user's account; returns what each is at the server, by its id in the data."""
    kinds: dict[str, Callable[[World, str, Sequence[_Entry]], _Held]] = {
        "notes": _notes,
        "cards": _cards,
        "events": partial(_calendar, component="VEVENT", doc_type="calendar_event", named="calendar", written=_event),
        "todos": partial(_calendar, component="VTODO", doc_type="calendar_todo", named="list", written=_todo),
        "contacts": _contacts,
        "files": _files,
    }
    world.deck.number("card", _FIRST_CARD)
    with world.lock:
        return dict(held for name, put in kinds.items() for held in put(world, user, _entries(name)))


def _entries(name: str) -> Sequence[_Entry]:
    read: Sequence[_Entry] = yaml.safe_load((DATA / f"{name}.yaml").read_text("utf-8"))
    return read


def _notes(world: World, user: str, entries: Sequence[_Entry]) -> _Held:
    for entry in entries:
        number = world.notes.add(user, entry["title"], entry["text"], entry["category"])
        yield entry["id"], Key("note", str(number))


def _cards(world: World, user: str, entries: Sequence[_Entry]) -> _Held:
    boards: dict[str, int] = {}
    stacks: dict[tuple[str, str], int] = {}
    labels: dict[tuple[str, str], int] = {}
    for entry in entries:
        name, place = entry["board"], (entry["board"], entry["stack"])
        if name not in boards:
            boards[name] = world.deck.board(user, name, labels=False).id
        if place not in stacks:
            stacks[place] = world.deck.stack(boards[name], entry["stack"]).id
        card = world.deck.card(stacks[place], entry["title"], entry["text"], duedate=entry.get("due"))
        for label in entry.get("labels", ()):
            if (name, label) not in labels:
                labels[name, label] = world.deck.label(boards[name], label).id
            world.deck.put_label(card.id, labels[name, label])
        yield entry["id"], Key("deck_card", str(card.id))


def _calendar(
    world: World,
    user: str,
    entries: Sequence[_Entry],
    *,
    component: str,
    doc_type: str,
    named: str,
    written: Callable[[_Entry], str],
) -> _Held:
    collections = {entry[named]: f"{component}-{entry[named]}".lower() for entry in entries}
    for title, uri in collections.items():
        world.calendars.create(user, uri, title, (component,))
    for entry in entries:
        world.calendars.put(user, collections[entry[named]], written(entry))
        yield entry["id"], Key(doc_type, entry["id"])


def _event(entry: _Entry) -> str:
    return event(
        entry["id"],
        entry["title"],
        start=str(entry["start"]),
        minutes=entry["minutes"],
        description=entry.get("text", ""),
        location=entry.get("where", ""),
        zone="Europe/Berlin",
        extra=(f"RRULE:{entry['repeat']}",) if "repeat" in entry else (),
    )


def _todo(entry: _Entry) -> str:
    due = f";VALUE=DATE:{entry['due']}" if "due" in entry else ""
    extra = (*([f"DUE{due}"] if due else []), *([f"DESCRIPTION:{escaped(entry['text'])}"] if "text" in entry else []))
    return todo(entry["id"], entry["title"], extra=extra)


def _contacts(world: World, user: str, entries: Sequence[_Entry]) -> _Held:
    properties = {"org": "ORG", "role": "TITLE", "phone": "TEL", "birthday": "BDAY", "note": "NOTE"}
    world.contacts.create(user, _ADDRESS_BOOK)
    for entry in entries:
        extra = [f"{name}:{escaped(str(entry[key]))}" for key, name in properties.items() if key in entry]
        if "address" in entry:
            extra.append(f"ADR:;;{escaped(entry['address'])};;;;")
        text = contact(entry["id"], entry["name"], email=entry.get("email", ""), extra=extra)
        world.contacts.put(user, _ADDRESS_BOOK, text)
        yield entry["id"], Key("contact", entry["id"])


def _files(world: World, user: str, entries: Sequence[_Entry]) -> _Held:
    for entry in entries:
        node = world.files.put(user, f"/{entry['path']}", entry["text"])
        yield entry["id"], Key("file", str(node.id))
