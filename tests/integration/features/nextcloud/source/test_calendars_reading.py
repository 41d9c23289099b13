"""Events and to-dos against the double: what is read of them, however odd the data or the server."""

from datetime import UTC, datetime

import pytest
from tests.nextcloud.faults import Html, Status
from tests.nextcloud.pim.texts import event, todo
from tests.nextcloud.server import Nextcloud
from tests.support.nextcloud_account import AccountsFixture, MemoryScanState
from tests.support.nextcloud_calendars import body_of, scan, verdict
from tests.support.nextcloud_client import client_of
from tests.support.verdicts import verdicts_of

from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.nextcloud.source.account import Account
from citemark.features.nextcloud.source.calendar.app import calendar_app
from citemark.features.nextcloud.source.client import Client
from citemark.features.nextcloud.source.dav.api import BATCH
from citemark.features.nextcloud.source.file_rules import FileRules
from citemark.model.documents import DocumentRef, Verdict
from citemark.model.errors import FatalSourceError, SkippableSourceError
from citemark.model.ids import NativeId, Version
from citemark.remote.connections import HttpRequest, HttpResponse


async def test_before_the_first_listing_the_state_of_a_document_is_unknown(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    app = accounts.calendars()
    ref = DocumentRef("calendar_event", NativeId("talk"), Version("1"))
    assert await verdicts_of(app.verifier, [ref]) == {ref: Verdict.UNKNOWN}


async def test_a_document_is_fetched_where_nothing_is_remembered(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    nextcloud.world.calendars.create("alice", "work")
    nextcloud.world.calendars.put("alice", "work", event("talk", "A talk"))
    assert "A talk" in (await body_of(accounts.calendars(), "talk") or "")
    assert await body_of(accounts.calendars(), "other") is None


async def test_any_name_of_a_resource_is_found_again(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    nextcloud.world.calendars.create("alice", "work")
    for number, name in enumerate(("a b.ics", "50%.ics", "wh?t#.ics", "ü&<.ics", "%41.ics")):
        nextcloud.world.calendars.put("alice", "work", event(f"e{number}", f"Event {number}"), name)
    app = accounts.calendars()
    assert len((await scan(app)).listed) == 5
    for number in range(5):
        body = await body_of(app, f"e{number}")
        assert f"Event {number}" in (body or "")
        assert await body_of(app, f"e{number}") == body, "from the server this time"


async def test_more_resources_than_one_request_takes_are_all_read(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    nextcloud.world.calendars.create("alice", "work")
    for number in range(2 * BATCH + 1):
        nextcloud.world.calendars.put("alice", "work", event(f"e{number}", "Title"))
    assert len((await scan(accounts.calendars())).listed) == 2 * BATCH + 1
    assert sum(seen.method == "REPORT" for seen in nextcloud.log.seen) == 3


@pytest.mark.requirement("malformed-calendars-and-cards-reported")
async def test_broken_data_is_reported_with_its_reason_and_the_others_live_on(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("good", "good"))
    calendars.put("alice", "work", "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:bad\r\nSUMMARY:cut", "bad.ics")
    calendars.put("alice", "work", "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:nameless\r\nEND:VEV", "odd name.ics")
    app = accounts.calendars()
    found = await scan(app)
    assert found.end.complete
    assert set(found.listed) == {"good", "bad", "work/odd name.ics"}
    assert "good" in (await body_of(app, "good") or "")
    for native_id, words in (("bad", "cut"), ("work/odd name.ics", "nameless")):
        fetched = await app.processor.fetch("calendar_event", NativeId(native_id))
        assert fetched is not None
        assert words in fetched.extracted.body
        assert fetched.extracted.left_out, "what is missing is told"


@pytest.mark.requirement("malformed-calendars-and-cards-reported")
async def test_a_character_that_xml_does_not_allow_breaks_nothing(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("good", "good"))
    calendars.put("alice", "work", event("odd", "with \x0b and \x01 inside"))
    app = accounts.calendars()
    assert set((await scan(app)).listed) == {"good", "odd"}
    assert "with" in (await body_of(app, "odd") or "")


async def test_tasks_are_distinguished_from_events(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "tasks", components=("VTODO",))
    calendars.put("alice", "tasks", todo("milk", "Buy milk", due="20261224"))
    app = accounts.calendars()
    found = await scan(app)
    assert {entry.doc_type for entry in found.listed.values()} == {"calendar_todo"}
    assert "Thursday 24 December 2026" in (await body_of(app, "milk", "calendar_todo") or "")


@pytest.mark.requirement("recurring-event-kept-as-stored")
async def test_repeating_entries_are_read_again_each_month_for_their_next_dates(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("weekly", "weekly", start="20261102T100000Z", extra=["RRULE:FREQ=WEEKLY"]))
    calendars.put("alice", "work", event("once", "once"))
    now = [datetime(2026, 11, 30, 23, tzinfo=UTC)]
    app = accounts.calendars(clock=lambda: now[0])
    november = await scan(app)
    now[0] = datetime(2026, 12, 1, 1, tzinfo=UTC)
    assert await verdict(app, november, "weekly") is Verdict.OK, "the month alone hides nothing"
    december = await scan(app)
    assert {key for key in december.listed if december.listed[key] != november.listed[key]} == {"weekly"}
    body = await body_of(app, "weekly") or ""
    assert "Monday 7 December 2026, 10:00 to 11:00 (UTC)" in body
    assert "November 2026, 10:00 to" not in body.partition("Next dates")[2]


async def test_a_server_without_calendars_is_a_clear_error(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    nextcloud.faults.add(Status(404), on="/well-known/caldav", times=5)
    nextcloud.faults.add(Status(405), on="/remote.php/dav", times=5)
    with pytest.raises(FatalSourceError, match="check the address"):
        await scan(accounts.calendars())


async def test_the_well_known_address_may_be_missing(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    nextcloud.world.calendars.create("alice", "work")
    nextcloud.world.calendars.put("alice", "work", event("talk", "talk"))
    nextcloud.faults.add(Status(404), on="/well-known/caldav", times=5)
    assert set((await scan(accounts.calendars())).listed) == {"talk"}


@pytest.mark.parametrize("fault", [Status(301, headers={"location": "http://elsewhere.example/dav/"}), Html()])
async def test_calendars_are_found_where_the_well_known_address_leads_astray(
    nextcloud: Nextcloud, parsers: ParserPool, fault: Status | Html
) -> None:
    nextcloud.world.calendars.create("alice", "work")
    nextcloud.world.calendars.put("alice", "work", event("talk", "talk"))
    async with client_of(nextcloud) as client:
        account = Account(nextcloud.url, "alice", "alice", FileRules())
        assert set((await scan(calendar_app(client, account, MemoryScanState(), parsers))).listed) == {"talk"}
        nextcloud.faults.add(fault, on="/well-known/caldav")
        app = calendar_app(client, account, MemoryScanState(), parsers)
        assert set((await scan(app)).listed) == {"talk"}


async def test_a_batch_too_large_for_one_response_is_split_and_only_the_culprit_reported(
    nextcloud: Nextcloud, parsers: ParserPool, accounts: AccountsFixture
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    for number in range(4):
        calendars.put("alice", "work", event(f"e{number}", "small"))
    calendars.put("alice", "work", event("huge", "huge", description="word " * 4000))
    account = Account(nextcloud.url, "alice", "alice", FileRules())
    app = calendar_app(Narrow(accounts.client(), 16_000), account, MemoryScanState(), parsers)
    found = await scan(app)
    assert found.end.complete
    assert set(found.listed) == {"e0", "e1", "e2", "e3"}
    assert [problem.message for problem in found.problems] == ["too large"]


class Narrow:
    """A client that takes no answer above a size."""

    def __init__(self, client: Client, most: int) -> None:
        self.server, self.login, self.user, self.large = client.server, client.login, client.user, client.large
        self._client = client
        self._most = most

    async def send(self, request: HttpRequest, *, turn: str | None = None) -> HttpResponse:
        reply = await self._client.send(request, turn=turn)
        if len(reply.body) > self._most:
            raise SkippableSourceError("too large")
        return reply
