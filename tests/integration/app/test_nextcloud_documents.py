"""Cards and files of an account, through the whole index: found, filtered, and gone with a rule."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb
from tests.nextcloud.server import Nextcloud

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.features.nextcloud.declaration import ACCOUNTS
from citemark.model.scope import Filters
from citemark.model.sources import NewSource, Source
from citemark.services.requests import Caller, SearchRequest
from citemark.settings import Settings


@dataclass
class Account:
    """An open index with one account of the double."""

    app: App
    nextcloud: Nextcloud

    async def add(self, user: str = "alice", **config: Any) -> Source:
        fields = {"server": self.nextcloud.url, "login": user, "user": user, "apps": ["deck", "files"], **config}
        source = await self.app.stores.sources.add(
            NewSource(name=f"nextcloud {user}", kind="nextcloud", config=fields, keep_history=False)
        )
        await self.app.services.get(ACCOUNTS).credentials(source).keep(user, self.nextcloud.password(user))
        return source

    async def sync(self) -> None:
        await self.app.sync(await self.app.local_sources())

    async def found(self, query: str, **filters: Any) -> set[str]:
        """The titles of all hits, whatever their score."""
        asked = SearchRequest(query, top_k=20, page_size=20, filters=Filters(**filters), min_score=0.0)
        result = await self.app.services.search.find(Caller.local(), asked)
        return {hit.title for hit in result.hits}


@pytest.fixture
async def account(dsn: str, tmp_path: Path, nextcloud: Nextcloud) -> AsyncGenerator[Account, None]:
    async with open_app(Settings(database_url=dsn, data_dir=tmp_path, verify_cache=0)) as app:  # pyright: ignore[reportArgumentType]
        yield Account(app, nextcloud)


def fill(nextcloud: Nextcloud) -> None:
    """A board with two cards, and three files."""
    deck, files = nextcloud.world.deck, nextcloud.world.files
    board = deck.board("alice", "Heron delivery")
    stack = deck.stack(board.id, "To do")
    card = deck.card(stack.id, "Crane inspection", "The harbour crane needs a new certificate.")
    deck.put_label(card.id, deck.label(board.id, "legal").id)
    deck.edit(deck.card(stack.id, "Crane paint", "The crane is painted in grey.").id, done="2026-11-20T10:00:00+00:00")
    files.put("alice", "/Projects/Heron/crane.md", "# Crane manual\n\nThe crane lifts four tonnes.")
    files.put("alice", "/Archive/crane-old.md", "# Crane history\n\nThe crane was built in 1962.")
    files.put("alice", "/Projects/brochure.txt", "Nothing is said here of lifting devices.")


@pytest.mark.requirement("dates-labels-categories-filter")
@pytest.mark.requirement("changed-file-rules-purge")
async def test_cards_and_files_are_found_by_what_is_known_of_them_until_a_rule_purges_them(
    account: Account, dsn: str
) -> None:
    fill(account.nextcloud)
    source = await account.add()
    await account.sync()
    cranes = {"Crane inspection", "Crane paint", "Crane manual", "Crane history"}
    assert await account.found("crane") >= cranes
    assert await account.found("crane", doc_types=("deck_card",)) == {"Crane inspection", "Crane paint"}
    assert await account.found("crane", metadata=(("Labels", ("legal",)),)) == {"Crane inspection"}
    assert await account.found("crane", metadata=(("State", ("done",)),)) == {"Crane paint"}
    assert await account.found("crane", path_prefixes=("Projects/Heron",)) == {"Crane manual"}
    assert await account.found("brochure", doc_types=("file",), path_prefixes=("Projects/b",)) == {"brochure"}
    async with await psycopg.AsyncConnection.connect(dsn) as connection:
        changed = Jsonb({**source.config, "files": {"exclude": ["/Archive/"]}})
        await connection.execute("UPDATE source SET config = %s", [changed])
    assert "Crane history" not in await account.found("crane"), "what the rules leave out is withheld at once"
    await account.sync()
    async with await psycopg.AsyncConnection.connect(dsn) as connection:
        kept = await (await connection.execute("SELECT body FROM revision WHERE body LIKE '%crane%'")).fetchall()
    assert len(kept) == 3, "neither text nor history of it is kept"
    assert "Crane manual" in await account.found("crane")
