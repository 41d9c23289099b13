"""A server that nobody asks: what it lets go, and how seldom it looks for work."""

import asyncio
from pathlib import Path

import pytest
from tests.support.patience import HANG_SECONDS

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.embedding.minilm import MiniLM
from citemark.model.sources import NewSource
from citemark.services.requests import Caller, SearchRequest
from citemark.settings import Settings


@pytest.mark.requirement("idle-model-is-unloaded")
async def test_a_server_without_questions_for_ten_minutes_has_no_model_until_the_next_question(
    dsn: str, tmp_path: Path
) -> None:
    (tmp_path / "ports.md").write_text("# Ports\n\nThe server listens on port 4711.\n", "utf-8")
    now = [0.0]
    model = MiniLM(seconds=lambda: now[0])
    request = SearchRequest("Which port does the server listen on?")
    async with open_app(Settings(database_url=dsn)) as opened:  # pyright: ignore[reportArgumentType]
        app = App(opened.settings, opened.stores, model)
        source = await app.sources.add(NewSource("handbook", "docs", {"root": str(tmp_path)}))
        await app.sync({source.source_id: source})
        before = await app.services.search.find(Caller.local(), request)
        assert model.graphs_opened == 2
        now[0] = 599
        assert not app.models.let_idle_go()
        now[0] = 601
        stop = asyncio.Event()
        working = asyncio.create_task(app.work_in_background(stop))
        async with asyncio.timeout(HANG_SECONDS):
            while model.is_loaded:
                await app.stores.vectors.sets()
        stop.set()
        await working
        assert model.graphs_opened == 2, "work in the background loaded nothing"
        after = await app.services.search.find(Caller.local(), request)
        assert model.graphs_opened == 3
        assert [hit.preview for hit in after.hits] == [hit.preview for hit in before.hits]
        app.close()
