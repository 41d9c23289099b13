"""Fills an account with any number of documents."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tests.nextcloud.pim.texts import contact, event
from tests.nextcloud.prose import Prose
from tests.nextcloud.world import World

_BEGIN = datetime(2026, 1, 5, 8, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many of everything; the figures of the bars by default."""

    notes: int = 5_000
    events: int = 3_000
    calendars: int = 10
    cards: int = 2_000
    boards: int = 10
    contacts: int = 2_000
    files: int = 5_000

    def times(self, share: float) -> "Sizes":
        """The same account, smaller: at least one of everything."""
        return Sizes(*(max(1, int(getattr(self, name) * share)) for name in self.__slots__))

    @property
    def documents(self) -> int:
        return self.notes + self.events + self.cards + self.contacts + self.files


def fill(world: World, sizes: Sizes | None = None, user: str = "alice", seed: int = 0) -> Sizes:
    """Fill a user's account; the n-th document of a kind holds the word `note-n`, `event-n`, `card-n` and so on."""
    wanted, prose = sizes or Sizes(), Prose(seed)
    with world.lock:
        _notes(world, user, wanted.notes, prose)
        _events(world, user, wanted, prose)
        _cards(world, user, wanted, prose)
        _contacts(world, user, wanted.contacts, prose)
        _files(world, user, wanted.files, prose)
    return wanted


def _notes(world: World, user: str, count: int, prose: Prose) -> None:
    for number in range(count):
        mark = f"note-{number}"
        world.notes.add(user, f"{prose.title()} {number}", prose.page(mark), f"Category {number % 25}")


def _events(world: World, user: str, sizes: Sizes, prose: Prose) -> None:
    for place in range(sizes.calendars):
        world.calendars.create(user, f"calendar-{place}", f"Calendar {place}")
    for number in range(sizes.events):
        mark = f"event-{number}"
        start = (_BEGIN + timedelta(hours=3 * number)).strftime("%Y%m%dT%H%M%SZ")
        rule = ("RRULE:FREQ=WEEKLY;COUNT=10",) if number % 20 == 0 else ()
        text = event(mark, prose.title(), start=start, description=prose.page(mark, 4), location="Room 3", extra=rule)
        world.calendars.put(user, f"calendar-{number % sizes.calendars}", text)


def _cards(world: World, user: str, sizes: Sizes, prose: Prose) -> None:
    stacks: list[int] = []
    for place in range(sizes.boards):
        board = world.deck.board(user, f"Board {place}")
        stacks += [world.deck.stack(board.id, title).id for title in ("To do", "Doing", "Done")]
    for number in range(sizes.cards):
        world.deck.card(stacks[number % len(stacks)], prose.title(), prose.page(f"card-{number}", 5))


def _contacts(world: World, user: str, count: int, prose: Prose) -> None:
    world.contacts.create(user, "contacts")
    for number in range(count):
        mark = f"contact-{number}"
        extra = (f"ORG:{prose.title()}", f"NOTE:{prose.sentence()} Reference {mark}.")
        text = contact(mark, prose.title(), email=f"{mark}@example.org", extra=extra)
        world.contacts.put(user, "contacts", text)


def _files(world: World, user: str, count: int, prose: Prose) -> None:
    for number in range(count):
        path = f"/Archive/Year {number % 10}/Part {number % 100}/{prose.title()} {number}.md"
        world.files.put(user, path, f"# {prose.title()}\n\n{prose.page(f'file-{number}')}\n")
