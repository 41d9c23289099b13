"""The pages in Chromium, as people use them. All of it is `make pages`; a part of it runs in every suite."""

import asyncio
import os
import re
import shutil
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page, async_playwright
from tests.integration.web.conftest import indexed, model_indexed, modelled, written
from tests.integration.web.signed_in import pages_elsewhere
from tests.support.chat import ChatServer, chat_server, said, spoken
from tests.support.code_issuer import code_issuer
from tests.support.patience import HANG_SECONDS
from tests.support.postgres import DatabaseCopies
from tests.support.web_pages import OpenedIndex, guarded, pages_over

from citemark.answering.provider import ChatModel, Provider
from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.app.serve_http import listening_sockets, url_of
from citemark.app.web_server import WebServer
from citemark.features.agents.agent_call import AgentCall, CitedPlace
from citemark.features.agents.kept_calls_key import KEPT_CALLS
from citemark.services.answer_keys import ANSWERS
from citemark.services.history_keys import BASELINES
from citemark.settings import Settings
from citemark.web.routes import Pages

ROOT = Path(__file__).resolve().parents[3]
CHROMIUM = shutil.which("chromium")
EVERYTHING = os.environ.get("ALL_PAGES") == "1"
SHOTS = ROOT / ".build" / "pages"
QUESTION = "How often is the axle greased?"
PLACE = CitedPlace("manual", "pump.md", 1)
ADDRESSES = {
    "search": f"/search?q={QUESTION}",
    "hostile-search": "/search?q=When does the gate close?",
    "document": "/document?source=manual&document=pump.md&start=12&end=35",
    "hostile-document": "/document?source=manual&document=hostile/gate.md",
    "long-word": "/document?source=manual&document=hostile/word.md",
    "table": "/document?source=manual&document=limits.md",
    "ask": f"/ask?q={QUESTION}",
    "sources": "/sources",
    "source": "/source?name=manual",
    "hosts": "/hosts",
    "account": "/account",
    "folders": "/folders?at=/usr",
    "limits": "/search?q=pump&kind=page",
    "graph": "/graph?node=estate:element:gate",
    "graph-group": "/graph?node=estate:element:gate&type=Serving&direction=incoming",
    "graph-start": "/graph?q=gate",
    "graph-overview": "/graph",
    "time": "/time",
    "then": f"/then?q={QUESTION}&before=last spring",
    "differences": "/differences?before=last spring",
    "keep": f"/evaluate?q={QUESTION}&source=manual&document=pump.md&start=10&end=40",
    "evaluate": "/evaluate",
    "view": "/view?source=estate&view=v",
    "paths": "/paths?from=estate:element:s3&to=estate:element:access",
    "impact": "/impact?node=estate:element:plan",
    "agents": "/agents",
    "nothing": "/search?q=pump&before=2001-01-01",
    "error": "/document?source=manual&document=none.md",
}
FEW = ("search", "hostile-document", "graph", "then", "sources")
"""The pages that every suite looks at."""

SHOWN = {name: address for name, address in ADDRESSES.items() if EVERYTHING or name in FEW}
SCHEMES = ("light", "dark")
TITLE = "taken"
"""What any script of a document would make of the title."""

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed (make pages installs it)"),
]


@dataclass
class Site:
    """A running server with its pages, and a browser that is not signed in yet."""

    pages: Pages
    browser: Browser
    base: str
    wrong: list[str] = field(default_factory=list[str])

    @asynccontextmanager
    async def context(self, **options: Any) -> AsyncGenerator[BrowserContext]:
        """A browser of its own, signed in by a link; what its console complains of goes to `wrong`."""
        context = await self.browser.new_context(base_url=self.base, **options)
        context.on("console", lambda message: self.wrong.append(message.text) if message.type == "error" else None)
        context.on("weberror", lambda error: self.wrong.append(str(error.error)))
        context.on("request", self._note_outside)
        page = await context.new_page()
        await page.goto(self.pages.link())
        await page.close()
        try:
            yield context
        finally:
            await context.close()

    def _note_outside(self, request: Any) -> None:
        if not request.url.startswith(self.base):
            self.wrong.append(f"asked for {request.url}")


@pytest.fixture(scope="module")
def database_of_module(empty_indexes: DatabaseCopies) -> Generator[str]:
    made = empty_indexes.fresh()
    yield made
    empty_indexes.drop(made)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def site(database_of_module: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Site]:
    folder = tmp_path_factory.mktemp("pages")
    given: dict[str, Any] = {"database_url": database_of_module, "data_dir": folder / "data", "agent_calls": True}
    async with open_app(Settings(**given)) as app:
        await indexed(app, written(folder / "docs"))
        await model_indexed(app, modelled(folder, 300))
        await app.services.get(BASELINES).create("last spring")
        await _asked_by_agents(app)
        limits = folder / "docs" / "limits.md"
        limits.write_text(limits.read_text("utf-8").replace("4 bar", "5 bar"), "utf-8")
        await app.sync(await app.local_sources())
        sockets = listening_sockets("127.0.0.1", 0, authenticated=True)
        pages = pages_over(app, base=url_of(sockets[0]))
        server = WebServer(guarded(pages))
        serving = asyncio.create_task(server.serve(sockets))
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            yield Site(pages, browser, pages.base)
            await browser.close()
        server.end()
        await serving
        await pages.work.close()


async def _asked_by_agents(app: App) -> None:
    """Calls of agents: one that found something, one that was refused, and one whose words are hostile."""
    asked = AgentCall("local/owner", "kb.search", QUESTION, ("greasing",), {}, "ok", 3, (PLACE,), 4096, 0.041, 1, ())
    refused = {"doc_tags": ["pumps", "noise"], "top_k": 99}
    told = ("top_k must be from 1 to 20",)
    hostile = f"<script>document.title='{TITLE}'</script> {'x' * 4000} \u202e بوابة"
    calls = app.services.get(KEPT_CALLS)
    for call in (
        asked,
        replace(asked, limits=refused, outcome="INVALID_ARGUMENT", hits=0, cited=(), withheld=0, notes=told),
        replace(asked, question=hostile, phrasings=(hostile,), notes=(hostile,), principal=hostile),
    ):
        calls.note(call)
        await calls.finish()


@pytest.mark.requirement("page-lets-people-look-inside")
@pytest.mark.requirement("page-search")
async def test_hits_come_as_one_types_and_open_at_the_cited_words(site: Site) -> None:
    async with site.context() as context:
        page = await context.new_page()
        await page.goto("/search")
        await page.locator("#q").press_sequentially(QUESTION)
        hit = page.locator("a.open").first
        await hit.wait_for()
        await page.wait_for_url("**/search?q=How*greased*")
        await page.reload()
        assert await page.locator("#q").input_value() == QUESTION
        await page.locator("details.why summary").first.click()
        assert await page.get_by_text("Rank by words").first.is_visible()
        await page.locator("a.open").first.click()
        await page.locator("#cited").wait_for()
        assert "axle" in " ".join(await page.locator("article mark").all_inner_texts())
        await page.get_by_role("button", name="Verify").or_(page.get_by_role("link", name="Verify")).click()
        await page.locator(".verdict").wait_for()
        assert "still stand" in await page.locator(".verdict").inner_text()
        await page.go_back()
        assert await page.locator("a.open").first.is_visible()
    assert site.wrong == []


@pytest.mark.requirement("page-keyboard")
async def test_a_search_is_walked_and_opened_with_the_keyboard_alone(site: Site) -> None:
    async with site.context() as context:
        page = await context.new_page()
        await page.goto("/search?q=pump")
        await page.keyboard.press("?")
        assert await page.locator("#keys").is_visible()
        await page.keyboard.press("Escape")
        await page.keyboard.press("j")
        await page.keyboard.press("j")
        await page.keyboard.press("k")
        first = page.locator("a.open").first
        assert await first.evaluate("each => each === document.activeElement")
        await page.keyboard.press("/")
        assert await page.locator("#q").evaluate("each => each === document.activeElement")
        await page.keyboard.press("Escape")
        await page.keyboard.press("j")
        await page.keyboard.press("o")
        await page.locator("article").wait_for()
    assert site.wrong == []


@pytest.mark.requirement("page-without-scripts")
async def test_search_read_and_sources_work_without_scripts(site: Site) -> None:
    async with site.context(java_script_enabled=False) as context:
        page = await context.new_page()
        await page.goto("/search")
        await page.locator("#q").fill(QUESTION)
        await page.locator("#q").press("Enter")
        await page.locator("a.open").first.click()
        assert "axle" in " ".join(await page.locator("article mark").all_inner_texts())
        await page.get_by_role("link", name="Verify").click()
        assert "still stand" in await page.locator(".verdict").inner_text()
        await page.goto("/sources")
        await page.get_by_role("link", name="manual").click()
        await page.get_by_role("button", name="Read it again now").click()
        await page.locator("#live").wait_for()
        assert page.url.endswith("/sources")
        await site.pages.work.finished()


@pytest.mark.requirement("page-ask-streams")
async def test_the_words_of_a_model_are_read_while_it_writes_and_are_checked_then(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = site.pages.index
    assert isinstance(index, OpenedIndex)
    answers = index.opened.services.get(ANSWERS)
    words = ("The axle is ", "greased twice a year [1].", " It weighs nine tons.")
    with chat_server(ChatServer(reply=said("".join(words)), stream=spoken(*words))) as chat:
        provider = Provider(ChatModel(f"{chat.url}/v1", "chat-1", None), HANG_SECONDS)
        monkeypatch.setattr(answers, "_provider", provider)
        async with site.context() as context:
            chat.go_on.clear()
            page = await context.new_page()
            await page.goto("/ask")
            await page.locator("#q").fill(QUESTION)
            await page.get_by_role("button", name="Ask").click()
            await page.locator(".unchecked", has_text="The axle is").wait_for()
            assert "None of this has been checked" in await page.locator("#answer").inner_text()
            chat.go_on.set()
            await page.locator(".sentence.supported", has_text="twice a year").wait_for()
            assert await page.locator(".sentence.uncited").inner_text() == "It weighs nine tons."
            assert "checked sentence by sentence" in await page.locator("#answer").inner_text()
            assert await page.locator(".unchecked").count() == 0
            await page.locator("#note-1 summary").click()
            await page.reload()
            await page.locator(".sentence.supported").wait_for()
            await page.locator("#q").fill("axle")
            await page.locator("#q").press("Enter")
            await page.wait_for_url("**/ask?q=axle*")
            await page.locator("#note-1").wait_for()
            await page.go_back()
            await page.wait_for_url("**/ask?q=How*greased*")
            await page.locator(".sentence.supported").wait_for()
            await page.locator("#as_of").evaluate("each => { each.value = 'never'; }")
            await page.locator("#q").press("Enter")
            await page.get_by_role("heading", name="Bad Request").wait_for()
        await provider.close()
    assert [each for each in site.wrong if "400" not in each] == []
    site.wrong.clear()


@pytest.mark.requirement("page-stream")
async def test_the_list_of_sources_changes_in_the_browser_when_it_changes_in_the_index(site: Site) -> None:
    async with site.context() as context:
        page = await context.new_page()
        await page.goto("/sources")
        first = page.locator(".tag", has_text="pumps").first
        await first.wait_for()
        other = await context.new_page()
        await other.goto("/source?name=manual")
        await other.locator("#tags").fill("pumps, renamed in between")
        await other.get_by_role("button", name="Set tags").click()
        await page.locator(".tag", has_text="renamed in between").wait_for()
    assert site.wrong == []


@pytest.mark.requirement("hostile-content-runs-nothing")
async def test_hostile_documents_run_nothing_and_ask_for_nothing_elsewhere(site: Site) -> None:
    async with site.context() as context:
        page = await context.new_page()
        for name in ("hostile-search", "hostile-document", "long-word"):
            await page.goto(ADDRESSES[name])
            assert await page.title() != TITLE
            for link in await page.locator("main a[href]").all():
                assert not str(await link.get_attribute("href")).startswith(("javascript", "data"))
        # Typed, so that what htmx swaps in is looked at too.
        await page.goto("/search")
        await page.locator("#q").press_sequentially("the gate closes at night")
        await page.locator("a.open").first.wait_for()
        assert await page.title() != TITLE
    assert site.wrong == []


@pytest.mark.requirement("page-graph")
async def test_a_graph_is_drawn_grows_where_it_is_clicked_and_says_where_an_edge_is_stated(site: Site) -> None:
    async with site.context(viewport={"width": 1280, "height": 900}) as context:
        page = await context.new_page()
        await page.goto(ADDRESSES["paths"])
        await page.locator("#drawing[data-drawn]").wait_for()
        await _tap(page, "edge", "estate:element:s3")
        await page.locator("#chosen a.stated").click()
        await page.locator("#cited").wait_for()
        await page.goto(ADDRESSES["paths"])
        await page.locator("#drawing[data-drawn]").wait_for()
        before = int(await page.locator("#drawing").get_attribute("data-drawn") or 0)
        await _tap(page, "node", "estate:element:gate")
        await page.get_by_text(re.compile(r"\d+ neighbours? added")).wait_for()
        assert int(await page.locator("#drawing").get_attribute("data-drawn") or 0) > before
        # Of more neighbours than fit, some are drawn, and the list says how many there are.
        await page.goto(ADDRESSES["graph"])
        await page.locator("#drawing[data-drawn='30']").wait_for()
        assert await page.title() != TITLE
    assert site.wrong == []


async def _tap(page: Page, group: str, end: str) -> None:
    """Press the mouse on a node of a drawing, or on the edge that leaves one."""
    find = "cy.getElementById(end)" if group == "node" else "cy.edges().filter(each => each.source().id() === end)[0]"
    place = f"""(end) => {{
        const drawing = document.getElementById("drawing"), cy = drawing._cyreg.cy;
        const box = drawing.getBoundingClientRect();
        const found = {find};
        const at = found.isNode() ? found.renderedPosition() : found.renderedMidpoint();
        return [box.x + at.x, box.y + at.y];
    }}"""
    await page.locator("#drawing").scroll_into_view_if_needed()
    x, y = await page.evaluate(place, end)
    await page.mouse.click(x, y)


@pytest.mark.requirement("page-evaluate")
async def test_a_hit_is_kept_as_the_answer_and_the_questions_are_asked_while_the_page_waits(site: Site) -> None:
    async with site.context() as context:
        page = await context.new_page()
        await page.goto(f"/search?q={QUESTION}")
        await page.locator("details.why summary").first.click()
        await page.get_by_role("link", name="This answers it").first.click()
        await page.locator("#answer").fill("twice a year")
        await page.get_by_role("button", name="Keep").click()
        await page.get_by_role("button", name="Ask them now").click()
        await page.locator(".runs a").click()
        assert await page.locator(".plots svg").count() >= 3
        SHOWN["report"] = page.url.removeprefix(site.base)
    assert site.wrong == []


async def _looked_at(page: Page, name: str, scheme: str) -> None:
    """A page fits both widths, and axe finds nothing serious; with all pages, a picture of each is kept."""
    axe = ROOT / ".build" / "node" / "node_modules" / "axe-core" / "axe.min.js"
    for width in (1280, 360):
        await page.set_viewport_size({"width": width, "height": 900})
        await page.reload()
        if await page.locator("#drawing").count():
            await page.locator("#drawing[data-drawn]").wait_for()
        if EVERYTHING:
            SHOTS.mkdir(parents=True, exist_ok=True)
            await page.screenshot(path=SHOTS / f"{name}-{width}-{scheme}.png")
        assert await page.evaluate("document.documentElement.scrollWidth") <= width, name
    await page.evaluate(axe.read_text("utf-8"))
    found = await page.evaluate("axe.run()")
    serious = [each for each in found["violations"] if each["impact"] in {"serious", "critical"}]
    assert [(each["id"], each["nodes"][0]["html"]) for each in serious] == [], name


@pytest.mark.requirement("page-narrow")
@pytest.mark.requirement("page-accessible")
@pytest.mark.parametrize("scheme", SCHEMES)
async def test_every_page_is_accessible_and_fits_a_telephone(site: Site, scheme: Any) -> None:
    async with site.context(color_scheme=scheme) as context:
        page = await context.new_page()
        for name, address in SHOWN.items():
            answer = await page.goto(address)
            assert answer is not None
            assert answer.status == (404 if name == "error" else 200), f"{name}: {await answer.text()}"
            await _looked_at(page, name, scheme)
    refused = [each for each in site.wrong if "Security Policy" in each or each.startswith("asked for")]
    site.wrong.clear()  # the error page of its own is one
    assert refused == []


@pytest.mark.requirement("page-sign-in-elsewhere")
async def test_a_person_signs_in_at_another_site_and_goes_on_where_they_wanted_to(site: Site) -> None:
    index = site.pages.index
    assert isinstance(index, OpenedIndex)
    sockets = listening_sockets("127.0.0.1", 0, authenticated=True)
    # Cookies tell sites apart by the name of their host: for them, 127.0.0.1 is another one than localhost.
    base = url_of(sockets[0]).replace("127.0.0.1", "localhost")
    async with code_issuer() as issuer:
        issuer.asks, issuer.returns_to = True, f"{base}/signed_in"
        pages = pages_elsewhere(index.opened, issuer, f"{base}/mcp")
        server = WebServer(guarded(pages))
        serving = asyncio.create_task(server.serve(sockets))
        context = await site.browser.new_context(base_url=base)
        page = await context.new_page()
        await page.goto("/search?q=pump&kind=page")
        await _looked_at(page, "stranger", "light")
        await page.get_by_role("link", name="Sign in at").click()
        await page.get_by_role("link", name="Agree").click()
        await page.wait_for_url("**/search?q=pump&kind=page")
        assert await page.get_by_role("button", name="Sign out").is_visible()
        await page.get_by_role("button", name="Sign out").click()
        await page.get_by_role("link", name="Sign in at").wait_for()
        await context.close()
        server.end()
        await serving
        await pages.close()
