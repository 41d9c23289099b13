"""The accounts and failures that the acceptance bars name come out as intended."""

from tests.nextcloud.actions.people import People
from tests.nextcloud.bulk import Sizes, fill
from tests.nextcloud.expected_state import differences, expected_state
from tests.nextcloud.scenarios import ODD_NAMES, odd, requests_per, storm
from tests.nextcloud.server import Nextcloud
from tests.support.patience import HANG_SECONDS
from tests.support.plain_client import everything


def test_an_account_of_any_size_is_generated_at_once(nextcloud: Nextcloud) -> None:
    sizes = fill(nextcloud.world, Sizes().times(0.01))
    found = expected_state(nextcloud.world, "alice")
    assert len(found) == sizes.documents == 50 + 30 + 20 + 20 + 50
    assert {key.doc_type for key in found} == {"note", "calendar_event", "deck_card", "contact", "file"}


def test_every_legal_name_is_found_again_over_the_wire(nextcloud: Nextcloud) -> None:
    odd(nextcloud.world)
    assert len(nextcloud.world.files.tree.locate("alice", "/Odd").node.children) == len(ODD_NAMES)
    nextcloud.world.calendars.remove("alice", "odd")
    nextcloud.world.contacts.remove("alice", "odd")
    assert not differences(expected_state(nextcloud.world, "alice"), everything(nextcloud, "alice"))


def test_a_storm_of_changes_ends_with_all_of_them_made_and_the_server_consistent(nextcloud: Nextcloud) -> None:
    people = People(nextcloud.world)
    people.settle()
    before = len(people.done)
    with storm(nextcloud, people, actions=50, share=1.0, rate=1000) as schedule:
        assert schedule.over.wait(HANG_SECONDS)
    assert schedule.actions == len(people.done) - before > 10
    assert not differences(expected_state(nextcloud.world, "bob"), everything(nextcloud, "bob"))
    assert requests_per(nextcloud.log, 2)["all"] == len(nextcloud.log) / 2
