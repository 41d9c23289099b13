"""The expected state: the documents that each user may see now, and the marks in each."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tests.nextcloud.actions.marks import marks_in
from tests.nextcloud.deck.model import Card
from tests.nextcloud.files.content import whole
from tests.nextcloud.notes.notebook import is_note
from tests.nextcloud.pim.lines import component_of
from tests.nextcloud.world import World

READ_ENDINGS = (".md", ".txt")


class Key(NamedTuple):
    """A document: its type and its id at the server."""

    doc_type: str
    native_id: str


ExpectedState = Mapping[Key, frozenset[str]]


def expected_state(world: World, user: str) -> ExpectedState:
    """Return every document of a user with the marks that its text must show, no more and no fewer."""
    with world.lock:
        return dict(_documents(world, user))


def _documents(world: World, user: str) -> Iterator[tuple[Key, frozenset[str]]]:
    yield from _files_and_notes(world, user)
    yield from _events(world, user)
    for book in world.contacts.visible(user):
        for item in book.items():
            yield Key("contact", item.uid or item.name), marks_in(_unfolded(book.text(item)))
    for board in world.deck.boards_of(user):
        for card in [] if board.deleted else board.cards():
            yield Key("deck_card", str(card.id)), marks_in(_card(card))


def _files_and_notes(world: World, user: str) -> Iterator[tuple[Key, frozenset[str]]]:
    tree = world.files.tree
    for place in tree.walk(tree.locate(user, "/")):
        text = whole(place.node.content or b"").decode("utf-8", "replace")
        if is_note(place):
            yield Key("note", str(place.node.id)), marks_in(f"{place.name}\n{text}")
        elif place.path.startswith("/Notes/") or place.node.is_folder:
            continue
        elif place.name.lower().endswith(READ_ENDINGS):
            yield Key("file", str(place.node.id)), marks_in(f"{place.name}\n{text}")


def _events(world: World, user: str) -> Iterator[tuple[Key, frozenset[str]]]:
    for calendar in world.calendars.visible(user):
        for item in calendar.items():
            kind = "calendar_todo" if component_of(item.text) == "VTODO" else "calendar_event"
            yield Key(kind, item.uid or item.name), marks_in(_unfolded(calendar.text(item)))


def _card(card: Card) -> str:
    return "\n".join([card.title, card.description, *(comment.message for comment in card.comments)])


def _unfolded(text: str) -> str:
    return text.replace("\r\n ", "")


def differences(expected: ExpectedState, indexed: Mapping[Key, frozenset[str]]) -> list[str]:
    """Describe where an index differs from the expected state: missing, extra, or other text."""
    missing = [f"missing: {key.doc_type} {key.native_id}" for key in expected.keys() - indexed.keys()]
    extra = [f"should be gone: {key.doc_type} {key.native_id}" for key in indexed.keys() - expected.keys()]
    other = [
        f"{key.doc_type} {key.native_id} shows {sorted(indexed[key])}, not {sorted(expected[key])}"
        for key in expected.keys() & indexed.keys()
        if expected[key] != indexed[key]
    ]
    return sorted(missing) + sorted(extra) + sorted(other)


def leaks(world: World, user: str, shown: str) -> frozenset[str]:
    """Return the marks in something shown to a user that are not theirs to see now."""
    allowed = frozenset[str]().union(*expected_state(world, user).values())
    return marks_in(shown) - allowed
