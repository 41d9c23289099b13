"""Architecture models from file to answer: indexed, followed, asked."""

import asyncio
import re
import subprocess
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.support.groups import groups
from tests.support.index import Index
from tests.support.model_files import NEIGHBOURS, E, R, Sketch, hub, large_model, sketch
from tests.unit.tools.clients import connected

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.evaluation.golden_run import ModelRun, run_golden
from citemark.features.archimate.services.keys import ELEMENT_SEARCH, MODEL_CONTEXT, MODEL_LISTING
from citemark.features.archimate.services.requests import ContextRequest, ElementSearch, PartRef, QueryScope
from citemark.indexing.follower import FollowEvent
from citemark.model.errors import InvalidArgument
from citemark.model.ids import NativeId
from citemark.model.sources import NewSource, Source
from citemark.services.requests import Caller
from citemark.settings import Settings

_SOON = 120.0


@pytest.fixture
async def app(dsn: str) -> AsyncGenerator[App, None]:
    async with open_app(Settings(database_url=dsn, verify_cache=0)) as opened:  # pyright: ignore[reportArgumentType]
        yield opened


async def added(app: App, path: Path) -> Source:
    return await app.stores.sources.add(NewSource(path.stem, "archimate", {"path": str(path)}))


async def names(app: App, question: str) -> list[str]:
    """The elements that a search shows."""
    page = await app.services.get(ELEMENT_SEARCH).page(Caller.local(), ElementSearch(QueryScope(), question))
    return [hit.part.name for hit in page.hits]


async def shows(app: App, name: str) -> None:
    """Wait until a search for a name shows the element first."""
    async with asyncio.timeout(_SOON):
        while (await names(app, name))[:1] != [name]:  # noqa: ASYNC110 - what is awaited happens in the database
            await asyncio.sleep(0.02)


async def at_rest(app: App) -> None:
    """Wait until no text waits any more."""
    sources = [source.source_id for source in await app.stores.sources.all("local")]
    async with asyncio.timeout(_SOON):
        while (await app.stores.ledger.backlog(sources)).waiting:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.05)


async def reported(app: App) -> str:
    """The message of the one problem of the source, once the scan that found it has ended: texts are read before."""
    source = (await app.stores.sources.all("local"))[0]
    async with asyncio.timeout(_SOON):
        while not (problems := await app.stores.sources.problems(source.source_id)):  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.05)
    (problem,) = problems
    return problem.message


async def chunks(app: App) -> dict[int, str]:
    rows = await Index(app.stores.database).rows(
        "SELECT chunk_id, context || ': ' || text FROM chunk WHERE valid_to = 'infinity'"
    )
    return {row[0]: row[1] for row in rows}


def save(path: Path, plan: Sketch) -> None:
    """As programs do: another file in its place."""
    fresh = path.with_suffix(".new")
    fresh.write_bytes(plan.archi())
    fresh.replace(path)


@pytest.mark.requirement("change-rebuilds-exactly-its-mentions")
async def test_a_renamed_element_rebuilds_the_chunks_that_name_it_and_embeds_no_other(app: App, tmp_path: Path) -> None:
    path = tmp_path / "model.archimate"
    save(path, hub("Billing"))
    source = await added(app, path)
    await app.sync({source.source_id: source})
    before = await chunks(app)
    save(path, hub("Invoicing"))
    report = await app.sync({source.source_id: source})
    after = await chunks(app)
    assert report.documents == NEIGHBOURS + 1
    kept = [number for number, text in before.items() if "Billing" not in text]
    assert len(kept) == NEIGHBOURS
    assert all(after[number] == before[number] for number in kept)
    assert not any("Billing" in text for text in after.values())
    assert report.vectors == sum("Invoicing" in text for text in after.values())


@pytest.mark.requirement("elements-known-by-model-id")
async def test_an_element_with_another_id_is_another_one_however_alike(app: App, tmp_path: Path) -> None:
    path = tmp_path / "model.archimate"
    save(path, sketch([E("a", name="Billing", documentation="Sends what is owed."), E("b")]))
    source = await added(app, path)
    await app.sync({source.source_id: source})
    save(path, sketch([E("c", name="Billing", documentation="Sends what is owed."), E("b")]))
    report = await app.sync({source.source_id: source})
    assert (report.scans["model"].wanted, report.scans["model"].gone) == (1, 1)
    assert await Index(app.stores.database).rows("SELECT 1 FROM relationship WHERE type = 'succeeds'") == []


@pytest.mark.requirement("models-watched-like-any-source", "model-faults-are-problems")
@pytest.mark.requirement("no-test-depends-on-the-clock")
async def test_changes_of_a_model_are_noticed_however_it_is_saved(app: App, tmp_path: Path) -> None:
    path = tmp_path / "model.archimate"
    save(path, hub("Billing"))
    await added(app, path)
    told: list[FollowEvent] = []
    following = asyncio.create_task(app.keep(heard=told.append))
    try:
        await shows(app, "Billing")
        for name in ("Invoicing", "Refunding"):
            save(path, hub(name))
            await shows(app, name)
            await at_rest(app)
        path.write_bytes(sketch([E("hub", name="Dunning"), E("hub")]).archi())
        await shows(app, "Dunning")
        assert "only the first is indexed" in await reported(app)
    finally:
        following.cancel()
        await asyncio.wait([following])


_QUESTIONS = """
- {id: q1, question: "What serves the web shop?", kind: relationship, match: all, answer: Ledger,
   expect: [{element_id: a, name: Ledger, type: x}, {element_id: b, name: Catalogue, type: x}]}
- {id: q2, question: "Which element has the id c?", kind: exact_identifier, match: any, answer: Web shop,
   expect: [{element_id: c, name: Web shop}, {element_id: none, name: Nowhere}]}
- {id: q3, question: "Who drives the ferry to Zurich?", kind: unanswerable, expect: []}
"""


async def test_golden_questions_about_models_are_asked_of_their_search(app: App, tmp_path: Path) -> None:
    golden, path = tmp_path / "golden.yaml", tmp_path / "model.archimate"
    golden.write_text(_QUESTIONS)
    elements = [E("a", name="Ledger"), E("b", name="Catalogue"), E("c", name="Web shop")]
    save(path, sketch(elements, [R("Serving", "a", "c"), R("Serving", "b", "c")]))
    source = await added(app, path)
    await app.sync({source.source_id: source})
    report = await run_golden(app, golden)
    serving, identifier, absent = report.rows
    assert serving.document_hit
    assert serving.evidence_hit
    assert set(serving.expected) == {"a", "b"}
    assert identifier.document_hit
    assert identifier.rank == 1
    assert absent.rejected
    await app.stores.sources.add(NewSource("more", "archimate", {"path": str(path), "capability": "other"}))
    assert len((await run_golden(app, golden)).rows) == 3, "models of other capabilities are asked as well"
    phrasings = tmp_path / "phrasings.yaml"
    phrasings.write_text("q3: ['Which element serves the web shop?', the catalogue of the shop]\n")
    report = await run_golden(app, golden, phrasings)
    assert not report.rows[2].abstained, "asked with its phrasings, something is found"
    assert report.beside["alone"].abstained == 1
    with pytest.raises(InvalidArgument, match="no architecture model"):
        ModelRun(app, [])


_MEASURE = """
import asyncio, re, sys, resource
from pathlib import Path
from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.archimate.source.model_file import read_snapshot
async def main():
    parsers = ParserPool()
    found = await read_snapshot(Path(sys.argv[1]), parsers)
    await parsers.close()
    own = int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
    print(len(found.documents), (own + resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) / 1024)
asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.requirement("large-model-indexing-cost")
def test_ten_thousand_elements_are_read_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "large.xml"
    path.write_bytes(large_model(10_000).exchange())
    done = subprocess.run([sys.executable, "-c", _MEASURE, path], capture_output=True, text=True, check=True)
    documents, mebibytes = map(float, done.stdout.split())
    assert documents == 10_000
    assert mebibytes < 1024


@pytest.mark.requirement("relationship-cited-by-its-lines")
async def test_a_relationship_is_cited_by_the_line_that_says_it(app: App, tmp_path: Path) -> None:
    path = tmp_path / "model.archimate"
    shops = [E(f"shop-{number}", "Node", f"Web shop number {number} of the house") for number in range(60)]
    elements = [E("ledger", name="Ledger", documentation="Kept by hand."), E("till", "Node", "Till"), *shops]
    serving = [R("Serving", "ledger", shop.id) for shop in shops]
    save(path, sketch(elements, [*serving, R("Flow", "ledger", "till"), R("Association", "till", "ledger")]))
    source = await added(app, path)
    await app.sync({source.source_id: source})
    document = await app.stores.documents.find(source.source_id, NativeId("ledger"), "element")
    assert document is not None
    lines = document.body.split("\n")
    async with connected(app.services, families=groups(capabilities=("architecture",))) as client:

        async def called(name: str, **arguments: Any) -> dict[str, Any]:
            result = await client.call_tool(name, arguments)
            assert not result.is_error, result
            return result.structured_content

        listed = await called("architecture_listRelationships", element="Ledger", direction="outgoing", page_size=100)
        element = await called("architecture_getElement", element="Ledger", include_relationships=True)
        for each in (*listed["relationships"], *element["relationships"]):
            if each["source"]["element_id"] != "ledger":
                continue
            anchor = each["citation"]["anchor"]["lines"]
            assert anchor["start"] == anchor["end"]
            assert each["target"]["element_name"] in lines[anchor["start"] - 1]
            span = each["citation"]["span"]
            assert document.body[span["start"] : span["end"]] == lines[anchor["start"] - 1]
        assert len(listed["relationships"]) == len(serving) + 1

        citation = listed["relationships"][0]["citation"]
        words = lines[int(citation["anchor"]["lines"]["start"]) - 1]
        assert (await called("kb_verify_quote", citation=citation, quote=words))["holds"] == "exact"
        said = await called("kb_retrieve_evidence", question="Which web shop does the Ledger serve?")
        quotes = [quote for quote in said["quotes"] if quote["citation"]["document_id"] == "ledger"]
        assert quotes
        for quote in quotes:
            anchor = quote["citation"]["anchor"]["lines"]
            assert quote["quote"] in "\n".join(lines[anchor["start"] - 1 : anchor["end"]])
            assert anchor["end"] - anchor["start"] == quote["quote"].count("\n")


async def test_neighbouring_parts_of_a_long_text_are_one_piece_of_context(app: App, tmp_path: Path) -> None:
    path = tmp_path / "model.archimate"
    says = " ".join(f"Hail claim number {number} is paid within {number} days." for number in range(120))
    save(path, sketch([E("desk", name="Hail desk", documentation=says), E("other")]))
    source = await added(app, path)
    await app.sync({source.source_id: source})
    asked = ContextRequest(QueryScope(), "hail claim paid", min_score=0.0)
    found = await app.services.get(MODEL_CONTEXT).pack(Caller.local(), asked)
    pieces = [piece for piece in found.pieces if piece.part.name == "Hail desk"]
    assert max(piece.chunks for piece in pieces) > 1
    assert all(piece.text in says or piece.text.startswith("Hail desk") for piece in pieces)


@pytest.mark.requirement("names-in-every-language")
@pytest.mark.parametrize(
    ("language", "first", "says"),
    [
        ("english", "Home Alarm System", "Description: Reports burglary to the control room.\nMeldet Einbruch"),
        ("german", "Hausalarmanlage", "Description: Meldet Einbruch an die Leitstelle.\nReports burglary"),
        ("french", "Système d'alarme domestique", "Description: Meldet Einbruch an die Leitstelle.\nReports burglary"),
    ],
)
async def test_an_element_is_called_and_found_by_its_name_in_any_language(
    app: App, shared_data: Path, language: str, first: str, says: str
) -> None:
    path = shared_data / "faults" / "14" / "ml.xml"
    new = NewSource("ml", "archimate", {"path": str(path)}, language=language, detects_language=False)
    source = await app.stores.sources.add(new)
    await app.sync({source.source_id: source})
    for name in ("Home Alarm System", "hausalarmanlage", "Système d'alarme domestique", "id-1"):
        ref = PartRef(QueryScope(), "element", name)
        page = await app.services.get(MODEL_LISTING).element(Caller.local(), ref, relationships=False)
        assert (page.card.part.native_id, page.card.part.name) == ("id-1", first), name
        assert says in page.text
        assert (await names(app, name))[:1] == [first]
    assert "Verzekerde" in page.text
    with pytest.raises(InvalidArgument, match=re.escape(f"near it are {first!r} (id-1)")):
        await app.services.get(MODEL_LISTING).element(
            Caller.local(), PartRef(QueryScope(), "element", "Home Alarm"), relationships=False
        )


@pytest.mark.requirement("names-in-every-language")
async def test_a_name_in_another_language_never_hides_the_element_that_has_it(app: App, tmp_path: Path) -> None:
    path = tmp_path / "names.xml"
    other = '<name xml:lang="de">Gate</name>'
    elements = [E("a", name="Port", inside=other), E("b", name="Gate")]
    path.write_bytes(Sketch(elements).exchange())
    source = await added(app, path)
    await app.sync({source.source_id: source})
    ref = PartRef(QueryScope(), "element", "gate")
    page = await app.services.get(MODEL_LISTING).element(Caller.local(), ref, relationships=False)
    assert page.card.part.native_id == "b"
