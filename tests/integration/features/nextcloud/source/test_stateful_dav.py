"""Whatever users do to calendars and address books, following the changes gives what a complete listing gives."""

from random import Random

import pytest
from tests.contract.source_contract import listing
from tests.nextcloud.actions.base import USERS
from tests.nextcloud.actions.people import People
from tests.nextcloud.actions.pim import PIM
from tests.nextcloud.server import Nextcloud
from tests.support.nextcloud_account import AccountsFixture, MemoryScanState
from tests.support.verdicts import verdicts_of

from citemark.features.nextcloud.source.account import AccountApp
from citemark.model.documents import DocumentRef, Verdict
from citemark.sources.contract import Connector

KINDS = ("calendars", "contacts")


async def listed(app: AccountApp) -> list[DocumentRef]:
    found = await listing(Connector(app.scanner, app.processor, app.verifier))
    assert found.end.complete, found.end.reason
    return [DocumentRef(entry.doc_type, entry.native_id, entry.version) for entry in found.listed.values()]


@pytest.mark.requirement("falling-tokens-and-private-events-noticed")
@pytest.mark.parametrize("seed", range(3))
async def test_incremental_listing_shows_the_same_as_a_full_listing(
    nextcloud: Nextcloud, accounts: AccountsFixture, seed: int
) -> None:
    random = Random(seed)
    people = People(nextcloud.world)
    people.settle()
    apps = {
        (user, kind): getattr(accounts, kind)(user, scan_state=MemoryScanState()) for user in USERS for kind in KINDS
    }
    names = sorted(PIM)
    for _ in range(12):
        for _ in range(random.randrange(1, 6)):
            people.do(random.choice(names), random.choice(USERS), random.randrange(1 << 16), random.randrange(1 << 16))
        for (user, kind), app in apps.items():
            if random.random() < 0.5:
                followed = await listed(app)
                afresh = await listed(getattr(accounts, kind)(user))
                assert sorted(ref.version for ref in followed) == sorted(ref.version for ref in afresh), people.done
                assert set((await verdicts_of(app.verifier, followed)).values()) <= {Verdict.OK}
