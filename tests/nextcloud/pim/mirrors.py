"""Collections that other apps make: birthdays, Deck boards as tasks, all accounts as contacts."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tests.nextcloud.accounts import Accounts
from tests.nextcloud.deck.desk import Deck
from tests.nextcloud.deck.model import Board
from tests.nextcloud.deck.shown import etag_of
from tests.nextcloud.pim.lines import first, folded
from tests.nextcloud.pim.model import TOKEN, Collection, Item, Seen, stamp
from tests.nextcloud.pim.shelf import Collections


@dataclass(frozen=True, slots=True)
class Mirror(Seen):
    """A collection without a history; `synced` where it still answers sync-collection."""

    synced: bool = True

    @property
    def writable(self) -> bool:
        return False

    @property
    def shared(self) -> bool:
        return False

    @property
    def sync_token(self) -> str | None:
        return f"{TOKEN}1" if self.synced else None


Source = Callable[[str], Iterable[Mirror]]
"""The mirrors that a user sees."""


def birthdays(contacts: Collections) -> Source:
    """One calendar of the birthdays in a user's own address books."""

    def of(user: str) -> Iterable[Mirror]:
        collection = Collection(0, "calendars", user, "contact_birthdays", "Contact birthdays", ("VEVENT",))
        for book in contacts.visible(user):
            for card in [] if book.shared else book.items():
                born = first(card.text, "BDAY")
                if born:
                    text = _birthday(card, born)
                    name = f"{book.uri}-{card.name}.ics"
                    collection.items[name] = Item(card.id, name, text, stamp(text), card.modified)
        yield Mirror(collection, user, collection.uri, collection.title)

    return of


def _birthday(card: Item, born: str) -> str:
    day = born.replace("-", "")[:8]
    return folded(
        [
            "BEGIN:VCALENDAR",
            "VERSION:2.0",
            "BEGIN:VEVENT",
            f"UID:{card.uid}-birthday",
            f"DTSTART;VALUE=DATE:{day}",
            "RRULE:FREQ=YEARLY",
            f"SUMMARY:{first(card.text, 'FN')}",
            "END:VEVENT",
            "END:VCALENDAR",
        ]
    )


def boards(deck: Deck) -> Source:
    """One task list per Deck board, without tokens."""

    def of(user: str) -> Iterable[Mirror]:
        for board in deck.boards_of(user):
            if not board.deleted:
                uri = f"app-generated--deck--board-{board.id}"
                collection = Collection(0, "calendars", board.owner, uri, f"Deck: {board.title}", ("VTODO",))
                collection.items = {item.name: item for item in _tasks(board)}
                yield Mirror(collection, user, uri, collection.title, synced=False)

    return of


def _tasks(board: Board) -> Iterable[Item]:
    for stack in board.stacks.values():
        text = _task(f"deck-stack-{stack.id}", f"List : {stack.title}")
        yield Item(stack.id, f"stack-{stack.id}.ics", text, etag_of(stack.last_modified), stack.last_modified)
    for card in board.cards():
        text = _task(f"deck-card-{card.id}", card.title)
        yield Item(card.id, f"card-{card.id}.ics", text, etag_of(card.last_modified), card.last_modified)


def _task(uid: str, summary: str) -> str:
    lines = ("BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VTODO", f"UID:{uid}", f"SUMMARY:{summary}")
    return folded([*lines, "END:VTODO", "END:VCALENDAR"])


def books(accounts: Accounts) -> Source:
    """Every account of the server as a contact, and whom one wrote to lately."""

    def of(user: str) -> Iterable[Mirror]:
        system = Collection(0, "addressbooks", "system", "z-server-generated--system", "Accounts")
        for number, account in enumerate(accounts.people.values()):
            lines = ("BEGIN:VCARD", "VERSION:3.0", f"UID:{account.id}", f"FN:{account.name}", f"EMAIL:{account.email}")
            text, name = folded([*lines, "END:VCARD"]), f"Database:{account.id}.vcf"
            system.items[name] = Item(number, name, text, stamp(text), 0)
        recent = Collection(
            0, "addressbooks", user, "z-app-generated--contactsinteraction--recent", "Recently contacted"
        )
        for collection in (system, recent):
            yield Mirror(collection, user, collection.uri, collection.title)

    return of
