"""Events and to-dos of an account against the double: what only a Nextcloud does."""

import pytest
from tests.nextcloud.faults import Cut, Html, Status, Truncate
from tests.nextcloud.pim.texts import event
from tests.nextcloud.server import Nextcloud
from tests.support.nextcloud_account import AccountsFixture, MemoryScanState
from tests.support.nextcloud_calendars import HOME, asked, body_of, scan, verdict
from tests.support.verdicts import verdicts_of

from citemark.features.nextcloud.source.dav.scanner import WHOLE_EVERY
from citemark.model.documents import DocumentRef, Verdict
from citemark.model.ids import NativeId


async def test_nothing_changed_costs_one_request_whatever_the_number_of_calendars(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    for number in range(5):
        nextcloud.world.calendars.create("alice", f"c{number}")
        nextcloud.world.calendars.put("alice", f"c{number}", event(f"e{number}", "Title"))
    app = accounts.calendars()
    first = await scan(app)
    nextcloud.log.clear()
    assert (await scan(app)).listed == first.listed
    assert asked(nextcloud) == [("PROPFIND", f"{HOME}/alice/")]


async def test_only_changes_since_the_token_are_requested_and_read(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    for number in range(4):
        calendars.put("alice", "work", event(f"e{number}", "Title"))
    scan_state = MemoryScanState()
    first = await scan(accounts.calendars(scan_state=scan_state))
    calendars.put("alice", "work", event("e2", "Another title"))
    calendars.delete("alice", "work", "e3.ics")
    nextcloud.log.clear()
    app = accounts.calendars(scan_state=scan_state)
    second = await scan(app)
    changed = {key for key, entry in first.listed.items() if second.listed.get(key) != entry}
    assert changed == {"e2", "e3"}
    assert asked(nextcloud) == [("PROPFIND", f"{HOME}/alice/")] + 2 * [("REPORT", f"{HOME}/alice/work/")]
    nextcloud.log.clear()
    assert "Another title" in (await body_of(app, "e2") or "")
    assert not asked(nextcloud), "what the scan has read is not asked for again"
    assert "Another title" in (await body_of(app, "e2") or "")
    assert len(asked(nextcloud)) == 1


@pytest.mark.requirement("sync-runs-in-the-background")
async def test_a_process_that_reads_what_another_one_listed_neither_misses_it_nor_takes_the_listing_back(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("old", "Old"))
    scan_state = MemoryScanState()
    lists, reads = accounts.calendars(scan_state=scan_state), accounts.calendars(scan_state=scan_state)
    await scan(lists)
    calendars.put("alice", "work", event("old", "Changed"))
    assert "Old" not in (await body_of(reads, "old") or "Old"), "it has read the memory just now"
    calendars.put("alice", "work", event("old", "Changed again"))
    calendars.put("alice", "work", event("new", "New"))
    await scan(lists)
    kept = dict(scan_state.values)
    assert "Changed again" in (await body_of(reads, "old") or "")
    assert scan_state.values == kept
    assert "New" in (await body_of(reads, "new") or "")


@pytest.mark.requirement("falling-tokens-and-private-events-noticed")
async def test_a_shared_event_that_turns_private_is_gone_though_no_report_says_so(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    for name in ("talk", "lunch"):
        calendars.put("alice", "work", event(name, name))
    calendars.share("alice", "work", "bob")
    app = accounts.calendars("bob")
    before = await scan(app)
    assert set(before.listed) == {"talk", "lunch"}
    calendars.put("alice", "work", event("talk", "talk", extra=["CLASS:PRIVATE"]))
    assert await verdict(app, before, "talk") is Verdict.GONE
    assert set((await scan(app)).listed) == {"lunch"}


@pytest.mark.requirement("falling-tokens-and-private-events-noticed")
async def test_an_event_that_turns_private_beside_other_changes_is_gone_too(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    for name in ("talk", "lunch"):
        calendars.put("alice", "work", event(name, name))
    calendars.share("alice", "work", "bob")
    app = accounts.calendars("bob")
    await scan(app)
    calendars.put("alice", "work", event("talk", "talk", extra=["CLASS:PRIVATE"]))
    calendars.put("alice", "work", event("lunch", "another lunch"))
    calendars.put("alice", "work", event("walk", "walk"))
    assert set((await scan(app)).listed) == {"lunch", "walk"}


@pytest.mark.requirement("falling-tokens-and-private-events-noticed")
async def test_a_server_restored_from_a_backup_is_listed_anew(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("kept", "old title"))
    kept = calendars.backup()
    calendars.put("alice", "work", event("kept", "new title"))
    calendars.put("alice", "work", event("later", "later"))
    app = accounts.calendars()
    assert set((await scan(app)).listed) == {"kept", "later"}
    calendars.roll_back(kept)
    assert set((await scan(app)).listed) == {"kept"}
    assert "old title" in (await body_of(app, "kept") or "")


@pytest.mark.requirement("falling-tokens-and-private-events-noticed")
async def test_paths_are_compared_occasionally_whatever_the_token_says(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("kept", "kept"))
    calendars.put("alice", "work", event("lost", "lost"))
    app = accounts.calendars()
    await scan(app)
    # A restored server that has counted up to the known token again, without the same content.
    calendars.owned("alice", "work").items.pop("lost.ics")
    for _ in range(WHOLE_EVERY - 1):
        assert set((await scan(app)).listed) == {"kept", "lost"}
    assert set((await scan(app)).listed) == {"kept"}


@pytest.mark.requirement("falling-tokens-and-private-events-noticed")
async def test_a_sync_token_that_the_server_rejects_leads_to_a_full_listing(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("one", "one"))
    scan_state = MemoryScanState()
    await scan(accounts.calendars(scan_state=scan_state))
    key = f"calendar:{HOME}/alice/work/"
    scan_state.values[key] = scan_state.values[key].replace("http://sabre.io/ns/sync/2", "rubbish")
    calendars.put("alice", "work", event("two", "two"))
    found = await scan(accounts.calendars(scan_state=scan_state))
    assert set(found.listed) == {"one", "two"}
    assert found.end.complete


@pytest.mark.parametrize("status", [400, 405, 409, 412, 415])
async def test_a_collection_without_reports_of_changes_is_compared_by_etags(
    nextcloud: Nextcloud, accounts: AccountsFixture, status: int
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    for name in ("kept", "edited", "deleted"):
        calendars.put("alice", "work", event(name, name))
    app = accounts.calendars()
    before = await scan(app)
    calendars.put("alice", "work", event("edited", "another title"))
    calendars.delete("alice", "work", "deleted.ics")
    nextcloud.faults.add(Status(status), on="REPORT .*/work", times=1)
    after = await scan(app)
    assert after.end.complete
    assert {key for key in before.listed if after.listed.get(key) != before.listed[key]} == {"edited", "deleted"}


@pytest.mark.requirement("mirror-collections-are-skipped")
async def test_mirrors_of_boards_birthdays_inbox_and_trash_are_left_out(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    world = nextcloud.world
    world.calendars.create("alice", "work")
    world.calendars.put("alice", "work", event("kept", "kept"))
    world.calendars.put("alice", "work", event("binned", "binned"))
    world.calendars.delete("alice", "work", "binned.ics")
    world.deck.card(world.deck.stack(world.deck.board("alice", "Board").id, "To do").id, "A card")
    world.contacts.create("alice", "contacts")
    world.contacts.put(
        "alice", "contacts", "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:b\r\nFN:B\r\nBDAY:19800101\r\nEND:VCARD\r\n"
    )
    found = await scan(accounts.calendars())
    assert set(found.listed) == {"kept"}
    assert found.end.complete


async def test_an_event_turned_confidential_is_reduced_and_its_text_shows_no_more_than_busy(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("pay", "Salary round", location="Room 5"))
    calendars.share("alice", "work", "bob")
    app = accounts.calendars("bob")
    before = await scan(app)
    assert "Room 5" in (await body_of(app, "pay") or "")
    calendars.put("alice", "work", event("pay", "Salary round", location="Room 5", extra=["CLASS:CONFIDENTIAL"]))
    assert await verdict(app, before, "pay") is Verdict.REDUCED
    fresh = await body_of(app, "pay") or ""
    assert "Busy" in fresh
    assert "Salary" not in fresh
    assert "Room 5" not in fresh


async def test_other_data_under_the_same_etag_is_changed_and_then_known(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    item = calendars.put("alice", "work", event("pay", "Salary round"))
    app = accounts.calendars()
    before = await scan(app)
    item.text = event("pay", "Something else")
    assert await verdict(app, before, "pay") is Verdict.CHANGED
    fetched = await app.processor.fetch("calendar_event", NativeId("pay"))
    assert fetched is not None
    assert "Something else" in fetched.extracted.body
    after = await scan(app)
    assert after.listed[NativeId("pay")].version == fetched.version
    assert await verdict(app, after, "pay") is Verdict.OK


async def test_readers_of_one_event_never_share_a_version(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("pay", "Salary", extra=["CLASS:CONFIDENTIAL"]))
    calendars.share("alice", "work", "bob")
    owner, sharee = await scan(accounts.calendars()), await scan(accounts.calendars("bob"))
    assert owner.listed[NativeId("pay")].version != sharee.listed[NativeId("pay")].version


async def test_an_unshared_calendar_is_gone_for_the_sharee_at_once(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("talk", "talk"))
    calendars.share("alice", "work", "bob")
    app = accounts.calendars("bob")
    before = await scan(app)
    calendars.unshare("alice", "work", "bob")
    assert await verdict(app, before, "talk") is Verdict.GONE
    after = await scan(app)
    assert after.end.complete
    assert not after.listed
    assert await body_of(app, "talk") is None


@pytest.mark.requirement("unlisted-calendar-name-not-shown")
async def test_nothing_is_confirmed_in_a_calendar_that_answers_but_is_not_listed(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    calendars = nextcloud.world.calendars
    calendar = calendars.create("alice", "work", "Old name")
    calendars.put("alice", "work", event("talk", "talk"))
    app = accounts.calendars("alice")
    before = await scan(app)
    assert await verdict(app, before, "talk") is Verdict.OK
    calendar.title, calendar.components = "New name", ("VJOURNAL",)
    assert await verdict(app, before, "talk") is Verdict.UNKNOWN


async def test_an_event_moved_to_another_calendar_keeps_its_id(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.create("alice", "family")
    calendars.put("alice", "work", event("talk", "talk"))
    scan_state = MemoryScanState()
    reader = accounts.calendars(scan_state=scan_state)
    await scan(reader)
    await body_of(reader, "talk")
    calendars.move("alice", "work", "talk.ics", "family")
    after = await scan(accounts.calendars(scan_state=scan_state))
    assert set(after.listed) == {"talk"}
    assert await verdict(reader, after, "talk") is Verdict.OK, "another process has seen the move"
    assert "Calendar: Family" in (await body_of(reader, "talk") or "")


async def test_a_repeated_uid_is_distinguished_by_its_calendar_and_stays_the_same(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("invited", "of work"))
    scan_state = MemoryScanState()
    assert set((await scan(accounts.calendars(scan_state=scan_state))).listed) == {"invited"}
    calendars.create("alice", "family")
    calendars.put("alice", "family", event("invited", "of family"))
    app = accounts.calendars(scan_state=scan_state)
    assert set((await scan(app)).listed) == {"invited", "family/invited"}
    assert "of work" in (await body_of(app, "invited") or "")
    assert "of family" in (await body_of(app, "family/invited") or "")
    calendars.delete("alice", "work", "invited.ics")
    assert set((await scan(app)).listed) == {"family/invited"}


async def test_verifying_a_page_over_many_calendars_is_one_request_for_each(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    calendars = nextcloud.world.calendars
    for number in range(3):
        calendars.create("alice", f"c{number}")
        for day in range(4):
            calendars.put("alice", f"c{number}", event(f"e{number}-{day}", "Title"))
    app = accounts.calendars()
    found = await scan(app)
    refs = [DocumentRef(entry.doc_type, entry.native_id, entry.version) for entry in found.listed.values()]
    calendars.delete("alice", "c1", "e1-0.ics")
    nextcloud.log.clear()
    verdicts = await verdicts_of(app.verifier, refs)
    assert {ref.native_id for ref, told in verdicts.items() if told is not Verdict.OK} == {"e1-0"}
    assert len(asked(nextcloud)) == 3 + 1, "one for each, and one for their names"


@pytest.mark.parametrize("fault", [Status(500), Status(503), Html(), Truncate(), Cut()])
async def test_an_invalid_response_confirms_nothing_and_deletes_nothing(
    nextcloud: Nextcloud, accounts: AccountsFixture, fault: object
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("talk", "talk"))
    app = accounts.calendars()
    before = await scan(app)
    calendars.put("alice", "work", event("more", "more"))
    nextcloud.faults.add(fault, on="/calendars/alice/work", times=20)  # pyright: ignore[reportArgumentType]
    assert await verdict(app, before, "talk") is Verdict.UNKNOWN
    found = await scan(app)
    assert not found.end.complete
    assert "Work" in found.end.reason
    assert set(found.listed) == {"talk"}, "what was known is listed still"


async def test_a_refused_collection_does_not_count_as_empty(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("talk", "talk"))
    nextcloud.faults.add(Status(403), on="REPORT .*/calendars/alice/work", times=1)
    found = await scan(accounts.calendars())
    assert not found.end.complete
    assert not found.listed
