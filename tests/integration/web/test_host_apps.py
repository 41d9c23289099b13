"""Apps in a host in Chromium: a small one, built on the bridge that the extension's own package has for hosts."""

import re
import shutil
from collections.abc import AsyncGenerator, Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from mcp import Client
from mcp.client.extension import advertise
from mcp.server.lowlevel import Server
from mcp_types import TextResourceContents
from playwright.async_api import FrameLocator, Page, Route, async_playwright
from tests.integration.web.conftest import indexed, model_indexed, modelled, written
from tests.support.groups import EVERY_GROUP, catalog
from tests.support.postgres import DatabaseCopies

from citemark.app.host_app_pages import APP_PAGES
from citemark.app.open_index import open_app
from citemark.services.bundle import Services
from citemark.services.requests import Caller
from citemark.settings import Settings
from citemark.tools.server import build_server

ROOT = Path(__file__).resolve().parents[3]
MODULES = ROOT / ".build" / "node" / "node_modules"
HOST = ROOT / "tests" / "support" / "host_app.html"
CHROMIUM = shutil.which("chromium")
SHOWS = (advertise("io.modelcontextprotocol/ui", {"mimeTypes": ["text/html;profile=mcp-app"]}),)
USUAL_POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "media-src 'self' data:; connect-src 'none'"
)
"""What the extension has a host permit an app that names no addresses."""

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.requirement("page-in-hosts"),
    pytest.mark.skipif(
        CHROMIUM is None or not (MODULES / "@modelcontextprotocol" / "ext-apps").is_dir(),
        reason="chromium or the packages for Node are not installed (make pages installs them)",
    ),
]


@dataclass
class Host:
    """A server, and a page of a browser in which a host shows its apps. What goes wrong there is in `wrong`."""

    server: Server[Any]
    page: Page
    html: str = ""
    wrong: list[str] = field(default_factory=list[str])

    async def called(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result of a call as the host hands it to the app."""
        async with Client(self.server, extensions=SHOWS) as client:
            result = await client.call_tool(tool, arguments)
        return result.model_dump(mode="json", by_alias=True, exclude_none=True)

    async def show(self, tool: str, theme: str = "light", may: Mapping[str, Any] | None = None) -> FrameLocator:
        """The app of a tool, which waits for a result."""
        async with Client(self.server, extensions=SHOWS) as client:
            [found] = [each for each in (await client.list_tools()).tools if each.name == tool]
            [page] = (await client.read_resource((found.meta or {})["ui"]["resourceUri"])).contents
        assert isinstance(page, TextResourceContents)
        self.html = page.text
        allowed: Mapping[str, Any] = {"openLinks": {}, "serverTools": {}} if may is None else may
        about = await self.page.evaluate("([theme, may]) => open_app(theme, may)", [theme, allowed])
        assert about["name"] == "citemark"
        return self.page.frame_locator("#app")

    async def give(self, result: Mapping[str, Any]) -> None:
        """Hand a result to the app."""
        await self.page.evaluate("result => show_result(result)", result)

    async def open(self) -> None:
        """Load the host, which answers every request itself."""
        self.page.on("console", lambda message: self.wrong.append(message.text) if message.type == "error" else None)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        await self.page.route("**/*", self._answer)
        await self.page.expose_function("call_tool", self._forward)  # pyright: ignore[reportUnknownMemberType]
        await self.page.goto("http://host.test/")
        await self.page.wait_for_function("window.loaded")

    async def _answer(self, route: Route) -> None:
        path = route.request.url.removeprefix("http://host.test/")
        if path == "":
            await route.fulfill(path=HOST, content_type="text/html")
        elif path == "app":
            policy = {"content-security-policy": USUAL_POLICY}
            await route.fulfill(body=self.html, content_type="text/html", headers=policy)
        elif path.startswith("modules/"):
            await route.fulfill(path=MODULES / path.removeprefix("modules/"), content_type="text/javascript")
        else:
            self.wrong.append(f"asked for {route.request.url}")
            await route.abort()

    async def _forward(self, params: dict[str, Any]) -> dict[str, Any]:
        return await self.called(params["name"], **params["arguments"])


@pytest.fixture(scope="module")
def database_of_module(empty_indexes: DatabaseCopies) -> Generator[str]:
    made = empty_indexes.fresh()
    yield made
    empty_indexes.drop(made)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def host(database_of_module: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Host]:
    folder = tmp_path_factory.mktemp("apps")
    given: dict[str, Any] = {"database_url": database_of_module, "data_dir": folder / "data"}
    async with open_app(Settings(**given)) as app:
        await indexed(app, written(folder / "docs"))
        await model_indexed(app, modelled(folder, 12))

        async def provide() -> Services:
            return app.services

        server = build_server(provide, app.settings, Caller.local(), catalog(EVERY_GROUP), app_pages=APP_PAGES)
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            made = Host(server, await browser.new_page())
            await made.open()
            yield made
            await browser.close()


async def test_quotes_are_shown_with_their_sources(host: Host) -> None:
    app = await host.show("kb_retrieve_evidence")
    result = await host.called("kb_retrieve_evidence", question="How often is the axle greased?")
    await host.give(result)
    quote = app.locator("blockquote").first
    await quote.wait_for()
    assert "twice a year" in await quote.inner_text()
    assert "manual: pump.md#the-pump/care" in await app.locator(".cited").first.inner_text()
    await host.page.wait_for_function("sizes.length > 0 && sizes.at(-1).height > 40")
    await host.page.evaluate("end_app()")
    assert host.wrong == []


async def test_a_document_is_shown_at_the_place_that_was_read(host: Host) -> None:
    app = await host.show("kb_read_excerpt")
    found = await host.called("kb_search", query="How often is the axle greased?")
    passage = next(hit for hit in found["structuredContent"]["results"] if "axle" in hit["preview"])["passage_id"]
    await host.give(await host.called("kb_read_excerpt", passage_id=passage))
    await app.locator("#cited").wait_for()
    marked = " ".join(await app.locator("mark").all_inner_texts())
    assert "Grease the axle" in marked
    assert "opens at 4 bar" in await app.locator("article").inner_text()
    assert "opens at 4 bar" not in marked
    assert host.wrong == []


async def test_a_neighbourhood_is_walked_by_calls_of_the_host(host: Host) -> None:
    app = await host.show("graph_expand")
    result = await host.called("graph_expand", node_ids=["estate:element:gate"])
    await host.give(result)
    await app.locator("h1", has_text=re.compile("<b>Gate</b> control")).wait_for()
    assert await app.locator("h2").first.inner_text() == "ApplicationComponent Serving → this 12"
    await app.get_by_role("button", name="Access").click()
    await app.locator("h1", has_text="Access").wait_for()
    assert host.wrong == []


async def test_nodes_cannot_be_chosen_in_a_host_that_calls_no_tools_for_apps(host: Host) -> None:
    app = await host.show("graph_expand", may={})
    result = await host.called("graph_expand", node_ids=["estate:element:gate"])
    await host.give(result)
    await app.locator("button").first.wait_for()
    assert await app.locator("button:not([disabled])").count() == 0


async def test_the_text_of_a_result_is_shown_where_it_has_no_fragment(host: Host) -> None:
    app = await host.show("kb_retrieve_evidence")
    await host.give({"content": [{"type": "text", "text": "The <b>pump</b> opens."}]})
    await app.locator("pre", has_text="The <b>pump</b> opens.").wait_for()


async def test_an_app_has_the_theme_of_its_host(host: Host) -> None:
    app = await host.show("kb_retrieve_evidence", theme="dark")
    paper = "each => getComputedStyle(each).backgroundColor"
    dark = await app.locator("body").evaluate(paper)
    await host.page.evaluate("change_theme('light')")
    await app.locator("html[style*='light']").wait_for()
    assert await app.locator("body").evaluate(paper) != dark


async def test_what_documents_say_runs_nothing_and_loads_nothing_in_an_app(host: Host) -> None:
    app = await host.show("kb_expand_excerpt")
    found = await host.called("kb_search", query="When does the gate close?", filters={"path_prefix": "hostile"})
    passage = found["structuredContent"]["results"][0]["passage_id"]
    await host.give(await host.called("kb_expand_excerpt", passage_id=passage))
    await app.locator("article").wait_for()
    forged = "<img src='http://out.test/x' onerror='document.title=1'><script>document.title=1</script>"
    await host.give({"content": [], "_meta": {"citemark/fragment": forged}})
    await app.locator("img").wait_for(state="attached")
    assert await app.locator("body").evaluate("() => document.title") != "1"
    assert not [each for each in host.wrong if "asked for" in each]
    host.wrong.clear()  # the browser says what the policy refused
