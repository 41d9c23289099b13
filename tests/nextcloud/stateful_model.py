"""A stateful model of a Nextcloud for a sync to follow.

A state machine subclasses `StatefulModel` and says how to sync, what its index holds and what it answers. Here users
act, the server fails and recovers and its clock jumps; at the end everything works again, and the index must match the
expected state for every user. Every answer given on the way must have been that user's to see at that moment.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from tests.nextcloud.actions.base import USERS
from tests.nextcloud.actions.people import ALL, People
from tests.nextcloud.expected_state import ExpectedState, Key, differences, expected_state, leaks
from tests.nextcloud.faults import Cut, Effect, Html, Reset, Status, Truncate
from tests.nextcloud.server import Nextcloud

_NUMBERS = st.integers(min_value=0, max_value=(1 << 16) - 1)
_EFFECTS: tuple[Effect, ...] = (
    Status(500),
    Status(503, b"", {"retry-after": "0"}),
    Status(429),
    Truncate(),
    Cut(),
    Html(),
    Reset(),
)
_ROUTES = ("", "/apps/notes", "/apps/deck", "/dav/files", "/dav/calendars", "/dav/addressbooks", "PROPFIND", "REPORT")
_JUMPS = (0.0, 0.0, 0.0, 1.0, 2.0, 60.0, -1.0, -3600.0, 86_400.0)


class FaultSchedule(NamedTuple):
    """What fails at the server during one sync: an effect on a route, for a share of the requests."""

    effect: Effect | None
    route: str = ""
    share: float = 1.0


class UserAction(NamedTuple):
    """Something that a user does, and the two numbers that choose what to do it to."""

    name: str
    user: str
    pick: int
    other: int


class Question(NamedTuple):
    """A user searches for what another user may see."""

    user: str
    owner: str
    pick: int


FAULT_SCHEDULES = st.one_of(
    st.just(FaultSchedule(None)),
    st.builds(FaultSchedule, st.sampled_from(_EFFECTS), st.sampled_from(_ROUTES), st.sampled_from((0.2, 1.0))),
)
USER_ACTIONS = st.lists(
    st.builds(UserAction, st.sampled_from(sorted(ALL)), st.sampled_from(USERS), _NUMBERS, _NUMBERS), max_size=8
)
QUESTIONS = st.lists(st.builds(Question, st.sampled_from(USERS), st.sampled_from(USERS), _NUMBERS), max_size=4)


class StatefulModel(RuleBasedStateMachine):
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

    def expected(self, user: str) -> ExpectedState:
        """What the index must hold in the end."""
        return expected_state(self.world, user)

    @abstractmethod
    def indexed(self, user: str) -> Mapping[Key, frozenset[str]]:
        """Every document that the index holds for a user, with the marks in its text (`marks_in`)."""

    @abstractmethod
    def answered(self, user: str, question: str) -> Iterable[str]:
        """The texts that a question of a user is shown, verified at the server."""

    @initialize(things=st.integers(min_value=0, max_value=3))
    def settle(self, things: int) -> None:
        self.people.settle(things)

    @rule(
        morning=USER_ACTIONS,
        schedule=FAULT_SCHEDULES,
        maintenance=st.sampled_from((False, False, False, True)),
        syncing=st.lists(st.sampled_from(USERS), min_size=1, max_size=3, unique=True),
        evening=USER_ACTIONS,
        questions=QUESTIONS,
        jump=st.sampled_from(_JUMPS),
    )
    def day(
        self,
        *,
        morning: Sequence[UserAction],
        schedule: FaultSchedule,
        maintenance: bool,
        syncing: Sequence[str],
        evening: Sequence[UserAction],
        questions: Sequence[Question],
        jump: float,
    ) -> None:
        """People work, some accounts sync in some weather, people work on, and questions are asked.

        One rule and not many: of many, the library leaves some out of whole examples, and a history needs them all.
        """
        self._work(morning)
        self.world.maintenance = maintenance and schedule.effect is None
        if schedule.effect is not None:
            self.nextcloud.faults.add(schedule.effect, schedule.route, schedule.share)
        for user in syncing:
            self.synchronise(user)
        self.mend()
        self._work(evening)
        for question in questions:
            self.ask(question)
        self.world.clock.jump(jump)

    def _work(self, actions: Sequence[UserAction]) -> None:
        for action in actions:
            self.people.do(*action)

    def mend(self) -> None:
        """Make the server work again."""
        self.nextcloud.faults.clear()
        self.world.maintenance = False

    def ask(self, question: Question) -> None:
        """Ask for a mark that some user may see: what is shown must be the caller's."""
        known = sorted(frozenset[str]().union(*expected_state(self.world, question.owner).values()))
        words = known[question.pick % len(known)] if known else "project"
        for text in self.answered(question.user, words):
            foreign = leaks(self.world, question.user, text)
            assert not foreign, f"{question.user} asked for {words} and was shown {sorted(foreign)}"

    def teardown(self) -> None:
        try:
            self.mend()
            self.world.clock.jump(2)
            found: list[str] = []
            for user in USERS:
                self.converge(user)
                found += [f"{user}: {line}" for line in differences(self.expected(user), self.indexed(user))]
            assert not found, "\n".join([*found, "after:", *self.people.done])
        finally:
            self.nextcloud.__exit__()
