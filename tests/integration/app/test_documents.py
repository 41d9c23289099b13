"""The composed application over a folder of real files, and a database that is reached by its address."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from tests.support.dropping_proxy import dropping_proxy
from tests.unit.tools.clients import connected, text_of

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.cli.add_source_command import DocsRequest, add_docs_source
from citemark.cli.change_source_command import SourceChange, change_source
from citemark.cli.command_context import CommandContext
from citemark.extraction.text_recognition import TextRecognition
from citemark.model.errors import InvalidArgument
from citemark.model.source_labels import SourceLabels
from citemark.settings import Settings
from citemark.store.database import Database

QUOTE = "A boiler is descaled every six weeks with citric acid."
PAGE = f"# Boiler\n\nIt is made of copper.\n\n## Care\n\n{QUOTE} Nothing stronger may be used in it.\n"


@dataclass
class Place:
    """An open index and a folder of its own."""

    app: App
    folder: Path

    async def add(self, name: str = "docs", *, language: str = "english", **fields: Any) -> None:
        """A source below the folder, as the command line adds it."""
        request = DocsRequest(
            path=self.folder,
            name=name,
            include=(),
            exclude=(),
            **fields,
            language=language,
            overlapping=True,
        )
        run = CommandContext(open_app, json=True, quiet=True)
        assert await add_docs_source(run, self.app, request, sync=True) == 0

    async def sync(self) -> None:
        await self.app.sync(await self.app.local_sources())


@pytest.fixture
async def place(dsn: str, tmp_path: Path) -> AsyncGenerator[Place, None]:
    folder = tmp_path / "docs"
    folder.mkdir()
    async with open_app(Settings(database_url=dsn, verify_cache=0)) as app:  # pyright: ignore[reportArgumentType]
        yield Place(app, folder)


async def asked(client: Client, tool: str, **arguments: Any) -> Mapping[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return result.structured_content


@pytest.mark.requirement("verify-quote-follows-succession", "tools-kb-verify-quote", "tools-kb-verify-verdicts")
async def test_a_citation_is_checked_through_edits_a_rename_and_the_end_of_its_page(place: Place) -> None:
    page = place.folder / "boiler.md"
    page.write_text(PAGE)
    await place.add()
    async with connected(place.app.services) as client:
        found = await asked(client, "kb_retrieve_evidence", question="With what is the boiler descaled?")
        citation = next(quote for quote in found["quotes"] if QUOTE in quote["quote"])["citation"]

        async def verdict() -> Mapping[str, Any]:
            return await asked(client, "kb_verify_quote", citation=citation, quote=QUOTE)

        exact = await verdict()
        assert (exact["holds"], exact["current_revision_id"]) == ("exact", citation["revision_id"])

        page.write_text(PAGE.replace("It is made", "It is old, heavy and dear to everybody here.\n\nIt is made"))
        await place.sync()
        moved = await verdict()
        assert moved["holds"] == "moved"
        assert moved["found_at"]["document_id"] == citation["document_id"] == "boiler.md#boiler/care"
        assert moved["current_revision_id"] != citation["revision_id"]

        page.rename(place.folder / "kettle.md")
        await place.sync()
        renamed = await verdict()
        assert (renamed["holds"], renamed["found_at"]["document_id"]) == ("moved", "kettle.md#boiler/care")

        kettle = place.folder / "kettle.md"
        kettle.write_text(kettle.read_text().replace("six weeks", "nine weeks"))
        await place.sync()
        changed = await verdict()
        assert changed["holds"] == "changed"
        span = changed["found_at"]["span"]
        assert "nine weeks" in kettle.read_text()[span["start"] : span["end"]]

        kettle.unlink()
        (place.folder / "other.md").write_text("# Other\n\nAnother matter.\n")
        await place.sync()
        gone = await verdict()
        assert gone["holds"] == "gone"
        assert gone["found_at"]["revision_id"] == citation["revision_id"], "where the words stood, in the past"


@pytest.mark.requirement("passage-authorised-at-each-use")
async def test_an_edit_between_search_and_reading_is_seen_before_any_sync(place: Place) -> None:
    page = place.folder / "boiler.md"
    page.write_text(PAGE)
    await place.add()
    async with connected(place.app.services) as client:
        hit = (await asked(client, "kb_search", query="With what is the boiler descaled?"))["results"][0]
        page.write_text(PAGE.replace("citric acid", "vinegar"))
        edited = await client.call_tool("kb_read_excerpt", {"passage_id": hit["passage_id"]})
        assert edited.structured_content["error"]["code"] == "BACKEND_UNAVAILABLE"
        page.unlink()
        deleted = await client.call_tool("kb_read_excerpt", {"passage_id": hit["passage_id"]})
        assert deleted.structured_content["error"]["code"] == "INVALID_ARGUMENT"
    assert "citric" not in f"{edited} {deleted}"


@pytest.mark.requirement("excerpts-go-on-beyond-a-passage")
async def test_the_continuation_of_a_text_is_named_only_while_its_source_confirms_all_of_it(place: Place) -> None:
    page = place.folder / "boiler.md"
    page.write_text(f"{PAGE}\n## Secret\n\nThe key lies under the mat.\n")
    await place.add()
    async with connected(place.app.services) as client:
        hit = (await asked(client, "kb_search", query="With what is the boiler descaled?"))["results"][0]
        passage = {"passage_id": hit["passage_id"]}
        start = await client.call_tool("kb_read_excerpt", {**passage, "max_tokens": 28})
        assert 'goes on in "Boiler > Secret", lines 9-11' in text_of(start)
        whole = await client.call_tool("kb_read_excerpt", passage)
        assert "under the mat" in text_of(whole)
        page.write_text(f"{PAGE}\n## Other\n\nNothing of that.\n")
        changed = await client.call_tool("kb_read_excerpt", passage)
        assert QUOTE in text_of(changed)
        onward = changed.structured_content["next_passage_id"]
        refused = await client.call_tool("kb_read_excerpt", {"passage_id": onward})
        assert refused.structured_content["error"]["code"] == "BACKEND_UNAVAILABLE"
    assert "Secret" not in f"{changed} {refused}"


@pytest.mark.requirement("gone-quote-says-what-went", "verify-quote-judges-cited-revision")
async def test_a_quote_that_is_gone_says_what_is_and_what_became_of_the_revision(place: Place) -> None:
    page = place.folder / "boiler.md"
    page.write_text(PAGE)
    await place.add()
    async with connected(place.app.services) as client:
        found = await asked(client, "kb_retrieve_evidence", question="With what is the boiler descaled?")
        citation = next(quote for quote in found["quotes"] if QUOTE in quote["quote"])["citation"]

        async def verdict(**fields: Any) -> tuple[str, str, str | None]:
            """What holds, which revision that was, and why it is gone; the same words in the text."""
            arguments = {"citation": {**citation, **fields}, "quote": QUOTE}
            result = await client.call_tool("kb_verify_quote", arguments)
            said = result.structured_content
            return said["holds"], said["cited_revision"], said.get("reason")

        assert await verdict() == ("exact", "known", None)
        for invented in ("424242", "7e3", "-1", "9" * 40, "१"):
            assert await verdict(revision_id=invented) == ("exact", "unknown", None)
        assert await verdict(revision_id=None) == ("exact", "unknown", None)
        (place.folder / "pump.md").write_text("# Pump\n\nIt is driven by the old steam engine in the cellar.\n")
        await place.sync()
        assert await verdict(document_id="pump.md#pump") == ("gone", "unknown", "words_gone")

        page.write_text("# Boiler\n\nIt is made of copper.\n\n## Care\n\nAsk the people of the works about that.\n")
        await place.sync()
        assert await verdict() == ("gone", "superseded", "words_gone")
        page.unlink()
        assert await verdict() == ("gone", "superseded", "document_gone")
        await place.sync()
        assert await verdict() == ("gone", "superseded", "document_gone")
        assert await verdict(document_id="nothing.md") == ("gone", "unknown", "document_gone")


@pytest.mark.requirement("verify-quote-judges-cited-revision")
async def test_the_place_of_a_quote_is_that_of_a_revision_that_has_it(place: Place) -> None:
    page = place.folder / "boiler.md"
    page.write_text(PAGE)
    await place.add()
    async with connected(place.app.services) as client:
        limits = {"include_context_tokens": 0}
        found = await asked(client, "kb_retrieve_evidence", question="With what is the boiler descaled?", **limits)
        citation = next(quote for quote in found["quotes"] if QUOTE in quote["quote"])["citation"]

        async def checked(quote: str) -> Mapping[str, Any]:
            return await asked(client, "kb_verify_quote", citation=citation, quote=quote)

        page.write_text(f"A line more.\n\n{PAGE}".replace("six weeks", "nine weeks"))
        moved = await checked("Nothing stronger may be used in it.")
        assert (moved["holds"], moved["cited_revision"]) == ("moved", "known")
        place_of = moved["found_at"]
        assert (place_of["revision_id"], place_of["anchor"]["lines"]) == (
            citation["revision_id"],
            {"start": 7, "end": 7},
        )
        assert any("changed since" in note for note in moved["notes"])

        unread = await checked(QUOTE.replace("six weeks", "nine weeks"))
        assert unread["holds"] == "moved"
        assert "found_at" not in unread
        assert any("not in the present revision in the index" in note for note in unread["notes"])

        await place.sync()
        read = await checked(QUOTE.replace("six weeks", "nine weeks"))
        assert (read["holds"], read["cited_revision"]) == ("moved", "superseded")
        assert read["found_at"]["revision_id"] == read["current_revision_id"] != citation["revision_id"]
        assert read["found_at"]["anchor"]["lines"] == {"start": 9, "end": 9}


@pytest.mark.requirement("tools-scope-per-source", "source-can-name-its-language", "commands-add-and-sync-sources")
async def test_scope_address_tags_and_language_are_set_when_a_source_is_added(place: Place) -> None:
    (place.folder / "haus.md").write_text("# Haus\n\nDie alten Häuser am Fluss wurden gestrichen.\n")
    await place.add(
        "german",
        language="german",
        labels=SourceLabels(("bau",), environment="prod", repository="git.example/haus"),
        url="https://a.example/{page}",
    )
    await place.add("english")
    async with connected(place.app.services) as client:

        async def words_met(query: str, **scope: Any) -> dict[str, bool]:
            options = {"min_score": 0.0, "max_per_doc": 5, "include_debug": True}
            page = await asked(client, "kb_search", query=query, options=options, scope=scope)
            return {hit["citation"]["source"]: (hit["why"]["bm25"] or 0) > 0 for hit in page["results"]}

        for scope in ({"environment": "prod"}, {"doc_tags": ["bau"]}, {"repositories": ["git.example/haus"]}):
            assert list(await words_met("gestrichene Häuser", **scope)) == ["german"]
        assert (await words_met("Haus gestrichenen", environment="prod"))["german"]
        filtered = await asked(client, "kb_search", query="alte Häuser am Fluss", filters={"doc_tag": ["bau"]})
        assert [hit["citation"]["url"] for hit in filtered["results"]] == ["https://a.example/haus"]
        # The same passage under both sources is one hit.
        both = await asked(client, "kb_search", query="alte Häuser am Fluss")
        assert len(both["results"]) == 1


@pytest.mark.requirement("only-vector-and-plpgsql-needed", "settings-local-so-poolers-work")
@pytest.mark.parametrize("pooler", [True, False])
async def test_work_behind_a_pooler_needs_two_extensions_and_leaves_sessions_as_they_were(
    dsn: str, tmp_path: Path, *, pooler: bool
) -> None:
    (tmp_path / "boiler.md").write_text(PAGE)
    async with dropping_proxy(dsn, as_pooler=pooler) as proxy:
        given: dict[str, Any] = {"database_url": proxy.dsn, "verify_cache": 0}
        async with open_app(Settings(**given)) as app:
            place = Place(app, tmp_path)
            await place.add()
            async with connected(app.services) as client:
                for _ in range(9):  # a direct connection prepares what is sent often
                    assert (await asked(client, "kb_search", query="With what is the boiler descaled?"))["results"]
            assert await own_sessions(app.stores.database) is not pooler


async def own_sessions(database: Database) -> bool:
    """Whether settings were kept beyond a transaction, or statements prepared."""
    kept: list[Any] = []
    async with database.transaction() as one, database.transaction() as two:
        for connection in (one, two):
            rows = await (await connection.execute("SELECT extname FROM pg_extension ORDER BY 1")).fetchall()
            assert [row["extname"] for row in rows] == ["plpgsql", "vector"]
            # The limit of a statement is local to the transaction that this question is sent in.
            settings = await connection.execute(
                "SELECT name FROM pg_settings WHERE source = 'session' AND name NOT IN ('role', 'statement_timeout')"
            )
            kept += await settings.fetchall()
            kept += await (await connection.execute("SELECT name FROM pg_prepared_statements")).fetchall()
    return bool(kept)


@pytest.mark.requirement("scans-are-marked", "tools-kb-verify-verdicts")
async def test_words_that_were_recognised_in_a_picture_are_never_verified_as_exact(place: Place) -> None:
    page = place.folder / "boiler.md"
    page.write_text(PAGE)
    await place.add()
    at = PAGE.index(QUOTE)
    marked = f"{at}-{at + len(QUOTE)} 0.91"
    async with place.app.stores.database.transaction() as connection:
        await connection.execute(
            "UPDATE revision SET metadata = metadata || jsonb_build_object('read_by_ocr', %s::text)", (marked,)
        )
    async with connected(place.app.services) as client:
        found = await asked(client, "kb_retrieve_evidence", question="With what is the boiler descaled?")
        citation = next(quote for quote in found["quotes"] if QUOTE in quote["quote"])["citation"]
        result = await client.call_tool("kb_verify_quote", {"citation": citation, "quote": QUOTE})
        assert result.structured_content["holds"] == "changed"
        assert "OCR read these words in a picture, with a confidence of 0.91" in result.structured_content["difference"]
        assert "changed: These are the words that OCR read in a picture, which are not verified" in text_of(result)
        typed = await asked(client, "kb_verify_quote", citation=citation, quote="It is made of copper.")
        assert typed["holds"] == "moved", "other words of the document are its own"
        page.write_text("# Boiler\n\nNothing of this is left, neither how it is cleaned nor of what it is made.\n")
        await place.sync()
        gone = await asked(client, "kb_verify_quote", citation=citation, quote=QUOTE)
        assert gone["holds"] == "gone"
        assert "OCR read these words in a picture of the cited revision." in gone["notes"]


@pytest.mark.requirement("scans-are-asked-for")
@pytest.mark.skipif(TextRecognition("rapidocr").is_installed, reason="what is said without the extra")
async def test_text_recognition_that_is_not_installed_is_refused_with_what_to_install(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(place.folder))  # where there is no Tesseract
    with pytest.raises(InvalidArgument, match=r"pip install 'citemark\[ocr\]'"):
        await place.add(ocr=True)
    (place.folder / "scan.png").write_bytes(b"a picture")
    await place.add()
    run = CommandContext(open_app, json=True, quiet=True)
    with pytest.raises(InvalidArgument, match=r"pip install 'citemark\[ocr\]'"):
        await change_source(run, place.app, "docs", SourceChange(ocr=True), sync=False)
    (source,) = await place.app.stores.sources.all("local")
    await place.app.stores.sources.change(replace(source, config={**source.config, "ocr": True}))
    await place.sync()
    (problem,) = await place.app.sources.problems(source.source_id)
    assert (problem.native_id, "citemark[ocr]" in problem.message) == ("scan.png", True)
