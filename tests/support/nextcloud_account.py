"""An account of the double, as an app of the source sees it."""

import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest_asyncio
from tests.nextcloud.server import Nextcloud
from tests.support.nextcloud_client import FixedCredentials

from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.nextcloud.source.account import Account, AccountApp
from citemark.features.nextcloud.source.calendar.app import calendar_app
from citemark.features.nextcloud.source.client import AccountClient
from citemark.features.nextcloud.source.contacts.app import contacts_app
from citemark.features.nextcloud.source.deck.app import deck_app
from citemark.features.nextcloud.source.file_rules import DEFAULT_MAX_BYTES, FileRules
from citemark.features.nextcloud.source.files.app import files_app
from citemark.features.nextcloud.source.http_transport import HttpTransport
from citemark.features.nextcloud.source.notes.app import notes_app
from citemark.features.nextcloud.source.rate_limiter import RateLimiter
from citemark.model.clock import Clock, system_clock


def account_client(server: str, user: str, password: str) -> AccountClient:
    """The real client of an account."""
    rate_limiter = RateLimiter(parallel=16, rate=10_000)
    return AccountClient(HttpTransport(server), FixedCredentials(user, password), rate_limiter, login=user, user=user)


class MemoryScanState:
    """A ScanState in memory that keeps what JSON keeps."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    async def load(self, key: str) -> Any | None:
        found = self.values.get(key)
        return None if found is None else json.loads(found)

    async def save(self, key: str, value: Any) -> None:
        self.values[key] = json.dumps(value)


class AccountsFixture:
    """Apps of accounts on one double; closes their clients and parsers in the end."""

    def __init__(self, nextcloud: Nextcloud) -> None:
        self._nextcloud = nextcloud
        self._clients: list[AccountClient] = []
        self._parsers = ParserPool()

    def client(self, user: str = "alice") -> AccountClient:
        """A client without limits of rate; each call makes a new one."""
        made = account_client(self._nextcloud.url, user, self._nextcloud.password(user))
        self._clients.append(made)
        return made

    def files(
        self,
        user: str = "alice",
        *,
        scan_state: MemoryScanState | None = None,
        max_bytes: int = DEFAULT_MAX_BYTES,
        login: str | None = None,
        **rules: Any,
    ) -> AccountApp:
        """The files of an account; `login` where somebody else's password is used for them."""
        account = Account(self._nextcloud.url, user, user, FileRules.from_config(rules, max_bytes=max_bytes))
        return files_app(self.client(login or user), account, scan_state or MemoryScanState(), self._parsers)

    def deck(self, user: str = "alice", *, scan_state: MemoryScanState | None = None) -> AccountApp:
        """The cards of an account."""
        account = Account(self._nextcloud.url, user, user, FileRules())
        return deck_app(self.client(user), account, scan_state or MemoryScanState(), self._parsers)

    def calendars(
        self, user: str = "alice", *, scan_state: MemoryScanState | None = None, clock: Clock = system_clock
    ) -> AccountApp:
        """The events and to-dos of an account."""
        account = Account(self._nextcloud.url, user, user, FileRules())
        return calendar_app(self.client(user), account, scan_state or MemoryScanState(), self._parsers, clock)

    def contacts(self, user: str = "alice", *, scan_state: MemoryScanState | None = None) -> AccountApp:
        """The contacts of an account."""
        account = Account(self._nextcloud.url, user, user, FileRules())
        return contacts_app(self.client(user), account, scan_state or MemoryScanState(), self._parsers)

    def notes(self, user: str = "alice", *, scan_state: MemoryScanState | None = None) -> AccountApp:
        """The notes of an account."""
        account = Account(self._nextcloud.url, user, user, FileRules())
        return notes_app(self.client(user), account, scan_state or MemoryScanState(), self._parsers)

    async def close(self) -> None:
        for client in self._clients:
            await client.close()
        await self._parsers.close()


@pytest_asyncio.fixture
async def accounts(nextcloud: Nextcloud) -> AsyncGenerator[AccountsFixture, None]:
    """Accounts of the test's own Nextcloud."""
    made = AccountsFixture(nextcloud)
    yield made
    await made.close()
