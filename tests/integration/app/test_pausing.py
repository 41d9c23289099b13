"""A paused source is found as before, nothing is read from it, and everybody who asks is told."""

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.support.patience import HANG_SECONDS
from tests.support.web_pages import OWNER, browsing, pages_over

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.cli.change_source_command import SourceChange, change_source, pause_source, resume_source
from citemark.cli.command_context import CommandContext
from citemark.cli.status_command import show_status
from citemark.cli.sync_command import sync_sources, watch_sources
from citemark.model.errors import InvalidArgument
from citemark.model.sources import NewSource
from citemark.services.requests import Caller, SearchRequest
from citemark.settings import Settings

QUESTION = "Which colour has the valve?"
AS_JSON, AS_TEXT = CommandContext(open_app, json=True, quiet=True), CommandContext(open_app, quiet=True)


@pytest.fixture
async def app(dsn: str, tmp_path: Path) -> AsyncGenerator[App]:
    given = Settings(database_url=dsn, data_dir=tmp_path / "data")  # pyright: ignore[reportArgumentType]
    async with open_app(given) as opened:
        for name in ("manual", "garden"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "pump.md").write_text(f"# The pump\n\nThe pump of the {name} opens at 4 bar.\n", "utf-8")
            await opened.sources.add(NewSource(name, "docs", {"root": str(tmp_path / name)}))
        await opened.sync(await opened.local_sources())
        yield opened


def change(tmp_path: Path, name: str) -> None:
    (tmp_path / name / "valve.md").write_text(f"# The valve\n\nThe valve of the {name} is green.\n", "utf-8")


async def found(app: App, question: str) -> tuple[set[str], str]:
    page = await app.services.search.find(Caller.local(), SearchRequest(query=question, top_k=10, page_size=10))
    documents = {f"{hit.citation.source}/{hit.citation.document_id.partition('#')[0]}" for hit in page.hits}
    return documents, page.meta.reading.line


def printed(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    return json.loads(capsys.readouterr().out)


@pytest.mark.requirement("page-sources-more")
async def test_a_sync_leaves_a_paused_source_out_and_updates_it_when_it_goes_on(
    app: App, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await pause_source(AS_JSON, app, "manual") == 0
    assert printed(capsys) == {"source": "manual", "paused": True}
    for name in ("manual", "garden"):
        change(tmp_path, name)
    assert await sync_sources(AS_JSON, app, ()) == 0
    report = printed(capsys)
    assert report["sources"].keys() == {"garden"}
    assert "manual is paused and was left out; `citemark source resume manual` ends that." in report["notes"]
    documents, incomplete = await found(app, "Which colour has the valve, and when does the pump open?")
    assert {"manual/pump.md", "garden/valve.md"} <= documents
    assert "manual/valve.md" not in documents
    assert "manual is paused, so that later changes are not known" in incomplete
    assert await show_status(AS_TEXT, app) == 0
    assert "paused until `citemark source resume manual`" in capsys.readouterr().out
    for command in (sync_sources, watch_sources):
        with pytest.raises(InvalidArgument, match="Paused: manual"):
            await command(AS_JSON, app, ("manual",))
    assert await resume_source(AS_JSON, app, "manual", sync=True) == 0
    assert printed(capsys)["sources"]["manual"]["changed"] == 1
    documents, incomplete = await found(app, QUESTION)
    assert "manual/valve.md" in documents
    assert incomplete == ""


@pytest.mark.requirement("page-sources-more")
async def test_nothing_follows_a_paused_source_until_it_goes_on(app: App, tmp_path: Path) -> None:
    await pause_source(AS_TEXT, app, "manual")
    for name in ("manual", "garden"):
        change(tmp_path, name)
    read: asyncio.Queue[int] = asyncio.Queue()
    keeping = asyncio.create_task(app.keep(worked=lambda work: read.put_nowait(work.documents)))
    try:
        async with asyncio.timeout(HANG_SECONDS):
            while "garden/valve.md" not in (documents := (await found(app, QUESTION))[0]):
                await read.get()
            assert "manual/valve.md" not in documents
            assert await resume_source(AS_TEXT, app, "manual", sync=False) == 0
            while "manual/valve.md" not in (await found(app, QUESTION))[0]:
                await read.get()
    finally:
        keeping.cancel()
        await asyncio.wait([keeping])


async def test_settings_of_a_paused_source_change_without_reading_it_and_a_sync_of_nothing_says_why(
    app: App, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("manual", "garden"):
        await pause_source(AS_TEXT, app, name)
    capsys.readouterr()
    change(tmp_path, "manual")
    await change_source(AS_TEXT, app, "manual", SourceChange(exclude=("drafts/**",)), sync=True)
    assert "The next sync follows." in capsys.readouterr().out
    assert "manual/valve.md" not in (await found(app, QUESTION))[0]
    assert (await app.sources.named("manual")).paused
    with pytest.raises(InvalidArgument, match="Paused: garden, manual"):
        await sync_sources(AS_TEXT, app, ())


@pytest.mark.requirement("page-sources-more")
async def test_the_owner_pauses_a_source_on_its_page_and_lets_it_go_on(app: App, tmp_path: Path) -> None:
    pages = pages_over(app)
    async with browsing(pages, OWNER) as client:
        html = (await client.get("/source?name=manual")).text
        secret = html.partition('name="csrf" value="')[2].partition('"')[0]
        assert "Pause" in html
        posted = {"csrf": secret, "name": "manual"}
        assert (await client.post("/pause_source", data=posted)).headers["location"] == "/source?name=manual"
        change(tmp_path, "manual")
        html = (await client.get("/source?name=manual")).text
        assert "paused: found as before, and not read again" in html
        assert "/scan_source" not in html
        refused = await client.post("/scan_source", data=posted)
        assert (refused.status_code, "let it go on first" in refused.text) == (400, True)
        listed = {each["name"]: each["paused"] for each in (await client.get("/sources.json")).json()["sources"]}
        assert listed == {"garden": False, "manual": True}
        assert (await client.post("/resume_source", data=posted)).status_code == 303
        await pages.work.finished()
    assert "manual/valve.md" in (await found(app, QUESTION))[0]
