"""A folder of every format at once: each file is found by its words, or reported with its reason."""

from collections.abc import AsyncGenerator, Mapping
from pathlib import Path

import pytest
from tests.support.mixed_files import FORMATS, Article, unreadable
from tests.unit.tools.clients import connected

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.model.sources import NewSource, Source
from citemark.settings import Settings

SITE = "https://docs.example/a"
PUMPS = {
    ".pdf": "Alba",
    ".docx": "Boris",
    ".xlsx": "Carla",
    ".pptx": "Diego",
    ".odt": "Edith",
    ".html": "Fritz",
    ".eml": "Greta",
}
PLACES = {
    ".pdf": ("#page-1", "#page=1"),
    ".docx": ("#sealing", ""),
    ".xlsx": ("#data", ""),
    ".pptx": ("#slide-2", ""),
    ".odt": ("#sealing", ""),
    ".html": ("#care-of-fritz/p1", "#p1"),
    ".eml": ("", ""),
}
"""By suffix: what the document id adds to the path, and what the address adds to the page's."""


@pytest.fixture
async def app(dsn: str) -> AsyncGenerator[App, None]:
    async with open_app(Settings(database_url=dsn, verify_cache=0)) as opened:  # pyright: ignore[reportArgumentType]
        yield opened


def article(pump: str) -> Article:
    return Article(
        f"Care of {pump}",
        [
            ("Starting", f"Open the valve before {pump} is started, and wait until the lamp is lit."),
            ("Sealing", f"The seal of {pump} is replaced every 400 hours."),
        ],
    )


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)


async def synced(app: App, folder: Path, files: Mapping[str, bytes]) -> Source:
    write(folder, files)
    source = await app.stores.sources.add(
        NewSource(name="docs", kind="docs", config={"root": str(folder), "url": SITE})
    )
    await app.sync({source.source_id: source})
    return source


@pytest.mark.requirement(
    "html-is-indexed-with-spans",
    "pdf-is-indexed-with-pages",
    "office-files-are-indexed",
    "mail-text-is-indexed",
    "citations-open-in-every-format",
)
async def test_a_citation_into_any_format_names_the_place_and_holds_when_it_is_opened_again(
    app: App, tmp_path: Path
) -> None:
    await synced(
        app, tmp_path / "docs", {f"pump{suffix}": FORMATS[suffix](article(PUMPS[suffix])) for suffix in FORMATS}
    )
    async with connected(app.services) as client:
        for suffix, (slug, fragment) in PLACES.items():
            quote = f"The seal of {PUMPS[suffix]} is replaced every 400 hours."
            question = f"How often is the seal of {PUMPS[suffix]} replaced?"
            found = await client.call_tool("kb_retrieve_evidence", {"question": question})
            quotes = found.structured_content["quotes"]
            citation = next(entry for entry in quotes if quote in entry["quote"])["citation"]
            assert (citation["document_id"], citation["url"]) == (
                f"pump{suffix}{slug}",
                f"{SITE}/pump{suffix}{fragment}",
            )
            assert (citation.get("dated") == "2026-01-05T10:00:00+01:00") == (suffix == ".eml")
            checked = await client.call_tool("kb_verify_quote", {"citation": citation, "quote": quote})
            assert checked.structured_content["holds"] == "exact"
            assert checked.structured_content["found_at"]["url"] == citation["url"]


@pytest.mark.requirement("zip-bombs-and-broken-files-reported", "files-parsed-in-capped-processes")
async def test_every_file_of_a_mixed_folder_is_indexed_or_reported_with_its_reason(app: App, tmp_path: Path) -> None:
    good = {f"good{suffix}": FORMATS[suffix](article(PUMPS[suffix])) for suffix in FORMATS}
    lying = {"a-pdf.docx": good["good.pdf"], "a-sheet.doc": good["good.xlsx"], "a-page.txt": good["good.html"]}
    bad = unreadable(article("Heidi"))
    source = await synced(app, tmp_path / "docs", {**good, **lying, **{name: data for name, (data, _) in bad.items()}})
    status = next(iter(await app.stores.status.sources("local", 0)))
    reported = {entry.native_id: entry.message for entry in await app.stores.sources.problems(source.source_id)}
    assert (status.documents, status.failed, status.texts_waiting) == (len(good) + len(lying), len(bad), 0)
    assert set(reported) == set(bad)
    assert {name: said for name, (_, said) in bad.items() if said not in reported[name]} == {}
