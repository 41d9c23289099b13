"""The pages of the web interface that a citation's address opens: a page for what exists, 404 for anything else."""

import re
from base64 import b64decode
from binascii import Error as NotBase64

from tests.nextcloud.messages import ServerRequest, ServerResponse, html_answer
from tests.nextcloud.pim.controls import Collections
from tests.nextcloud.world import World


def serve_page(world: World, ask: ServerRequest) -> ServerResponse:
    """The page at an address, for whoever is logged in."""
    for pattern, exists in _PAGES:
        found = pattern.fullmatch(ask.route)
        if found is not None and exists(world, ask, found):
            return html_answer(200, "Here it is")
    return html_answer(200 if ask.route in {"/", "/login"} else 404, "Log in")


def _file(world: World, ask: ServerRequest, found: re.Match[str]) -> bool:
    return world.files.tree.place_of(ask.user, int(found[1])) is not None


def _note(world: World, ask: ServerRequest, found: re.Match[str]) -> bool:
    return any(str(place.node.id) == found[1] for place in world.notes.places(ask.user))


def _card(world: World, ask: ServerRequest, found: re.Match[str]) -> bool:
    boards = [board for board in world.deck.boards_of(ask.user) if str(board.id) == found[1]]
    return any(str(card.id) == found[2] for board in boards for card in board.cards())


def _event(world: World, ask: ServerRequest, found: re.Match[str]) -> bool:
    try:
        path = b64decode(found[1], validate=True).decode()
    except (NotBase64, UnicodeDecodeError):
        return False
    collection, _, name = path.rpartition("/")
    below = f"{ask.folder}/remote.php/dav/calendars/{ask.user}/"
    return path.startswith(below) and _has(world.calendars, ask.user, collection.removeprefix(below), name)


def _tasks(world: World, ask: ServerRequest, found: re.Match[str]) -> bool:
    return True  # which to-do the page opens is told to its script alone, behind the "#"


def _contact(world: World, ask: ServerRequest, found: re.Match[str]) -> bool:
    seen = world.contacts.seen(ask.user, found[2])
    return seen is not None and any(item.uid == found[1] for item in seen.collection.items.values())


def _user(world: World, _: ServerRequest, found: re.Match[str]) -> bool:
    return found[1] in world.accounts.people


def _has(collections: Collections, user: str, uri: str, name: str) -> bool:
    seen = collections.seen(user, uri)
    return seen is not None and name in seen.collection.items


_PAGES = (
    (re.compile(r"/f/(\d+)"), _file),
    (re.compile(r"/apps/notes/note/(\d+)"), _note),
    (re.compile(r"/apps/deck/board/(\d+)/card/(\d+)"), _card),
    (re.compile(r"/apps/calendar/edit/([^/]+)"), _event),
    (re.compile(r"/apps/tasks/"), _tasks),
    (re.compile(r"/apps/contacts/direct/contact/(.+)~([^~/]+)"), _contact),
    (re.compile(r"/u/([^/]+)"), _user),
)
