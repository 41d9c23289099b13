"""User actions and expected state, checked with a client that lists everything each time."""

from collections.abc import Iterable, Mapping
from random import Random

import pytest
from hypothesis import settings
from tests.nextcloud.actions.base import USERS
from tests.nextcloud.actions.marks import marks_in
from tests.nextcloud.actions.people import ALL, People
from tests.nextcloud.expected_state import Key, differences, expected_state, leaks
from tests.nextcloud.pim.texts import event
from tests.nextcloud.server import Nextcloud
from tests.nextcloud.stateful_model import Question, StatefulModel
from tests.support.plain_client import everything

pytestmark = pytest.mark.requirement("double-tested-against-recordings")


def test_everything_listed_over_the_wire_is_correct(nextcloud: Nextcloud) -> None:
    people = People(nextcloud.world)
    people.settle()
    done = people.wander(600, Random(4))
    assert done > 300
    for user in USERS:
        assert not differences(expected_state(nextcloud.world, user), everything(nextcloud, user)), people.done


def test_every_kind_of_change_happens_in_a_long_history(nextcloud: Nextcloud) -> None:
    people = People(nextcloud.world)
    people.settle()
    people.wander(4000, Random(1))
    assert {name for name in ALL if not any(line.startswith(name) for line in people.done)} == set()


def test_a_sharee_does_not_see_private_events_nor_the_text_of_confidential_ones(
    nextcloud: Nextcloud,
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    for uid, kind in (("a", "PUBLIC"), ("b", "CONFIDENTIAL"), ("c", "PRIVATE")):
        calendars.put("alice", "work", event(uid, "Talk qz00001x", extra=(f"CLASS:{kind}",)))
    calendars.share("alice", "work", "bob")
    seen = expected_state(nextcloud.world, "bob")
    assert seen == {Key("calendar_event", "a"): {"qz00001x"}, Key("calendar_event", "b"): frozenset()}
    assert leaks(nextcloud.world, "carol", "She said QZ00001X.") == {"qz00001x"}
    assert leaks(nextcloud.world, "bob", "She said qz00001x.") == frozenset()


def test_differences_name_missing_surplus_and_changed_entries() -> None:
    one, two, three = Key("note", "1"), Key("note", "2"), Key("file", "3")
    old, new = frozenset({"qz00001x"}), frozenset({"qz00002x"})
    assert differences({one: new, two: new}, {one: old, three: old}) == [
        "missing: note 2",
        "should be gone: file 3",
        "note 1 shows ['qz00001x'], not ['qz00002x']",
    ]


class Relisting(StatefulModel):
    """The simplest sync there is: list everything anew, of a whole server."""

    def __init__(self) -> None:
        super().__init__()
        self.held: dict[str, Mapping[Key, frozenset[str]]] = {user: {} for user in USERS}

    def synchronise(self, user: str) -> None:
        """Only at the end."""

    def converge(self, user: str) -> None:
        self.held[user] = everything(self.nextcloud, user)

    def indexed(self, user: str) -> Mapping[Key, frozenset[str]]:
        return self.held[user]

    def answered(self, user: str, question: str) -> Iterable[str]:
        return (" ".join(marks) for marks in expected_state(self.world, user).values() if question in marks)


Relisting.TestCase.settings = settings(max_examples=4, stateful_step_count=6, derandomize=True, deadline=None)
TestRelisting = Relisting.TestCase


def test_a_sync_that_forgets_a_document_is_detected() -> None:
    class Forgetful(Relisting):
        def indexed(self, user: str) -> Mapping[Key, frozenset[str]]:
            return dict(list(self.held[user].items())[1:])

    machine = Forgetful()
    machine.settle(1)
    with pytest.raises(AssertionError, match="alice: missing"):
        machine.teardown()


def test_an_answer_that_leaks_another_persons_words_is_detected() -> None:
    class Leaky(Relisting):
        def answered(self, user: str, question: str) -> Iterable[str]:
            return [question]

    machine = Leaky()
    try:
        machine.settle(1)
        with pytest.raises(AssertionError, match="bob asked for"):
            machine.ask(Question("bob", "alice", 0))
    finally:
        machine.nextcloud.__exit__()
    assert marks_in("QZ00001X and qz1x") == {"qz00001x"}
