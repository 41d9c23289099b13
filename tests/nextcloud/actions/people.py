"""Users who act: one action at a time, chosen by numbers, the same for the same numbers."""

from collections.abc import Sequence
from random import Random

from tests.nextcloud.actions.base import USERS, Actions, Turn
from tests.nextcloud.actions.deck import DECK
from tests.nextcloud.actions.files import FILES
from tests.nextcloud.actions.marks import Marks
from tests.nextcloud.actions.notes import NOTES
from tests.nextcloud.actions.pim import PIM
from tests.nextcloud.files.tree import Denied, Missing
from tests.nextcloud.world import World

ALL: Actions = {**NOTES, **FILES, **PIM, **DECK}
_ADDING = ("note add", "file put", "event add", "contact add", "card add")


class People:
    """alice, bob and carol, each with a calendar, an address book, a board and a few things in them."""

    def __init__(self, world: World, users: Sequence[str] = USERS, first_mark: int = 1) -> None:
        self.world = world
        self.users = tuple(users)
        self.marks = Marks(first_mark)
        self.done: list[str] = []

    def settle(self, things: int = 2) -> None:
        """Give everyone something of each kind."""
        for user in self.users:
            for uri in ("work", "home"):
                self.world.calendars.create(user, uri, components=("VEVENT", "VTODO"))
            self.world.contacts.create(user, "contacts")
            self.do("board add", user, 0, 0)
            for place in range(things):
                for name in _ADDING:
                    self.do(name, user, place, place)

    def do(self, name: str, user: str, pick: int, other: int) -> bool:
        """Let a user do something; False where there was nothing to do it to, or no right."""
        with self.world.lock:
            try:
                done = ALL[name](Turn(self.world, self.marks, user, pick, other))
            except (Denied, Missing):
                done = False
        if done:
            self.done.append(f"{name} {user} {pick} {other}")
        return done

    def wander(self, actions: int, random: Random) -> int:
        """Do so many random actions; returns how many of them did something."""
        names = list(ALL)
        return sum(
            self.do(
                random.choice(names), random.choice(self.users), random.randrange(1 << 16), random.randrange(1 << 16)
            )
            for _ in range(actions)
        )
