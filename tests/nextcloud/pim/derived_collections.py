"""Collections that other apps make: birthdays, Deck boards as tasks, all accounts as contacts."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tests.nextcloud.accounts import Accounts
from tests.nextcloud.deck.controls import Deck
from tests.nextcloud.deck.model import Board
from tests.nextcloud.deck.rendering import etag_of
from tests.nextcloud.pim.controls import Collections
from tests.nextcloud.pim.lines import first, folded
from tests.nextcloud.pim.model import TOKEN, Collection, Item, Seen, item_of


def _nothing() -> Iterable[Item]:
    return ()


@dataclass(frozen=True, slots=True)
class Mirror(Seen):
    """A collection without a history, made when it is looked at; `synced` where it answers sync-collection."""

    load: Callable[[], Iterable[Item]] = _nothing
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

    def items(self) -> list[Item]:
        return list(self.load())

    def item(self, name: str) -> Item | None:
        return next((one for one in self.load() if one.name == name), None)


Source = Callable[[str], Iterable[Mirror]]
"""The mirrors that a user sees."""


def birthdays(contacts: Collections) -> Source:
    """One calendar of the birthdays in a user's own address books."""

    def of(user: str) -> Iterable[Mirror]:
        collection = Collection(0, "calendars", user, "contact_birthdays", "Contact birthdays", ("VEVENT",))

        def load() -> Iterator[Item]:
            for book in contacts.visible(user):
                for card in [] if book.shared else book.items():
                    born = first(card.text, "BDAY")
                    if born:
                        yield item_of(card.id, f"{book.uri}-{card.name}.ics", _birthday(card, born), card.modified)

        yield Mirror(collection, user, collection.uri, collection.title, load)

    return of


def _birthday(card: Item, born: str) -> str:
    return folded(
        [
            "BEGIN:VCALENDAR",
            "VERSION:2.0",
            "BEGIN:VEVENT",
            f"UID:{card.uid}-birthday",
            f"DTSTART;VALUE=DATE:{born.replace('-', '')[:8]}",
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
                yield Mirror(collection, user, uri, collection.title, _tasks_of(board), synced=False)

    return of


def _tasks_of(board: Board) -> Callable[[], Iterator[Item]]:
    def load() -> Iterator[Item]:
        for stack in board.stacks.values():
            text = _task(f"deck-stack-{stack.id}", f"List : {stack.title}")
            yield item_of(stack.id, f"stack-{stack.id}.ics", text, stack.last_modified, etag_of(stack.last_modified))
        for card in board.cards():
            text = _task(f"deck-card-{card.id}", card.title)
            yield item_of(card.id, f"card-{card.id}.ics", text, card.last_modified, etag_of(card.last_modified))

    return load


def _task(uid: str, summary: str) -> str:
    lines = ("BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VTODO", f"UID:{uid}", f"SUMMARY:{summary}")
    return folded([*lines, "END:VTODO", "END:VCALENDAR"])


def books(accounts: Accounts, *, everybody: bool) -> Source:
    """Every account of the server as a contact if `everybody`, and whom one wrote to lately."""

    def everyone() -> Iterator[Item]:
        for number, account in enumerate(accounts.people.values()):
            lines = ("BEGIN:VCARD", "VERSION:3.0", f"UID:{account.id}", f"FN:{account.name}", f"EMAIL:{account.email}")
            yield item_of(number, f"Database:{account.id}.vcf", folded([*lines, "END:VCARD"]), 0)

    def of(user: str) -> Iterable[Mirror]:
        system = Collection(0, "addressbooks", "system", "z-server-generated--system", "Accounts")
        if everybody:
            yield Mirror(system, user, system.uri, system.title, everyone)
        recent = Collection(
            0, "addressbooks", user, "z-app-generated--contactsinteraction--recent", "Recently contacted"
        )
        yield Mirror(recent, user, recent.uri, recent.title)

    return of
