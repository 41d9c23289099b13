"""An account of the double as an app of the source sees it."""

import json
from collections.abc import AsyncGenerator, Mapping
from typing import Any

import httpx2
import pytest_asyncio
from tests.nextcloud.server import Nextcloud

from citemark.extraction.parsers import ParserPool
from citemark.model.clock import Clock, system_clock
from citemark.model.errors import FatalSourceError, RetriableSourceError
from citemark.sources.nextcloud.apps import Account, App
from citemark.sources.nextcloud.calendar.app import calendar_app
from citemark.sources.nextcloud.contacts.app import contacts_app
from citemark.sources.nextcloud.deck.app import deck_app
from citemark.sources.nextcloud.files.app import files_app
from citemark.sources.nextcloud.files.rules import DEFAULT_MAX_BYTES, FileRules
from citemark.sources.nextcloud.http import Reply
from citemark.sources.nextcloud.notes.app import notes_app


class Wire:
    """A plain client of one account."""

    def __init__(self, server: str, user: str, headers: Mapping[str, str]) -> None:
        self.server = server
        self.login = self.user = user
        self._http = httpx2.AsyncClient(base_url=server, headers=dict(headers), timeout=20)

    async def send(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, str] | None = None,
        content: bytes | None = None,
        most_bytes: int = 1 << 26,
    ) -> Reply:
        try:
            answer = await self._http.request(method, path, headers=headers, params=params, content=content)
        except httpx2.HTTPError as error:
            raise RetriableSourceError(str(error)) from error
        if answer.status_code == 401:
            raise FatalSourceError("401")
        if answer.status_code in {429, 500, 502, 503}:
            raise RetriableSourceError(str(answer.status_code))
        return Reply(answer.status_code, dict(answer.headers.items()), answer.content, str(answer.url))

    async def close(self) -> None:
        await self._http.aclose()


class Remembered:
    """A ScanMemory in memory that keeps what JSON keeps."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    async def load(self, key: str) -> Any | None:
        found = self.values.get(key)
        return None if found is None else json.loads(found)

    async def save(self, key: str, value: Any) -> None:
        self.values[key] = json.dumps(value)


class Office:
    """Accounts of one double, with all that has to be closed in the end."""

    def __init__(self, nextcloud: Nextcloud) -> None:
        self._nextcloud = nextcloud
        self._wires: list[Wire] = []
        self._parsers = ParserPool()

    def wire(self, user: str = "alice") -> Wire:
        made = Wire(self._nextcloud.url, user, self._nextcloud.basic(user))
        self._wires.append(made)
        return made

    def files(
        self,
        user: str = "alice",
        *,
        memory: Remembered | None = None,
        max_bytes: int = DEFAULT_MAX_BYTES,
        login: str | None = None,
        **rules: Any,
    ) -> App:
        """The files of an account; `login` where somebody else's password is used for them."""
        account = Account(self._nextcloud.url, user, user, FileRules.from_config(rules, max_bytes=max_bytes))
        return files_app(self.wire(login or user), account, memory or Remembered(), self._parsers)

    def deck(self, user: str = "alice", *, memory: Remembered | None = None) -> App:
        """The cards of an account."""
        account = Account(self._nextcloud.url, user, user, FileRules())
        return deck_app(self.wire(user), account, memory or Remembered(), self._parsers)

    def calendars(self, user: str = "alice", *, memory: Remembered | None = None, clock: Clock = system_clock) -> App:
        """The events and to-dos of an account."""
        account = Account(self._nextcloud.url, user, user, FileRules())
        return calendar_app(self.wire(user), account, memory or Remembered(), self._parsers, clock)

    def contacts(self, user: str = "alice", *, memory: Remembered | None = None) -> App:
        """The contacts of an account."""
        account = Account(self._nextcloud.url, user, user, FileRules())
        return contacts_app(self.wire(user), account, memory or Remembered(), self._parsers)

    def notes(self, user: str = "alice", *, memory: Remembered | None = None) -> App:
        """The notes of an account."""
        account = Account(self._nextcloud.url, user, user, FileRules())
        return notes_app(self.wire(user), account, memory or Remembered(), self._parsers)

    async def close(self) -> None:
        for wire in self._wires:
            await wire.close()
        await self._parsers.close()


@pytest_asyncio.fixture
async def office(nextcloud: Nextcloud) -> AsyncGenerator[Office, None]:
    """Accounts of the test's own Nextcloud."""
    made = Office(nextcloud)
    yield made
    await made.close()
