"""All six types of one account through its one connector."""

from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
from tests.contract.source_contract import Listing, listing
from tests.nextcloud.pim.texts import contact, event, todo
from tests.nextcloud.server import Nextcloud
from tests.support.markdown import assert_sound
from tests.support.nextcloud_account import MemoryScanState
from tests.support.nextcloud_client import client_of
from tests.support.verdicts import verdicts_of

from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.nextcloud.source.account import AccountSettings
from citemark.features.nextcloud.source.connector import nextcloud_connector
from citemark.model.documents import DocumentRef, Fetched, Verdict
from citemark.sources.contract import Connector

TYPES = {"note", "calendar_event", "calendar_todo", "deck_card", "file", "contact"}


@pytest_asyncio.fixture
async def connector(nextcloud: Nextcloud) -> AsyncGenerator[Connector, None]:
    """An account with one document of each type, all of which name Tomasz."""
    world = nextcloud.world
    slides = world.files.put("alice", "/Slides.md", "# Slides\n\nOf Tomasz.").id
    world.notes.add("alice", "Minutes", f"Tomasz spoke; see {nextcloud.url}/f/{slides}.", "Work")
    world.calendars.create("alice", "work", components=("VEVENT", "VTODO"))
    invited = "ATTENDEE;CN=Tomasz Wilk;PARTSTAT=ACCEPTED:mailto:tomasz@example.org"
    world.calendars.put("alice", "work", event("talk", "Talk of Tomasz", extra=[invited]))
    world.calendars.put("alice", "work", todo("call", "Call Tomasz", due="20261224"))
    world.contacts.create("alice", "contacts")
    world.contacts.put("alice", "contacts", contact("tomasz", "Tomasz Wilk", email="Tomasz@example.org"))
    stack = world.deck.stack(world.deck.board("alice", "Board").id, "To do")
    world.deck.card(stack.id, "Ask Tomasz", f"About {nextcloud.url}/f/{slides}")
    settings = AccountSettings.from_config({"server": nextcloud.url, "login": "alice", "user": "alice"})
    parsers = ParserPool()
    async with client_of(nextcloud) as client:
        yield nextcloud_connector(settings, client, MemoryScanState(), parsers)
    await parsers.close()


async def documents(connector: Connector, found: Listing) -> dict[str, Fetched]:
    """One document of each type."""
    fetched = [await connector.processor.fetch(entry.doc_type, entry.native_id) for entry in found.listed.values()]
    return {each.doc_type: each for each in fetched if each is not None}


@pytest.mark.requirement(
    "addresses-open",
    "all-six-document-types-indexed",
    "each-type-has-readable-text",
    "each-document-has-a-web-address",
    "links-between-apps-are-relationships",
    "nextcloud-items-known-by-their-ids",
)
async def test_each_type_has_a_text_an_address_and_the_id_that_the_server_gave_it(
    nextcloud: Nextcloud, connector: Connector
) -> None:
    found = await listing(connector)
    assert found.end.complete
    assert not found.end.unlisted
    read = await documents(connector, found)
    assert set(read) == TYPES
    for each in read.values():
        assert_sound(each.extracted)
        assert "Tomasz" in each.extracted.body
        assert each.extracted.title in each.extracted.body.partition("\n")[0] or each.doc_type in {"note", "file"}
        assert (each.url or "").startswith(f"{nextcloud.url}/index.php/"), "opens without URL rewriting too"
        assert found.listed[each.native_id].version == each.version
    assert {key: read[key].native_id for key in ("calendar_event", "calendar_todo", "contact")} == {
        "calendar_event": "talk",
        "calendar_todo": "call",
        "contact": "tomasz",
    }
    assert all(read[key].native_id.isdecimal() for key in ("note", "file", "deck_card"))
    assert read["note"].native_id in (read["note"].url or "")
    slides = read["file"].native_id
    assert slides in {each.to_native_id for each in read["note"].relationships}
    assert slides in {each.to_native_id for each in read["deck_card"].relationships}
    attendee = {each.to_url for each in read["calendar_event"].relationships if each.type == "attendee"}
    assert attendee == {each.to_url for each in read["contact"].relationships} == {"mailto:tomasz@example.org"}


@pytest.mark.requirement("types-verified-in-batches")
async def test_a_page_of_every_type_is_verified_at_once_with_what_changed_and_what_is_gone(
    nextcloud: Nextcloud, connector: Connector
) -> None:
    found = await listing(connector)
    refs = {
        entry.doc_type: DocumentRef(entry.doc_type, entry.native_id, entry.version) for entry in found.listed.values()
    }
    verdicts = await verdicts_of(connector.verifier, list(refs.values()))
    assert {ref.doc_type: told for ref, told in verdicts.items()} == dict.fromkeys(TYPES, Verdict.OK)
    nextcloud.world.calendars.put("alice", "work", event("talk", "Another talk"))
    nextcloud.world.calendars.delete("alice", "work", "call.ics")
    nextcloud.world.contacts.delete("alice", "contacts", "tomasz.vcf")
    nextcloud.world.notes.edit("alice", int(refs["note"].native_id), content="other words")
    nextcloud.world.deck.delete(int(refs["deck_card"].native_id))
    verdicts = await verdicts_of(connector.verifier, list(refs.values()))
    assert {ref.doc_type: told for ref, told in verdicts.items()} == {
        "calendar_event": Verdict.CHANGED,
        "calendar_todo": Verdict.GONE,
        "contact": Verdict.GONE,
        "note": Verdict.CHANGED,
        "deck_card": Verdict.GONE,
        "file": Verdict.OK,
    }
