"""Random histories of a Nextcloud, for a sync to follow.

A state machine subclasses `Histories` and says how to sync, what its index holds and what it answers. The rules here
let people work, break and mend the server and move its clock; at the end everything is whole again, and the index must
be the truth for every user. Whatever was answered on the way must have been that user's to see at that moment.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from tests.nextcloud.deeds.base import USERS
from tests.nextcloud.deeds.people import ALL, People
from tests.nextcloud.faults import Cut, Effect, Html, Reset, Status, Truncate
from tests.nextcloud.server import Nextcloud
from tests.nextcloud.truth import Key, differences, leaks, truth

_NUMBERS = st.integers(min_value=0, max_value=(1 << 16) - 1)
_EFFECTS: tuple[Effect, ...] = (
    Status(500),
    Status(503, b"", {"retry-after": "0"}),
    Status(429),
    Status(403),
    Status(404),
    Truncate(),
    Cut(),
    Html(),
    Reset(),
)
_LYING = (Status(403), Status(404))
"""Answers that a client must believe: they stand for a server that hides things, not for a broken one."""

ROUTES = ("", "/apps/notes", "/apps/deck", "/remote.php/dav/files", "/remote.php/dav/calendars", "PROPFIND", "REPORT")


class Histories(RuleBasedStateMachine):
    """The rules over one double, started with each example."""

    def __init__(self) -> None:
        super().__init__()
        self.nextcloud = Nextcloud().__enter__()
        self.world = self.nextcloud.world
        self.people = People(self.world)

    @abstractmethod
    def synchronise(self, user: str) -> None:
        """Run one scan of a user's account and all that it leads to; broken answers are no errors here."""

    @abstractmethod
    def converge(self, user: str) -> None:
        """Sync a whole server's account until nothing is left to do: past graces and with full comparisons."""

    @abstractmethod
    def indexed(self, user: str) -> Mapping[Key, frozenset[str]]:
        """Every document that the index holds for a user, with the marks in its text (`marks_in`)."""

    @abstractmethod
    def answered(self, user: str, question: str) -> Iterable[str]:
        """The texts that a question of a user is shown, verified at the server."""

    @initialize(things=st.integers(min_value=0, max_value=3))
    def settle(self, things: int) -> None:
        self.people.settle(things)

    @rule(name=st.sampled_from(sorted(ALL)), user=st.sampled_from(USERS), pick=_NUMBERS, other=_NUMBERS)
    def deed(self, name: str, user: str, pick: int, other: int) -> None:
        self.people.do(name, user, pick, other)

    @rule(
        effect=st.sampled_from(_EFFECTS),
        route=st.sampled_from(ROUTES),
        share=st.sampled_from((0.2, 1.0)),
        times=st.sampled_from((1, 3, None)),
    )
    def break_something(self, effect: Effect, route: str, share: float, times: int | None) -> None:
        if effect in _LYING:
            route, times = route or "PROPFIND", 1
        self.nextcloud.faults.add(effect, route, share, times)

    @rule()
    def mend(self) -> None:
        self.nextcloud.faults.clear()
        self.world.maintenance = False

    @rule()
    def maintain(self) -> None:
        self.world.maintenance = True

    @rule(seconds=st.sampled_from((-3600.0, -1.0, 1.0, 2.0, 60.0, 86_400.0)))
    def clock_jumps(self, seconds: float) -> None:
        self.world.clock.jump(seconds)

    @rule(user=st.sampled_from(USERS))
    def sync(self, user: str) -> None:
        self.synchronise(user)

    @precondition(lambda self: bool(self.people.done))
    @rule(user=st.sampled_from(USERS), owner=st.sampled_from(USERS), pick=_NUMBERS)
    def ask(self, user: str, owner: str, pick: int) -> None:
        """Ask for a mark that some user may see: what is shown must be the asker's."""
        known = sorted(frozenset[str]().union(*truth(self.world, owner).values()))
        question = known[pick % len(known)] if known else "project"
        for text in self.answered(user, question):
            foreign = leaks(self.world, user, text)
            assert not foreign, f"{user} asked for {question} and was shown {sorted(foreign)}"

    def teardown(self) -> None:
        try:
            self.mend()
            self.world.clock.jump(2)
            found: list[str] = []
            for user in USERS:
                self.converge(user)
                found += [f"{user}: {line}" for line in differences(truth(self.world, user), self.indexed(user))]
            assert not found, "\n".join([*found, "after:", *self.people.done])
        finally:
            self.nextcloud.__exit__()
