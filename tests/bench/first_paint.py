"""The pages in Chromium: first paint of a search, hits after the pause, the weight of a first load, a document of 5 MB.

Everything is asked over loopback of a server of its own process, as a person's browser asks it. Chromium is Debian's
(`make pages` installs it).
"""

import asyncio
import contextlib
import shutil
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
from playwright.async_api import Browser, Page, async_playwright
from tests.acceptance.served import token_named_by
from tests.bench.index import ensure_index
from tests.bench.locations import ROOT, cache, index_folder
from tests.bench.measure import Latency, load
from tests.bench.serving import COMMAND, environment
from tests.bench.texts import pages, questions

from citemark.app.open_index import open_app
from citemark.embedding.contract import EmbeddingFailed
from citemark.model.sources import NewSource
from citemark.settings import Settings

_TIMES = 50
_WARM_UP = 5
_LARGE_BYTES = 5_000_000
_PLACES = (0.02, 0.5, 0.98)
"""Where in the large document something is cited."""

_FIRST_PAINT = """() => new Promise(told => new PerformanceObserver(list => {
  const entry = list.getEntriesByName("first-contentful-paint")[0];
  if (entry) told(entry.startTime);
}).observe({type: "paint", buffered: true}))"""
_TRANSFERRED = """() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .reduce((sum, each) => sum + each.transferSize, 0)"""
_NOTE_HITS = """() => {
  window.hits = [];
  document.addEventListener("htmx:beforeRequest", () => { window.asked = performance.now(); });
  document.addEventListener("htmx:afterSettle", () => {
    if (window.asked) window.hits.push(performance.now() - window.asked);
    window.asked = 0;
  });
}"""
_IN_VIEW = """() => {
  const {top, bottom} = document.getElementById("cited").getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}"""


@asynccontextmanager
async def _signed_in(browser: Browser, data_dir: Path) -> AsyncGenerator[Page]:
    """A page of a server of an index, signed in, before anything but the link was opened."""
    process = await asyncio.create_subprocess_exec(
        COMMAND, "serve", "--http", "--port", "0",
        env=environment(data_dir) | {"CITEMARK_LOG_LEVEL": "error", "CITEMARK_INDEX_IN_SERVER": "false"},
        cwd=ROOT, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        first, second = [(await process.stdout.readline()).decode() for _ in range(2)]
        base = next(word for word in first.split() if word.startswith("http://")).removesuffix("/mcp")
        headers = {"authorization": f"Bearer {token_named_by(second)}"}
        async with httpx2.AsyncClient(base_url=base, headers=headers) as http:
            link = (await http.post("/link")).text
        context = await browser.new_context(base_url=base)
        page = await context.new_page()
        await page.goto(link)
        yield page
        await context.close()
    finally:
        process.terminate()
        await process.wait()


async def measure(size: int) -> dict[str, object]:
    """First paint and hits in milliseconds over many questions, the bytes of a first load, and a large document."""
    await ensure_index(size)
    large = await _large_index()
    before = load()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        async with _signed_in(browser, index_folder(size)) as page:
            asked = list(islice(questions(), _TIMES + _WARM_UP))
            weight = await _weight(page)
            painted = await _painted(page, [f"/search?q={quote(each)}" for each in asked])
            hits = await _typed(page, asked)
        async with _signed_in(browser, large) as page:
            document = await _large_document(page)
        await browser.close()
    return {
        "first_paint": Latency.of(painted).as_dict(),
        "hits": Latency.of(hits).as_dict(),
        "first_load_bytes": weight,
        "large_document": document,
        "load": [before, load()],
    }


async def _weight(page: Page) -> int:
    """Bytes of the first page and all that it loads, with nothing in the browser's cache."""
    session: Any = await page.context.new_cdp_session(page)
    await session.send("Network.clearBrowserCache")
    await page.goto("/search", wait_until="networkidle")
    return int(await page.evaluate(_TRANSFERRED))


async def _painted(page: Page, addresses: Sequence[str], skipped: int = _WARM_UP) -> list[float]:
    """Seconds until each page painted its first content."""
    took: list[float] = []
    for address in addresses:
        await page.goto(address)
        took.append(float(await page.evaluate(_FIRST_PAINT)) / 1000)
    return took[skipped:]


async def _typed(page: Page, asked: Sequence[str]) -> list[float]:
    """Seconds from the request that follows the pause after typing until its hits stand on the page."""
    await page.goto("/search")
    await page.evaluate(_NOTE_HITS)
    for number, question in enumerate(asked, 1):
        await page.locator("#q").fill(question)
        await page.wait_for_function("count => window.hits.length >= count", arg=number)
    took: list[Any] = await page.evaluate("window.hits")
    return [each / 1000 for each in took[_WARM_UP:]]


async def _large_document(page: Page) -> dict[str, object]:
    """First paint of a document of 5 MB at places that are cited, and whether the words are in view by then."""
    addresses = [
        f"/document?source=large&document=large.md&start={start}&end={start + 60}#cited"
        for start in (int(_LARGE_BYTES * place) for place in _PLACES)
    ]
    painted: list[float] = []
    in_view = 0
    for address in addresses * 4:
        await page.goto("about:blank")  # an address that differs by its end alone would load nothing
        painted += await _painted(page, [address], skipped=0)
        in_view += bool(await page.evaluate(_IN_VIEW))
    return {**Latency.of(painted).as_dict(), "in_view": in_view}


async def _large_index() -> Path:
    """The data folder of an index with one document of 5 MB; it has no vectors, which reading does not need."""
    folder, texts = cache() / "index-large-document", cache() / "large-document"
    if (folder / "ready").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    texts.mkdir(exist_ok=True)
    text = ""
    for page in pages(_LARGE_BYTES // 500):
        text += page.body
        if len(text) > _LARGE_BYTES:
            break
    (texts / "large.md").write_text(text, "utf-8")
    nowhere = {"embedding_provider": "openai", "embedding_url": "http://127.0.0.1:9/v1", "embedding_model": "none"}
    given: dict[str, Any] = {"data_dir": folder, **nowhere}
    async with open_app(Settings(**given)) as app:
        source = await app.sources.add(NewSource("large", "docs", {"root": str(texts)}))
        with contextlib.suppress(EmbeddingFailed):
            await app.sync({source.source_id: source})
    (folder / "ready").touch()
    return folder
