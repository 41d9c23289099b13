"""The composed application over the accounts of a Nextcloud for tests."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from mcp import Client
from tests.nextcloud.actions.marks import marks_in
from tests.nextcloud.expected_state import ExpectedState, Key, expected_state
from tests.nextcloud.server import Nextcloud
from tests.support.groups import groups
from tests.unit.tools.clients import connected

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.features.nextcloud.declaration import ACCOUNTS
from citemark.indexing.sync import SyncReport
from citemark.model.scope import READ, WRITE, Principal
from citemark.model.sources import NewSource, Source
from citemark.services.answer_keys import ANSWERS
from citemark.services.requests import Caller
from citemark.settings import Settings


class Accounts:
    """An index of the accounts that `add` adds. `later` sets the index's clock on."""

    def __init__(self, app: App, url: str) -> None:
        self.app = app
        self.sources: dict[str, Source] = {}
        self._url = url
        self._now = app.clock
        self._ahead = timedelta()
        app.clock = self._clock

    async def add(self, user: str, password: str, *, keep_history: bool = False) -> Source:
        """Add a user's account, readable by them alone."""
        config = {"server": self._url, "login": user, "user": user}
        new = NewSource(name=user, kind="nextcloud", config=config, keep_history=keep_history)
        source = await self.app.stores.sources.add(new, grantee=f"user:{user}", reason="it is theirs")
        await self.app.services.get(ACCOUNTS).credentials(source).keep(user, password)
        self.sources[user] = source
        return source

    async def sync(self, *users: str) -> SyncReport:
        """Bring the index up to the accounts of these users, or of all."""
        chosen = [self.sources[user] for user in users or self.sources]
        return await self.app.sync({source.source_id: source for source in chosen})

    def later(self, seconds: float) -> None:
        """Let that much time pass for the index."""
        self._ahead += timedelta(seconds=seconds)

    async def indexed(self, user: str) -> ExpectedState:
        """What the index holds for a user."""
        rows = await self.app.stores.database.read_sql(
            "SELECT d.doc_type, d.native_id, r.title, r.body"
            " FROM document d JOIN revision r USING (source_id, document_id)"
            " WHERE d.source_id = %(source_id)s AND d.page_id IS NULL AND d.valid_to = 'infinity'"
            " AND r.valid_to = 'infinity'",
            {"source_id": self.sources[user].source_id},
        )
        return {Key(row["doc_type"], row["native_id"]): marks_in(f"{row['title']}\n{row['body']}") for row in rows}

    async def found(self, user: str, question: str, **arguments: Any) -> list[dict[str, Any]]:
        """What nc_semantic_search shows a user of anything that answers at all."""
        async with self.client(user) as client:
            asked = {"query": question, "score_threshold": 0.0, "limit": 50, **arguments}
            result = await client.call_tool("nc_semantic_search", asked)
        assert not result.is_error, result.content
        out: dict[str, list[dict[str, Any]]] = result.structured_content or {}
        return out["results"]

    @asynccontextmanager
    async def client(self, user: str) -> AsyncGenerator[Client, None]:
        """An MCP client that asks as a user."""
        families = groups(nextcloud=True)
        async with connected(self.app.services, families=families, caller=self.caller(user)) as client:
            yield client

    @asynccontextmanager
    async def answering(self, user: str) -> AsyncGenerator[Client, None]:
        """The same, with the tools that write answers."""
        families = groups(nextcloud=True)
        services, answers = self.app.services, self.app.services.get(ANSWERS)
        async with connected(services, families=families, caller=self.caller(user), answers=answers) as client:
            yield client

    @staticmethod
    def caller(user: str) -> Caller:
        """A user as a caller of services."""
        return Caller.of(Principal("local", user, frozenset({READ, WRITE})))

    def _clock(self) -> datetime:
        return self._now() + self._ahead


class Cloud(Accounts):
    """An index beside the server that its accounts live on."""

    def __init__(self, app: App, server: Nextcloud) -> None:
        super().__init__(app, server.url)
        self.server = server

    async def join(self, user: str, *, keep_history: bool = False) -> Source:
        """Add a user's account with a password of its own."""
        return await self.add(user, self.server.password(user), keep_history=keep_history)

    def expected_state(self, user: str) -> ExpectedState:
        """What the server holds for a user."""
        return expected_state(self.server.world, user)


@asynccontextmanager
async def cloud_over(dsn: str, server: Nextcloud, folder: Path, **settings: Any) -> AsyncGenerator[Cloud, None]:
    """An open index without accounts yet."""
    given: dict[str, Any] = {"database_url": dsn, "data_dir": folder, "verify_cache": 0, **settings}
    async with open_app(Settings(**given)) as app:
        yield Cloud(app, server)
