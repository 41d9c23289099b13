"""A sync of one source embeds that source, whatever waits of others."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.support.developer_folder import write

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.cli.add_source_command import DocsRequest, add_docs_source
from citemark.cli.command_context import CommandContext
from citemark.cli.sync_command import sync_sources
from citemark.settings import Settings

RUN = CommandContext(open_app, json=True, quiet=True)


@pytest.fixture
async def app(dsn: str) -> AsyncGenerator[App, None]:
    async with open_app(Settings(database_url=dsn)) as opened:  # pyright: ignore[reportArgumentType]
        yield opened


async def add(app: App, root: Path, texts: int) -> None:
    for number in range(texts):
        write(root, f"{number}.md", f"{root.name} holds a text with the number {number}.\n")
    wanted: dict[str, Any] = {"language": "english", "overlapping": False}
    assert await add_docs_source(RUN, app, DocsRequest(path=root, **wanted), sync=False) == 0


async def waiting(app: App) -> dict[str, int]:
    return {status.name: status.vectors_waiting for status in await app.status.sources()}


@pytest.mark.requirement("sync-embeds-its-own")
async def test_a_named_sync_ends_when_its_own_source_is_embedded_and_one_without_a_name_does_the_rest(
    app: App, tmp_path: Path
) -> None:
    await add(app, tmp_path / "first", 3)
    await add(app, tmp_path / "second", 3)
    assert await sync_sources(RUN, app, ("first",)) == 0
    # As a sync that ended early leaves it: the texts are there, and their vectors are still to be made.
    active = await app.stores.vectors.active()
    assert active is not None
    (first,) = [status for status in await app.status.sources() if status.name == "first"]
    async with app.stores.database.transaction() as connection:
        await connection.execute(
            "INSERT INTO vector_task (source_id, embedding_set_id, chunk_id, size) "
            "SELECT source_id, %s, chunk_id, 1 FROM chunk WHERE source_id = %s",
            (active.set_id, first.source_id),
        )
    assert await waiting(app) == {"first": 3, "second": 0}
    assert await sync_sources(RUN, app, ("second",)) == 0
    assert await waiting(app) == {"first": 3, "second": 0}
    (second,) = [status for status in await app.status.sources() if status.name == "second"]
    assert second.vectors == 3
    assert await sync_sources(RUN, app, ()) == 0
    assert await waiting(app) == {"first": 0, "second": 0}
