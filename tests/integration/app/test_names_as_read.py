"""Folders whose names, words and figures are spelt in ways that people do not type, asked as people type them."""

from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from shutil import copy, copytree
from typing import Any
from unicodedata import normalize

import pytest
from mcp import Client
from tests.unit.tools.clients import connected

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.model.sources import NewSource
from citemark.settings import Settings


@pytest.fixture
async def app(dsn: str) -> AsyncGenerator[App, None]:
    async with open_app(Settings(database_url=dsn, verify_cache=0)) as opened:  # pyright: ignore[reportArgumentType]
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    return folder


async def index(app: App, folder: Path) -> None:
    await app.stores.sources.add(NewSource("docs", "docs", {"root": str(folder)}))
    await app.sync(await app.local_sources())


def write(folder: Path, pages: Mapping[str, str]) -> None:
    for name, text in pages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


async def asked(client: Client, tool: str, **arguments: Any) -> Mapping[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return result.structured_content


async def search(client: Client, query: str, **arguments: Any) -> tuple[list[str], str]:
    """The pages of the hits, best first, and everything that is said besides."""
    found = await asked(client, "kb_search", query=query, **arguments)
    pages = [hit["citation"]["document_id"].partition("#")[0] for hit in found["results"]]
    return pages, str({key: value for key, value in found.items() if key != "results"})


@pytest.mark.requirement("names-compare-as-read")
async def test_a_part_number_is_found_whatever_its_hyphens(app: App, shared_data: Path, folder: Path) -> None:
    for page in (shared_data / "faults" / "16").glob("*.md"):
        copy(page, folder)
    await index(app, folder)
    async with connected(app.services) as client:
        for query in ("AB-1234-X", "AB\u20131234\u2013X", "AB\u22121234\u2212X"):
            pages, said = await search(client, query)
            assert pages[0] == "hyph.md", query
            assert "not sure" not in said
            assert "document here mentions" not in said


@pytest.mark.requirement("names-compare-as-read")
async def test_hebrew_arabic_and_persian_are_found_as_they_are_typed(app: App, shared_data: Path, folder: Path) -> None:
    for page in (shared_data / "faults" / "17").glob("*.md"):
        copy(page, folder)
    write(folder, {"short.md": "والمضخة", "ur.md": "# پ\n\nیہ کتاب میز پر ہے اور بہت اچھی ہے.\n"})  # noqa: RUF001 - letters look alike
    await index(app, folder)
    questions = {
        "המשאבה דולפת": "he-niqqud.md",
        "كليد زير فرش": "fa.md",
        "الكتاب": "ar-plain.md",
        "بالكتاب": "ar-plain.md",
        "النافذة مكسورة": "ar-tashkeel.md",
        "المفتاح": "ar-tatweel.md",
        "المضخة": "short.md",
        "كتاب ميز": "ur.md",
    }
    async with connected(app.services) as client:
        for question, page in questions.items():
            pages, said = await search(client, question)
            assert pages[:1] == [page], question
            assert "document here mentions" not in said, question


@pytest.mark.requirement("names-compare-as-read")
async def test_a_folder_with_decomposed_letters_is_reached_by_composed_ones(
    app: App, shared_data: Path, folder: Path
) -> None:
    copytree(shared_data / "faults" / "13" / "f", folder, dirs_exist_ok=True)
    write(folder, {normalize("NFD", "Größe/Maß.md"): "---\ntags: [Prüfung]\n---\n\nThe brass gauge is wide.\n"})
    await index(app, folder)
    broken = await app.stores.database.read_sql(
        "SELECT to_native_id FROM relationship r WHERE type = 'links_to' AND to_native_id LIKE 'B%%' AND NOT EXISTS"
        " (SELECT 1 FROM document d WHERE d.native_id = r.to_native_id)"
    )
    assert broken == []
    async with connected(app.services) as client:
        for prefix, page in (("Büro/", "Büro/Schlüssel.md"), ("Größe/Maß", "Größe/Maß.md")):
            for form in ("NFC", "NFD"):
                pages, _ = await search(client, "brass", filters={"path_prefix": normalize(form, prefix)})
                assert [normalize("NFC", found) for found in pages] == [page]
        pages, _ = await search(client, "brass", filters={"doc_tag": [normalize("NFD", "Prüfung")]})
        assert [normalize("NFC", found) for found in pages] == ["Größe/Maß.md"]
        citation = (await asked(client, "kb_search", query="brass key"))["results"][0]["citation"]
        composed = {**citation, "document_id": normalize("NFC", citation["document_id"])}
        checked = await asked(client, "kb_verify_quote", citation=composed, quote="The brass key opens the archive.")
        assert (checked["holds"], checked["cited_revision"]) == ("exact", "known")


@pytest.mark.requirement("raised-figures-stay-apart", "reading-is-complete")
async def test_a_power_is_found_as_it_is_typed_and_never_as_another_number(
    app: App, shared_data: Path, folder: Path
) -> None:
    copytree(shared_data / "faults" / "04", folder, dirs_exist_ok=True)
    (folder / "EXPECTED.txt").unlink()
    write(
        folder, {"notes.md": "# Basin\n\nThe basin holds 10<sup>9</sup> litres.\n", "small.md": "A cup holds 109 ml.\n"}
    )
    await index(app, folder)
    async with connected(app.services) as client:
        _, said = await search(client, "Does the tank hold 106 litres?")
        assert 'No document read here writes "106"' in said
        for query in ("10⁶ litres", "10^6 litres", "10<sup>6</sup> litres"):
            pages, said = await search(client, query)
            assert pages[0].startswith("sup."), query
            assert "document here mentions" not in said, query
        pages, _ = await search(client, "holds 10^9")
        assert pages[0] == "notes.md"
        pages, _ = await search(client, "holds 109")
        assert pages[0] == "small.md"
        found = await asked(client, "kb_retrieve_evidence", question="How many litres does the basin hold?")
        quote = next(quote for quote in found["quotes"] if "basin" in quote["quote"])
        assert "10⁹ litres" in quote["quote"]
        checked = await asked(
            client, "kb_verify_quote", citation=quote["citation"], quote="The basin holds 109 litres."
        )
        assert checked["holds"] != "exact"


@pytest.mark.requirement("absent-words-are-of-the-matter")
async def test_words_that_only_word_a_question_are_never_said_to_be_missing(app: App, folder: Path) -> None:
    write(folder, {"plan.md": "# Plan\n\nThe roof will be repaired in May for 4,000 EUR.\n"})
    await index(app, folder)
    async with connected(app.services) as client:
        for question in (
            "How much is the roof?",
            "How tall is the roof?",
            "Explain the roof",
            "Please tell me anything on the roof",
            "Where is the roof described?",
            "Give an overview of the roof",
            "How does the roof work?",
        ):
            _, said = await search(client, question)
            assert "document here mentions" not in said, question
        _, said = await search(client, "Show the chimney of the roof")
        assert "o document here mentions chimney" in said
