"""The apps of one account listed together: what is wrong with one says nothing of the others."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from tests.contract.source_contract import Listing, listing
from tests.nextcloud.faults import Status
from tests.nextcloud.server import Nextcloud
from tests.support.nextcloud_account import MemoryScanState
from tests.support.nextcloud_client import FixedCredentials, client_of

from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.nextcloud.source.account import AccountSettings
from citemark.features.nextcloud.source.connector import nextcloud_connector
from citemark.model.errors import FatalSourceError
from citemark.sources.contract import Connector

CAPABILITIES = b'{"ocs": {"data": {"capabilities": {"core": {}, "notes": {}}}}}'
JSON = {"content-type": "application/json"}

Open = Callable[..., AbstractAsyncContextManager[Connector]]


@pytest.fixture
def account(nextcloud: Nextcloud) -> Open:
    """Opens the account of alice with notes, cards and files; memory lasts as long as the test."""
    scan_state = MemoryScanState()

    @asynccontextmanager
    async def opened(
        apps: tuple[str, ...] = ("notes", "deck", "files"), password: str = ""
    ) -> AsyncGenerator[Connector]:
        config = {"server": nextcloud.url, "login": "alice", "user": "alice", "apps": list(apps)}
        parsers = ParserPool()
        held = FixedCredentials("alice", password or nextcloud.password("alice"))
        async with client_of(nextcloud, credentials=held) as client:
            yield nextcloud_connector(AccountSettings.from_config(config), client, scan_state, parsers)
        await parsers.close()

    return opened


@pytest.fixture
def numbers(nextcloud: Nextcloud) -> list[int]:
    """Seven notes; a card and a file besides."""
    world = nextcloud.world
    stack = world.deck.stack(world.deck.board("alice", "Board").id, "To do")
    world.deck.card(stack.id, "Card", "words")
    world.files.put("alice", "/file.md", b"words")
    return [world.notes.add("alice", f"Note {number}", "words") for number in range(7)]


def types(found: Listing) -> list[str]:
    return sorted({entry.doc_type for entry in found.listed.values()})


@pytest.mark.requirement("only-complete-listing-deletes")
@pytest.mark.usefixtures("numbers")
async def test_an_app_that_fails_keeps_its_own_documents_and_no_others(nextcloud: Nextcloud, account: Open) -> None:
    async with account() as connector:
        assert types(await listing(connector)) == ["deck_card", "file", "note"]
        nextcloud.faults.add(Status(500), on="/apps/deck/")
        found = await listing(connector)
    assert types(found) == ["file", "note"]
    assert found.end.complete
    assert not found.end.whole
    assert found.end.unlisted == {"deck_card"}
    assert found.end.reason.startswith("deck: ")


@pytest.mark.usefixtures("numbers")
async def test_an_app_that_the_server_does_not_have_is_no_failure(nextcloud: Nextcloud, account: Open) -> None:
    nextcloud.faults.add(Status(200, CAPABILITIES, JSON), on="capabilities", times=1)
    async with account() as connector:
        found = await listing(connector)
    assert found.end.whole
    assert found.end.unlisted == {"deck_card"}
    assert [problem.native_id for problem in found.problems] == ["deck"]


async def test_an_app_that_is_suddenly_empty_is_believed_the_third_time(
    nextcloud: Nextcloud, account: Open, numbers: list[int]
) -> None:
    async with account() as connector:
        await listing(connector)
        for number in numbers:
            nextcloud.world.notes.delete("alice", number)
        for _ in range(2):
            found = await listing(connector)
            assert found.end.unlisted == {"note"}
            assert "suddenly empty" in found.end.reason
        found = await listing(connector)
    assert found.end.whole
    assert not found.end.unlisted


@pytest.mark.usefixtures("numbers")
async def test_an_app_that_is_no_longer_selected_lists_nothing_and_is_therefore_removed(account: Open) -> None:
    async with account(apps=("notes",)) as connector:
        found = await listing(connector)
    assert types(found) == ["note"]
    assert found.end.whole
    assert not found.end.unlisted


@pytest.mark.requirement("wrong-password-stops-at-once")
@pytest.mark.usefixtures("numbers")
async def test_a_scan_with_a_wrong_password_asks_once(nextcloud: Nextcloud, account: Open) -> None:
    async with account(password="wrong") as connector:
        for _ in range(2):
            with pytest.raises(FatalSourceError):
                await listing(connector)
    assert len(nextcloud.log) == 1


@pytest.mark.requirement("wrong-password-stops-at-once")
@pytest.mark.usefixtures("numbers")
async def test_a_password_revoked_in_the_middle_of_a_scan_deletes_nothing(nextcloud: Nextcloud, account: Open) -> None:
    async with account() as connector:
        await listing(connector)
        entries = connector.scanner.scan()
        await anext(entries)
        nextcloud.world.accounts.revoke("alice")
        nextcloud.log.clear()
        async for _ in entries:
            pass
        with pytest.raises(FatalSourceError):
            await listing(connector)
        refused = [seen for seen in nextcloud.log.seen if seen.status == 401]
    assert len(refused) <= 6


@pytest.mark.requirement("missing-apps-are-not-asked")
@pytest.mark.usefixtures("numbers")
@pytest.mark.parametrize("absent", [{"notes"}, {"deck"}, {"notes", "deck"}], ids=["notes", "deck", "both"])
async def test_a_server_without_notes_or_deck_is_read_all_the_same_and_its_absent_apps_are_not_asked(
    nextcloud: Nextcloud, account: Open, absent: set[str]
) -> None:
    nextcloud.world.ocs.apps -= absent
    nextcloud.faults.add(Status(404), on=f"/apps/({'|'.join(absent)})/")
    present = {"notes": "note", "deck": "deck_card", "files": "file"}
    async with account() as connector:
        found = await listing(connector)
        assert found.end.complete
        assert set(types(found)) == {present[app] for app in present.keys() - absent}
        assert {problem.native_id for problem in found.problems} == absent
        assert all("The server has no app" in problem.message for problem in found.problems)
        assert not nextcloud.log.matching(f"/apps/({'|'.join(absent)})/")
        nextcloud.faults.clear()
        nextcloud.world.ocs.apps |= absent
        assert set(types(await listing(connector))) == set(present.values()), "an app that is installed later is read"
