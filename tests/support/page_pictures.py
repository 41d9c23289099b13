"""`python -m tests.support.page_pictures` makes the pictures of docs/page.md, from the pages of docs/ themselves."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

from mcp import Client
from PIL import Image
from playwright.async_api import async_playwright
from tests.support.groups import catalog
from tests.support.postgres import reachable_folder
from tests.support.web_pages import OpenedIndex, guarded, pages_over

from citemark.app.compose import App
from citemark.app.features import observers_of
from citemark.app.open_index import open_app
from citemark.app.serve_http import listening_sockets, url_of
from citemark.app.web_server import WebServer
from citemark.features.agents.kept_calls_key import KEPT_CALLS
from citemark.model.scope import Principal
from citemark.model.source_labels import SourceLabels
from citemark.model.sources import NewSource
from citemark.services.requests import Caller
from citemark.settings import Settings
from citemark.tools.server import build_server

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures"
QUESTION = "How long is a passage id valid?"
PAGES = ("http.md", "tools.md", "history.md", "answers.md", "glossary.md", "getting-started.md", "troubleshooting.md")
"""Some of the pages, so that the pictures are made in a minute."""

ASKED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("kb_search", {"query": "lifetime of handles", "top_k": 3}),
    ("kb_retrieve_evidence", {"question": "May other people read what is in an account?"}),
    ("kb_retrieve_evidence", {"question": QUESTION, "also": ["When does a passage_id expire?"]}),
)
"""What agents asked, the last of it first on the page."""

_COLOURS = 64
"""Enough for text on paper; a picture then has a third of the bytes."""


_AT_HOME = "each => { each.textContent = '~/' + each.textContent.split('/').slice(-2).join('/'); }"


async def make() -> None:
    """Index some pages of the documentation and take the pictures."""
    place = reachable_folder()
    folder = place / "handbook"
    folder.mkdir()
    for page in PAGES:
        shutil.copy(ROOT / "docs" / page, folder)
    given: dict[str, Any] = {"data_dir": place / "data", "agent_calls": True}
    async with open_app(Settings(**given)) as app:
        source = await app.sources.add(
            NewSource("handbook", "docs", {"root": str(folder)}, labels=SourceLabels(("manual",)))
        )
        await app.sync({source.source_id: source})
        await _asked_by_agents(app)
        sockets = listening_sockets("127.0.0.1", 0, authenticated=True)
        pages = pages_over(app, base=url_of(sockets[0]))
        server = WebServer(guarded(pages))
        serving = asyncio.create_task(server.serve(sockets))
        await _taken(pages.base, pages.link())
        server.end()
        await serving
    shutil.rmtree(place)


async def _asked_by_agents(app: App) -> None:
    """An agent asks, over the protocol, so that there are calls to show."""
    index = OpenedIndex(app)
    caller, observers = Caller.of(Principal.local()), observers_of(app.settings, index.services)
    server = build_server(index.services, app.settings, caller, catalog(), observers=observers)
    async with Client(server) as client:
        for tool, asked in ASKED:
            answer = await client.call_tool(tool, asked)
            assert not answer.is_error, answer
    await app.services.get(KEPT_CALLS).finish()


async def _taken(base: str, link: str) -> None:
    PICTURES.mkdir(exist_ok=True)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = await browser.new_page(base_url=base, viewport={"width": 1180, "height": 760})
        await page.goto(link)
        await page.goto(f"/search?q={QUESTION}")
        await page.locator("details.why summary").first.click()
        await page.screenshot(path=PICTURES / "search.png")
        await page.locator("a.open").first.click()
        await page.locator("#cited").wait_for()
        await page.get_by_role("link", name="Verify").click()
        await page.locator(".verdict").wait_for()
        # A picture does not tell where the machine that made it keeps its files.
        await page.locator("#file").evaluate(_AT_HOME)
        await page.screenshot(path=PICTURES / "document.png")
        await page.goto(f"/ask?q={QUESTION}")
        await page.locator("#note-1 summary").click()
        await page.screenshot(path=PICTURES / "answer.png")
        await page.goto("/graph?node=handbook:page:http.md")
        await page.locator("#drawing[data-drawn]").wait_for()
        await page.screenshot(path=PICTURES / "graph.png")
        await page.goto("/agents")
        await page.locator("details.why summary").first.click()
        await page.screenshot(path=PICTURES / "agents.png")
        await browser.close()
    for picture in PICTURES.glob("*.png"):
        with Image.open(picture) as taken:
            taken.convert("RGB").quantize(_COLOURS).save(picture, optimize=True)


if __name__ == "__main__":
    asyncio.run(make())
