"""Events and to-dos of an account against the double: what only a Nextcloud does."""

from datetime import UTC, datetime
from typing import Any

import pytest
from tests.contract.source_contract import Listing, listing
from tests.nextcloud.faults import Cut, Html, Status, Truncate
from tests.nextcloud.pim.texts import event, todo
from tests.nextcloud.server import Nextcloud
from tests.support.markdown import assert_sound
from tests.support.nextcloud_account import Office, Remembered
from tests.support.nextcloud_client import client_of

from citemark.extraction.parsers import ParserPool
from citemark.model.documents import DocumentRef, Verdict
from citemark.model.errors import FatalSourceError, SkippableSourceError
from citemark.model.ids import NativeId, Version
from citemark.sources.contract import Connector
from citemark.sources.nextcloud.apps import Account, App
from citemark.sources.nextcloud.calendar.app import calendar_app
from citemark.sources.nextcloud.dav.fetching import BATCH
from citemark.sources.nextcloud.dav.scanner import WHOLE_EVERY
from citemark.sources.nextcloud.files.rules import FileRules
from citemark.sources.nextcloud.http import Client, Reply

HOME = "/remote.php/dav/calendars"


async def scan(app: App) -> Listing:
    return await listing(Connector(app.scanner, app.processor, app.verifier))


async def body_of(app: App, native_id: str, doc_type: str = "calendar_event") -> str | None:
    fetched = await app.processor.fetch(doc_type, NativeId(native_id))
    if fetched is not None:
        assert_sound(fetched.extracted)
    return None if fetched is None else fetched.extracted.body


async def verdict(app: App, found: Listing, native_id: str) -> Verdict:
    entry = found.listed[NativeId(native_id)]
    ref = DocumentRef(entry.doc_type, entry.native_id, entry.version)
    return (await app.verifier.verify([ref]))[ref]


def asked(nextcloud: Nextcloud) -> list[tuple[str, str]]:
    return [(seen.method, seen.path) for seen in nextcloud.log.seen]


async def test_nothing_changed_costs_one_request_whatever_the_number_of_calendars(
    nextcloud: Nextcloud, office: Office
) -> None:
    for number in range(5):
        nextcloud.world.calendars.create("alice", f"c{number}")
        nextcloud.world.calendars.put("alice", f"c{number}", event(f"e{number}", "Title"))
    app = office.calendars()
    first = await scan(app)
    nextcloud.log.clear()
    assert (await scan(app)).listed == first.listed
    assert asked(nextcloud) == [("PROPFIND", f"{HOME}/alice/")]


async def test_what_changed_is_asked_for_by_token_and_read_alone(nextcloud: Nextcloud, office: Office) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    for number in range(4):
        calendars.put("alice", "work", event(f"e{number}", "Title"))
    memory = Remembered()
    first = await scan(office.calendars(memory=memory))
    calendars.put("alice", "work", event("e2", "Another title"))
    calendars.delete("alice", "work", "e3.ics")
    nextcloud.log.clear()
    app = office.calendars(memory=memory)
    second = await scan(app)
    changed = {key for key, entry in first.listed.items() if second.listed.get(key) != entry}
    assert changed == {"e2", "e3"}
    assert asked(nextcloud) == [("PROPFIND", f"{HOME}/alice/")] + 2 * [("REPORT", f"{HOME}/alice/work/")]
    nextcloud.log.clear()
    assert "Another title" in (await body_of(app, "e2") or "")
    assert not asked(nextcloud), "what the scan has read is not asked for again"
    assert "Another title" in (await body_of(app, "e2") or "")
    assert len(asked(nextcloud)) == 1


@pytest.mark.requirement("i4-1-dav-traps")
async def test_a_shared_event_that_turns_private_is_gone_though_no_report_says_so(
    nextcloud: Nextcloud, office: Office
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    for name in ("talk", "lunch"):
        calendars.put("alice", "work", event(name, name))
    calendars.share("alice", "work", "bob")
    app = office.calendars("bob")
    before = await scan(app)
    assert set(before.listed) == {"talk", "lunch"}
    calendars.put("alice", "work", event("talk", "talk", extra=["CLASS:PRIVATE"]))
    assert await verdict(app, before, "talk") is Verdict.GONE
    assert set((await scan(app)).listed) == {"lunch"}


@pytest.mark.requirement("i4-1-dav-traps")
async def test_an_event_that_turns_private_beside_other_changes_is_gone_too(
    nextcloud: Nextcloud, office: Office
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    for name in ("talk", "lunch"):
        calendars.put("alice", "work", event(name, name))
    calendars.share("alice", "work", "bob")
    app = office.calendars("bob")
    await scan(app)
    calendars.put("alice", "work", event("talk", "talk", extra=["CLASS:PRIVATE"]))
    calendars.put("alice", "work", event("lunch", "another lunch"))
    calendars.put("alice", "work", event("walk", "walk"))
    assert set((await scan(app)).listed) == {"lunch", "walk"}


@pytest.mark.requirement("i4-1-dav-traps")
async def test_a_server_restored_from_a_backup_is_listed_anew(nextcloud: Nextcloud, office: Office) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("kept", "old title"))
    kept = calendars.backup()
    calendars.put("alice", "work", event("kept", "new title"))
    calendars.put("alice", "work", event("later", "later"))
    app = office.calendars()
    assert set((await scan(app)).listed) == {"kept", "later"}
    calendars.roll_back(kept)
    assert set((await scan(app)).listed) == {"kept"}
    assert "old title" in (await body_of(app, "kept") or "")


@pytest.mark.requirement("i4-1-dav-traps")
async def test_paths_are_compared_now_and_then_whatever_the_token_says(nextcloud: Nextcloud, office: Office) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("kept", "kept"))
    calendars.put("alice", "work", event("lost", "lost"))
    app = office.calendars()
    await scan(app)
    # A restored server that has counted up to the known token again, without the same content.
    calendars.owned("alice", "work").items.pop("lost.ics")
    for _ in range(WHOLE_EVERY - 1):
        assert set((await scan(app)).listed) == {"kept", "lost"}
    assert set((await scan(app)).listed) == {"kept"}


@pytest.mark.requirement("i4-1-dav-traps")
async def test_a_token_that_the_server_does_not_take_leads_to_a_whole_listing(
    nextcloud: Nextcloud, office: Office
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("one", "one"))
    memory = Remembered()
    await scan(office.calendars(memory=memory))
    key = f"calendar:{HOME}/alice/work/"
    memory.values[key] = memory.values[key].replace("http://sabre.io/ns/sync/2", "rubbish")
    calendars.put("alice", "work", event("two", "two"))
    found = await scan(office.calendars(memory=memory))
    assert set(found.listed) == {"one", "two"}
    assert found.end.complete


@pytest.mark.parametrize("status", [400, 405, 409, 412, 415])
async def test_a_collection_without_reports_of_changes_is_compared_by_etags(
    nextcloud: Nextcloud, office: Office, status: int
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    for name in ("kept", "edited", "deleted"):
        calendars.put("alice", "work", event(name, name))
    app = office.calendars()
    before = await scan(app)
    calendars.put("alice", "work", event("edited", "another title"))
    calendars.delete("alice", "work", "deleted.ics")
    nextcloud.faults.add(Status(status), on="REPORT .*/work", times=1)
    after = await scan(app)
    assert after.end.complete
    assert {key for key in before.listed if after.listed.get(key) != before.listed[key]} == {"edited", "deleted"}


@pytest.mark.requirement("N9-mirrors")
async def test_mirrors_of_boards_birthdays_inbox_and_trash_are_left_out(nextcloud: Nextcloud, office: Office) -> None:
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
    found = await scan(office.calendars())
    assert set(found.listed) == {"kept"}
    assert found.end.complete


async def test_an_event_turned_confidential_is_changed_and_its_text_shows_no_more_than_busy(
    nextcloud: Nextcloud, office: Office
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("pay", "Salary round", location="Room 5"))
    calendars.share("alice", "work", "bob")
    app = office.calendars("bob")
    before = await scan(app)
    assert "Room 5" in (await body_of(app, "pay") or "")
    calendars.put("alice", "work", event("pay", "Salary round", location="Room 5", extra=["CLASS:CONFIDENTIAL"]))
    assert await verdict(app, before, "pay") is Verdict.CHANGED
    fresh = await body_of(app, "pay") or ""
    assert "Busy" in fresh
    assert "Salary" not in fresh
    assert "Room 5" not in fresh


async def test_other_data_under_the_same_etag_is_changed_and_then_known(nextcloud: Nextcloud, office: Office) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    item = calendars.put("alice", "work", event("pay", "Salary round"))
    app = office.calendars()
    before = await scan(app)
    item.text = event("pay", "Something else")
    assert await verdict(app, before, "pay") is Verdict.CHANGED
    fetched = await app.processor.fetch("calendar_event", NativeId("pay"))
    assert fetched is not None
    assert "Something else" in fetched.extracted.body
    after = await scan(app)
    assert after.listed[NativeId("pay")].version == fetched.version
    assert await verdict(app, after, "pay") is Verdict.OK


async def test_readers_of_one_event_never_share_a_version(nextcloud: Nextcloud, office: Office) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("pay", "Salary", extra=["CLASS:CONFIDENTIAL"]))
    calendars.share("alice", "work", "bob")
    owner, sharee = await scan(office.calendars()), await scan(office.calendars("bob"))
    assert owner.listed[NativeId("pay")].version != sharee.listed[NativeId("pay")].version


async def test_an_unshared_calendar_is_gone_for_the_sharee_at_once(nextcloud: Nextcloud, office: Office) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("talk", "talk"))
    calendars.share("alice", "work", "bob")
    app = office.calendars("bob")
    before = await scan(app)
    calendars.unshare("alice", "work", "bob")
    assert await verdict(app, before, "talk") is Verdict.GONE
    after = await scan(app)
    assert after.end.complete
    assert not after.listed
    assert await body_of(app, "talk") is None


async def test_an_event_moved_to_another_calendar_keeps_its_id(nextcloud: Nextcloud, office: Office) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.create("alice", "family")
    calendars.put("alice", "work", event("talk", "talk"))
    memory = Remembered()
    reader = office.calendars(memory=memory)
    await scan(reader)
    await body_of(reader, "talk")
    calendars.move("alice", "work", "talk.ics", "family")
    after = await scan(office.calendars(memory=memory))
    assert set(after.listed) == {"talk"}
    assert await verdict(reader, after, "talk") is Verdict.OK, "another process has seen the move"
    assert "Calendar: Family" in (await body_of(reader, "talk") or "")


async def test_a_uid_that_repeats_is_told_apart_by_its_calendar_and_keeps_its_name(
    nextcloud: Nextcloud, office: Office
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("invited", "of work"))
    memory = Remembered()
    assert set((await scan(office.calendars(memory=memory))).listed) == {"invited"}
    calendars.create("alice", "family")
    calendars.put("alice", "family", event("invited", "of family"))
    app = office.calendars(memory=memory)
    assert set((await scan(app)).listed) == {"invited", "family/invited"}
    assert "of work" in (await body_of(app, "invited") or "")
    assert "of family" in (await body_of(app, "family/invited") or "")
    calendars.delete("alice", "work", "invited.ics")
    assert set((await scan(app)).listed) == {"family/invited"}


async def test_verifying_a_page_over_many_calendars_is_one_request_for_each(
    nextcloud: Nextcloud, office: Office
) -> None:
    calendars = nextcloud.world.calendars
    for number in range(3):
        calendars.create("alice", f"c{number}")
        for day in range(4):
            calendars.put("alice", f"c{number}", event(f"e{number}-{day}", "Title"))
    app = office.calendars()
    found = await scan(app)
    refs = [DocumentRef(entry.doc_type, entry.native_id, entry.version) for entry in found.listed.values()]
    calendars.delete("alice", "c1", "e1-0.ics")
    nextcloud.log.clear()
    verdicts = await app.verifier.verify(refs)
    assert {ref.native_id for ref, told in verdicts.items() if told is not Verdict.OK} == {"e1-0"}
    assert len(asked(nextcloud)) == 3


@pytest.mark.parametrize("fault", [Status(500), Status(503), Html(), Truncate(), Cut()])
async def test_an_answer_that_is_none_vouches_for_nothing_and_deletes_nothing(
    nextcloud: Nextcloud, office: Office, fault: object
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("talk", "talk"))
    app = office.calendars()
    before = await scan(app)
    calendars.put("alice", "work", event("more", "more"))
    nextcloud.faults.add(fault, on="/calendars/alice/work", times=20)  # pyright: ignore[reportArgumentType]
    assert await verdict(app, before, "talk") is Verdict.UNKNOWN
    found = await scan(app)
    assert not found.end.complete
    assert "Work" in found.end.reason
    assert set(found.listed) == {"talk"}, "what was known is listed still"


async def test_a_refused_collection_is_no_empty_one(nextcloud: Nextcloud, office: Office) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("talk", "talk"))
    nextcloud.faults.add(Status(403), on="REPORT .*/calendars/alice/work", times=1)
    found = await scan(office.calendars())
    assert not found.end.complete
    assert not found.listed


async def test_before_anything_was_listed_nothing_is_said_of_a_document(nextcloud: Nextcloud, office: Office) -> None:
    app = office.calendars()
    ref = DocumentRef("calendar_event", NativeId("talk"), Version("1"))
    assert await app.verifier.verify([ref]) == {ref: Verdict.UNKNOWN}


async def test_a_document_is_fetched_where_nothing_is_remembered(nextcloud: Nextcloud, office: Office) -> None:
    nextcloud.world.calendars.create("alice", "work")
    nextcloud.world.calendars.put("alice", "work", event("talk", "A talk"))
    assert "A talk" in (await body_of(office.calendars(), "talk") or "")
    assert await body_of(office.calendars(), "other") is None


async def test_any_name_of_a_resource_is_found_again(nextcloud: Nextcloud, office: Office) -> None:
    nextcloud.world.calendars.create("alice", "work")
    for number, name in enumerate(("a b.ics", "50%.ics", "wh?t#.ics", "ü&<.ics", "%41.ics")):
        nextcloud.world.calendars.put("alice", "work", event(f"e{number}", f"Event {number}"), name)
    app = office.calendars()
    assert len((await scan(app)).listed) == 5
    for number in range(5):
        body = await body_of(app, f"e{number}")
        assert f"Event {number}" in (body or "")
        assert await body_of(app, f"e{number}") == body, "from the server this time"


async def test_more_resources_than_one_request_takes_are_all_read(nextcloud: Nextcloud, office: Office) -> None:
    nextcloud.world.calendars.create("alice", "work")
    for number in range(2 * BATCH + 1):
        nextcloud.world.calendars.put("alice", "work", event(f"e{number}", "Title"))
    assert len((await scan(office.calendars())).listed) == 2 * BATCH + 1
    assert sum(seen.method == "REPORT" for seen in nextcloud.log.seen) == 3


@pytest.mark.requirement("i4-bad-ical")
async def test_broken_data_is_reported_with_its_reason_and_the_others_live_on(
    nextcloud: Nextcloud, office: Office
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("good", "good"))
    calendars.put("alice", "work", "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:bad\r\nSUMMARY:cut", "bad.ics")
    calendars.put("alice", "work", "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:nameless\r\nEND:VEV", "odd name.ics")
    app = office.calendars()
    found = await scan(app)
    assert found.end.complete
    assert set(found.listed) == {"good", "bad", "work/odd name.ics"}
    assert "good" in (await body_of(app, "good") or "")
    for native_id in ("bad", "work/odd name.ics"):
        with pytest.raises(SkippableSourceError, match="calendar data"):
            await app.processor.fetch("calendar_event", NativeId(native_id))


@pytest.mark.requirement("i4-bad-ical")
async def test_a_character_that_no_xml_holds_spoils_nothing(nextcloud: Nextcloud, office: Office) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("good", "good"))
    calendars.put("alice", "work", event("odd", "with \x0b and \x01 inside"))
    app = office.calendars()
    assert set((await scan(app)).listed) == {"good", "odd"}
    assert "with" in (await body_of(app, "odd") or "")


async def test_tasks_are_told_from_events(nextcloud: Nextcloud, office: Office) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "tasks", components=("VTODO",))
    calendars.put("alice", "tasks", todo("milk", "Buy milk", due="20261224"))
    app = office.calendars()
    found = await scan(app)
    assert {entry.doc_type for entry in found.listed.values()} == {"calendar_todo"}
    assert "Thursday 24 December 2026" in (await body_of(app, "milk", "calendar_todo") or "")


@pytest.mark.requirement("N10")
async def test_what_repeats_is_read_again_each_month_for_its_next_dates(nextcloud: Nextcloud, office: Office) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("weekly", "weekly", start="20261102T100000Z", extra=["RRULE:FREQ=WEEKLY"]))
    calendars.put("alice", "work", event("once", "once"))
    now = [datetime(2026, 11, 30, 23, tzinfo=UTC)]
    app = office.calendars(clock=lambda: now[0])
    november = await scan(app)
    now[0] = datetime(2026, 12, 1, 1, tzinfo=UTC)
    assert await verdict(app, november, "weekly") is Verdict.OK, "the month alone hides nothing"
    december = await scan(app)
    assert {key for key in december.listed if december.listed[key] != november.listed[key]} == {"weekly"}
    body = await body_of(app, "weekly") or ""
    assert "Monday 7 December 2026, 10:00 to 11:00 (UTC)" in body
    assert "November 2026, 10:00 to" not in body.partition("Next dates")[2]


async def test_a_server_without_calendars_is_a_clear_error(nextcloud: Nextcloud, office: Office) -> None:
    nextcloud.faults.add(Status(404), on="/well-known/caldav", times=5)
    nextcloud.faults.add(Status(405), on="/remote.php/dav", times=5)
    with pytest.raises(FatalSourceError, match="check the address"):
        await scan(office.calendars())


async def test_the_well_known_address_may_be_missing(nextcloud: Nextcloud, office: Office) -> None:
    nextcloud.world.calendars.create("alice", "work")
    nextcloud.world.calendars.put("alice", "work", event("talk", "talk"))
    nextcloud.faults.add(Status(404), on="/well-known/caldav", times=5)
    assert set((await scan(office.calendars())).listed) == {"talk"}


@pytest.mark.parametrize("fault", [Status(301, headers={"location": "http://elsewhere.example/dav/"}), Html()])
async def test_calendars_are_found_where_the_well_known_address_leads_astray(
    nextcloud: Nextcloud, fault: Status | Html
) -> None:
    nextcloud.world.calendars.create("alice", "work")
    nextcloud.world.calendars.put("alice", "work", event("talk", "talk"))
    async with client_of(nextcloud) as client:
        account = Account(nextcloud.url, "alice", "alice", FileRules())
        assert set((await scan(calendar_app(client, account, Remembered(), ParserPool()))).listed) == {"talk"}
        nextcloud.faults.add(fault, on="/well-known/caldav")
        app = calendar_app(client, account, Remembered(), ParserPool())
        assert set((await scan(app)).listed) == {"talk"}


async def test_what_is_too_large_for_one_answer_is_read_in_parts_and_reported_alone(
    nextcloud: Nextcloud, office: Office
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    for number in range(4):
        calendars.put("alice", "work", event(f"e{number}", "small"))
    calendars.put("alice", "work", event("huge", "huge", description="word " * 4000))
    account = Account(nextcloud.url, "alice", "alice", FileRules())
    app = calendar_app(Narrow(office.wire(), 16_000), account, Remembered(), ParserPool())
    found = await scan(app)
    assert found.end.complete
    assert set(found.listed) == {"e0", "e1", "e2", "e3"}
    assert [problem.message for problem in found.problems] == ["too large"]


class Narrow:
    """A client that takes no answer above a size."""

    def __init__(self, client: Client, most: int) -> None:
        self.server, self.login, self.user = client.server, client.login, client.user
        self._client = client
        self._most = most

    async def send(self, method: str, path: str, **given: Any) -> Reply:
        reply = await self._client.send(method, path, **given)
        if len(reply.body) > self._most:
            raise SkippableSourceError("too large")
        return reply
