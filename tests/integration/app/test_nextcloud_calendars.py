"""Shared events from server to answer: what is hidden from a reader is not shown, from the moment it is hidden."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

import pytest
from tests.integration.app.cloud import Cloud, cloud_over
from tests.nextcloud.pim.texts import event
from tests.nextcloud.server import Nextcloud

from citemark.model.errors import BackendUnavailable, InvalidArgument
from citemark.model.scope import ReadContext
from citemark.services.history_keys import DOCUMENT_DIFF
from citemark.services.requests import CitationRef, DiffRequest, SearchRequest

SECRET = "The board discusses the takeover of the old mill."
QUESTION = "What does the board discuss about the mill?"


@pytest.fixture
async def cloud(dsn: str, nextcloud: Nextcloud, tmp_path: Path) -> AsyncGenerator[Cloud, None]:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("board", "Board meeting", description=SECRET))
    calendars.share("alice", "work", "bob")
    async with cloud_over(dsn, nextcloud, tmp_path) as made:
        for user in ("alice", "bob"):
            await made.join(user)
        await made.sync()
        yield made


@pytest.mark.requirement("unopenable-never-shown-in-any-past", "changed-hit-reread-or-withheld")
async def test_what_an_event_said_before_it_was_hidden_is_neither_opened_nor_compared_nor_shown_as_of_then(
    dsn: str, nextcloud: Nextcloud, tmp_path: Path
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("board", "Board meeting", description=SECRET))
    calendars.share("alice", "work", "bob")
    async with cloud_over(dsn, nextcloud, tmp_path) as cloud:
        readers = {user: Reader(cloud, user) for user in ("alice", "bob")}
        for user in readers:
            await cloud.join(user, keep_history=True)
        await cloud.sync()
        for reader in readers.values():
            await reader.remember()
            assert "takeover" in await reader.opened()
        confidential = event("board", "Board meeting", description=SECRET, extra=["CLASS:CONFIDENTIAL"])
        calendars.put("alice", "work", confidential)
        for _ in range(2):
            assert "takeover" in await readers["alice"].opened(), "it is hers still"
            with pytest.raises(InvalidArgument):
                await readers["bob"].opened()
            await cloud.sync()
        assert "confidential" in await readers["alice"].compared()
        assert "takeover" in await readers["alice"].as_of()
        assert "takeover" not in await readers["bob"].compared()
        assert "takeover" not in await readers["bob"].as_of()
        assert "takeover" not in await readers["bob"].checked()


@pytest.mark.requirement("changed-hit-reread-or-withheld")
async def test_what_was_changed_in_an_account_without_history_is_opened_only_if_it_still_says_so(cloud: Cloud) -> None:
    alice = Reader(cloud, "alice")
    await alice.remember()
    calendars = cloud.server.world.calendars
    moved = calendars.put("alice", "work", event("board", "Board meeting", description=SECRET, location="Attic"))
    with pytest.raises(BackendUnavailable, match="has changed there"):
        await alice.opened()
    moved.text = event("board", "Board meeting", description=f"{SECRET}\\n\\nNothing else.")
    assert "takeover" in await alice.opened()
    calendars.delete("alice", "work", "board.ics")
    with pytest.raises(InvalidArgument):
        await alice.opened()


@pytest.mark.requirement("unopenable-never-shown-in-any-past", "changed-hit-reread-or-withheld")
async def test_a_line_that_still_stands_is_not_cited_with_the_title_that_was_hidden(cloud: Cloud) -> None:
    bob = Reader(cloud, "bob")
    await bob.remember()
    text = await bob.opened()
    (when,) = (line for line in text.splitlines() if "When" in line)
    start = text.index(when)
    bob.ref = replace(bob.ref, start_char=start, end_char=start + len(when))
    assert await bob.opened() == when
    confidential = event("board", "Board meeting", description=SECRET, extra=["CLASS:CONFIDENTIAL"])
    cloud.server.world.calendars.put("alice", "work", confidential)
    found = await cloud.app.services.quotes.verify(cloud.caller("bob"), bob.ref, when)
    assert (found.holds, found.found_at) == ("moved", None)
    assert "another title or place" in str(found.meta.notes)
    assert "Board" not in str(found)
    with pytest.raises(BackendUnavailable, match="has changed there"):
        await bob.opened()


@pytest.mark.requirement("confidential-capable-types-asked-each-time")
async def test_an_event_made_confidential_is_hidden_at_once_however_long_verdicts_are_remembered(
    dsn: str, nextcloud: Nextcloud, tmp_path: Path
) -> None:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("board", "Board meeting", description=SECRET))
    calendars.share("alice", "work", "bob")
    nextcloud.world.notes.add("bob", "Mill", "The note about the mill that the board discusses.")
    async with cloud_over(dsn, nextcloud, tmp_path, verify_cache=3600) as cloud:
        await cloud.join("bob")
        await cloud.sync()
        assert "takeover" in str(await cloud.found("bob", QUESTION))
        nextcloud.log.clear()
        confidential = event("board", "Board meeting", description=SECRET, extra=["CLASS:CONFIDENTIAL"])
        calendars.put("alice", "work", confidential)
        found = await cloud.found("bob", QUESTION)
        assert [hit["title"] for hit in found] == ["Mill"]
        assert not nextcloud.log.matching("/apps/notes/"), "what was said of the note is remembered"


@dataclass
class Reader:
    """A user who has seen a citation of the event, and uses it later."""

    cloud: Cloud
    user: str
    ref: CitationRef = field(init=False)
    then: datetime = field(init=False)

    async def remember(self) -> None:
        services, caller = self.cloud.app.services, self.cloud.caller(self.user)
        hit = (await services.search.find(caller, SearchRequest(QUESTION))).hits[0]
        self.then = hit.citation.as_of
        self.ref = CitationRef(hit.citation.source, hit.citation.document_id, hit.citation.revision_id)

    async def opened(self) -> str:
        return (await self.cloud.app.services.reopening.reopen(self.cloud.caller(self.user), self.ref)).text

    async def checked(self) -> str:
        services = self.cloud.app.services
        return str(await services.quotes.verify(self.cloud.caller(self.user), self.ref, SECRET))

    async def as_of(self) -> str:
        asked = SearchRequest(QUESTION, read_context=ReadContext(as_of=self.then))
        return str(await self.cloud.app.services.search.find(self.cloud.caller(self.user), asked))

    async def compared(self) -> str:
        asked = DiffRequest(before=self.then.isoformat())
        return str(await self.cloud.app.services.get(DOCUMENT_DIFF).documents(self.cloud.caller(self.user), asked))


async def shown(cloud: Cloud, user: str) -> str:
    return "\n".join(str(item) for item in await cloud.found(user, QUESTION))


@pytest.mark.requirement("nothing-shown-to-strangers", "changed-hit-reread-or-withheld")
@pytest.mark.parametrize("hidden", ["CLASS:CONFIDENTIAL", "CLASS:PRIVATE"])
async def test_an_event_hidden_from_its_readers_is_not_shown_to_them_before_any_sync_nor_after(
    cloud: Cloud, hidden: str
) -> None:
    assert "takeover" in await shown(cloud, "bob")
    calendars = cloud.server.world.calendars
    calendars.put("alice", "work", event("board", "Board meeting", description=SECRET, extra=[hidden]))
    assert "takeover" not in await shown(cloud, "bob")
    await cloud.sync()
    assert "takeover" not in await shown(cloud, "bob")
    assert "takeover" in await shown(cloud, "alice"), "it is hers still"
    cloud.later(2 * cloud.app.settings.scan_interval)
    await cloud.sync()
    rows = await cloud.app.stores.database.read_sql(
        "SELECT count(*) AS n FROM revision WHERE source_id = %(source_id)s AND body LIKE '%%takeover%%'",
        {"source_id": cloud.sources["bob"].source_id},
    )
    assert rows[0]["n"] == 0, "nothing of it is left in his part of the index"


async def test_changed_text_under_the_same_etag_is_read_once_and_then_kept(cloud: Cloud) -> None:
    calendars = cloud.server.world.calendars
    item = calendars.owned("alice", "work").items["board.ics"]
    item.text = event("board", "Board meeting", description="The mill is not for sale.")
    assert "takeover" not in await shown(cloud, "alice")
    assert (await cloud.sync("alice")).documents == 1
    assert "not for sale" in await shown(cloud, "alice")
    assert (await cloud.sync("alice")).documents == 0
