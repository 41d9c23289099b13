"""Calendars and address books keep the contract on servers that others wrote."""

from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from tests.contract.source_contract import SourceContract, World, listing
from tests.nextcloud.pim.texts import contact, escaped, event
from tests.support.dav_servers import USER, DavServer, radicale, xandikos
from tests.support.nextcloud_account import MemoryScanState, account_client

from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.nextcloud.source.account import Account
from citemark.features.nextcloud.source.calendar.app import calendar_app
from citemark.features.nextcloud.source.client import AccountClient
from citemark.features.nextcloud.source.contacts.app import contacts_app
from citemark.features.nextcloud.source.file_rules import FileRules
from citemark.model.ids import NativeId
from citemark.sources.contract import Connector

_SERVERS: dict[str, Callable[[Path], AbstractContextManager[DavServer]]] = {"radicale": radicale, "xandikos": xandikos}


@dataclass(frozen=True)
class Books:
    """A server, a connector for one kind of its collections, and one collection."""

    server: DavServer
    connector: Connector
    href: str


@pytest.fixture(params=sorted(_SERVERS))
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[DavServer, None, None]:
    with _SERVERS[request.param](tmp_path) as running:
        yield running


@pytest_asyncio.fixture
async def client(server: DavServer) -> AsyncGenerator[AccountClient, None]:
    made = account_client(server.url, USER, "any")
    yield made
    await made.close()


@pytest.fixture
def calendar(server: DavServer, client: AccountClient, parsers: ParserPool) -> Books:
    href = f"{server.calendars}work/"
    server.create("c:calendar", href, "Work")
    app = calendar_app(client, Account(server.url, USER, USER, FileRules()), MemoryScanState(), parsers)
    return Books(server, Connector(app.scanner, app.processor, app.verifier), href)


@pytest.fixture
def book(server: DavServer, client: AccountClient, parsers: ParserPool) -> Books:
    href = f"{server.contacts}people/"
    server.create("r:addressbook", href, "People")
    app = contacts_app(client, Account(server.url, USER, USER, FileRules()), MemoryScanState(), parsers)
    return Books(server, Connector(app.scanner, app.processor, app.verifier), href)


def _world(books: Books, doc_type: str, ending: str, content_type: str, text: Callable[[str, str], str]) -> World:
    def put(name: str, words: str) -> NativeId:
        books.server.put(f"{books.href}{name}{ending}", text(name, words), content_type)
        return NativeId(name)

    @contextmanager
    def away() -> Generator[None, None, None]:
        books.server.away = True
        yield
        books.server.away = False

    return World(books.connector, doc_type, put, lambda name: books.server.delete(f"{books.href}{name}{ending}"), away)


@pytest.mark.requirement("dav-tested-against-real-servers")
class TestCalendars(SourceContract):
    """Events on both servers; an event is known by its id, and its title is a part of its text."""

    no_rename = True

    @pytest.fixture
    def world(self, calendar: Books) -> World:
        return _world(
            calendar,
            "calendar_event",
            ".ics",
            "text/calendar; charset=utf-8",
            lambda name, words: event(name, f"Title of {name}", description=words),
        )


@pytest.mark.requirement("dav-tested-against-real-servers")
class TestContacts(SourceContract):
    """Contacts on both servers, likewise."""

    no_rename = True

    @pytest.fixture
    def world(self, book: Books) -> World:
        return _world(
            book,
            "contact",
            ".vcf",
            "text/vcard; charset=utf-8",
            lambda name, words: contact(name, f"Name {name}", extra=[f"NOTE:{escaped(words)}"]),
        )


async def test_a_calendar_is_followed_from_change_to_change(calendar: Books) -> None:
    for number in range(9):
        calendar.server.put(f"{calendar.href}e{number}.ics", event(f"e{number}", "Title"), "text/calendar")
    first = await listing(calendar.connector)
    assert len(first.listed) == 9
    calendar.server.delete(f"{calendar.href}e7.ics")
    calendar.server.put(f"{calendar.href}e8.ics", event("e8", "Another"), "text/calendar")
    second = await listing(calendar.connector)
    changed = {key for key, entry in first.listed.items() if second.listed.get(key) != entry}
    assert changed == {"e7", "e8"}


async def test_names_that_have_to_be_encoded_are_found_again(calendar: Books) -> None:
    href = f"{calendar.href}a%20b%c3%bc+(1).ics"
    calendar.server.put(href, event("odd", "Odd name"), "text/calendar")
    found = await listing(calendar.connector)
    assert set(found.listed) == {"odd"}
    fetched = await calendar.connector.processor.fetch("calendar_event", NativeId("odd"))
    assert fetched is not None
    assert fetched.extracted.title == "Odd name"
