"""A server keeps answering after what it does beside answering has failed."""

import asyncio
from pathlib import Path
from typing import Any

import citemark_minilm
import psycopg
import pytest
from mcp import Client
from tests.support.groups import catalog, groups
from tests.support.model_copies import copied_model
from tests.support.patience import HANG_SECONDS

from citemark.app.serve_stdio import BackgroundIndex
from citemark.app.tool_groups_file import ToolGroupsFile
from citemark.model.errors import BackendUnavailable
from citemark.services.requests import Caller
from citemark.settings import Settings
from citemark.tools.index_contents import IndexContents
from citemark.tools.server import build_server


async def test_a_server_whose_background_work_broke_is_not_ready_and_opens_its_index_again(
    dsn: str, tmp_path: Path
) -> None:
    given: dict[str, Any] = {"database_url": dsn, "data_dir": tmp_path, "index_in_server": False}
    settings = Settings(**given)
    # What the index holds is known, so opening it does not count relationships; what follows does.
    assert ToolGroupsFile(settings).keep(IndexContents(groups(), ()))
    index = BackgroundIndex(settings, catalog())
    server = build_server(index.services, settings, Caller.local(), catalog())
    async with (
        Client(server, mode="auto", read_timeout_seconds=HANG_SECONDS) as client,
        await psycopg.AsyncConnection.connect(dsn, autocommit=True) as other,
        asyncio.timeout(HANG_SECONDS),
    ):
        try:
            await other.execute("ALTER TABLE relationship RENAME TO elsewhere")
            await client.call_tool("kb_list_sources", {})
            while (health := index.health()).status != "unavailable":
                await other.execute("SELECT pg_sleep(0.01)")
            assert "The index failed for a reason inside the server" in (health.reason or "")
            await other.execute("ALTER TABLE elsewhere RENAME TO relationship")
            while index.health().status != "ready":
                await other.execute("SELECT pg_sleep(0.01)")
            assert not (await client.call_tool("kb_list_sources", {})).is_error
        finally:
            await index.close()


@pytest.mark.requirement("index-opens-by-itself")
async def test_an_index_that_no_call_needs_is_opened_at_its_time_and_the_latest_time_given_holds(
    dsn: str, tmp_path: Path
) -> None:
    given: dict[str, Any] = {"database_url": dsn, "data_dir": tmp_path, "index_in_server": False}
    settings = Settings(**given)
    index = BackgroundIndex(settings, catalog())
    async with (
        await psycopg.AsyncConnection.connect(dsn, autocommit=True) as other,
        asyncio.timeout(HANG_SECONDS),
    ):
        try:
            index.start_within(3600)
            index.start_within(0)
            while ToolGroupsFile(settings).read() is None:  # written once the index is open
                await other.execute("SELECT pg_sleep(0.01)")
            while index.health().status == "opening":
                await other.execute("SELECT pg_sleep(0.01)")
            index.start_within(0)  # open already
            assert index.health().status == "ready"
        finally:
            await index.close()


async def test_callers_are_not_told_where_the_files_of_a_damaged_model_are(
    dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = copied_model(tmp_path)
    files.manifest.write_text("{}")
    monkeypatch.setattr(citemark_minilm, "files", lambda: files)
    given: dict[str, Any] = {"database_url": dsn, "data_dir": tmp_path / "data", "index_in_server": False}
    index = BackgroundIndex(Settings(**given), catalog())
    try:
        with pytest.raises(BackendUnavailable, match="The embedding model cannot be loaded") as refused:
            await index.services()
    finally:
        await index.close()
    assert str(tmp_path) not in f"{refused.value.message}{refused.value.details}"
