"""A vault of notes: properties, aliases, empty notes and wikilinks, from the files to the answers."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from mcp import Client
from tests.bench.vault import check
from tests.integration.app.test_documents import Place, asked, place
from tests.support.vault import facts, notes, write
from tests.unit.tools.clients import connected

from citemark.app.open_index import open_app
from citemark.cli.asking_options import LimitOptions
from citemark.cli.command_context import CommandContext
from citemark.cli.search_command import TypedSearch, evidence_command, search_command
from citemark.cli.status_command import list_problems
from citemark.evidence.budget import EvidenceLimits
from citemark.model.errors import InvalidArgument

__all__ = ["place"]

_SMALL = 60
"""Notes of the part that is measured here; `python -m tests.bench vault` measures all three hundred."""

DATA_URI = Path(__file__).parents[4] / "shared" / "data" / "faults" / "10" / "datauri.md"


@pytest.mark.slow
@pytest.mark.requirement("facts-of-a-vault", "properties-are-a-passage", "empty-notes-are-found")
async def test_facts_of_a_vault_are_found_by_the_questions_that_name_them(place: Place) -> None:
    write(place.folder, _SMALL)
    await place.add()
    wanted = facts(_SMALL)
    checked = await check(place.app, wanted)
    assert len(checked.found) >= 0.97 * len(wanted), checked.lost
    assert checked.called_absent == []


@pytest.mark.requirement("empty-notes-are-found")
async def test_an_empty_note_is_a_hit_that_can_be_opened(place: Place) -> None:
    (place.folder / "Quince Cottage.md").write_bytes(b"")
    (place.folder / "Saltmarsh.md").write_text("\n \n")
    await place.add()
    async with connected(place.app.services) as client:
        found = await asked(client, "kb_search", query="Saltmarsh", options={"min_score": 0})
        first = found["results"][0]
        assert (first["citation"]["document_id"], first["title"], first["preview"]) == ("Saltmarsh.md", "Saltmarsh", "")
        assert len({hit["citation"]["document_id"] for hit in found["results"]}) == len(found["results"])
        for tool in ("kb_read_excerpt", "kb_expand_excerpt"):
            assert (await asked(client, tool, passage_id=first["passage_id"]))["excerpt"].strip() == ""
        evidence = await asked(client, "kb_retrieve_evidence", question="What is Saltmarsh?")
        assert not any("mentions Saltmarsh" in note for note in evidence.get("notes", ()))


@pytest.mark.requirement("properties-are-a-passage")
async def test_a_property_is_cited_by_its_lines_of_the_file(place: Place) -> None:
    (place.folder / "ada.md").write_text("---\ntitle: Ada\nborn: 1815-12-10\n---\n\nShe wrote notes.\n")
    await place.add()
    async with connected(place.app.services) as client:
        found = await asked(client, "kb_retrieve_evidence", question="When was Ada born?")
        quote = next(each for each in found["quotes"] if "1815-12-10" in each["quote"])
        assert quote["citation"]["anchor"]["lines"] in ({"start": 2, "end": 3}, {"start": 3, "end": 3})
        checked = await asked(client, "kb_verify_quote", citation=quote["citation"], quote=quote["quote"])
        assert checked["holds"] == "exact"


@pytest.mark.requirement("filters-by-property")
async def test_pages_are_filtered_by_their_properties_in_every_state(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    page = "---\nstatus: {}\nowner: '[[Ada Byron]]'\ntopics: [Pumps, Valves]\n---\n\nThe {} valve is opened by hand.\n"
    for name, status in (("one", "Active"), ("two", "done")):
        (place.folder / f"{name}.md").write_text(page.format(status, name))
    await place.add()
    async with connected(place.app.services) as client:
        assert await _hits(client, ["status=active"]) == ["one.md"]
        assert await _hits(client, ["status=active", "STATUS=Done"]) == ["one.md", "two.md"]
        assert await _hits(client, ["status=done", "topics=valves", "owner=ada byron"]) == ["two.md"]
        moment = datetime.now(UTC).isoformat()
        (place.folder / "one.md").write_text(page.format("done", "one"))
        await place.sync()
        assert await _hits(client, ["status=done"]) == ["one.md", "two.md"]
        assert await _hits(client, ["status=active"], as_of=moment) == ["one.md"]
        assert await _hits(client, ["status=done"], as_of=moment) == ["two.md"]
        refused = await client.call_tool("kb_search", {"query": "valve", "filters": {"properties": ["topics=valvs"]}})
        assert refused.is_error
        assert "topics=valves" in str(refused.content)
        malformed = await client.call_tool("kb_search", {"query": "valve", "filters": {"properties": ["status"]}})
        assert malformed.is_error
        assert "status=done" in str(malformed.content)
    run = CommandContext(open_app, json=True, quiet=True)
    typed = TypedSearch("Which valve is opened by hand?", 5, 2, 0.0, limits=LimitOptions(where=["status=done"]))
    capsys.readouterr()
    assert await search_command(run, place.app, typed, why=False) == 0
    shown = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert {hit["citation"]["document_id"] for hit in shown["results"]} == {"one.md", "two.md"}
    with pytest.raises(InvalidArgument, match="--where"):
        TypedSearch("valve", 5, 2, 0.0, limits=LimitOptions(where=["status"])).request(place.app)


async def _hits(client: Client, properties: list[str], **state: str) -> list[str]:
    arguments = {"filters": {"properties": properties}, "options": {"min_score": 0}, "read_context": state}
    found = await asked(client, "kb_search", query="Which valve is opened by hand?", **arguments)
    return sorted({hit["citation"]["document_id"] for hit in found["results"]})


@pytest.mark.requirement("wikilinks-are-edges")
async def test_wikilinks_lead_to_their_notes_and_missing_ones_are_listed(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place.folder, 0)
    await place.add()
    rows = await place.app.stores.database.read_sql(
        "SELECT d.native_id AS page, x.to_native_id AS target FROM relationship x JOIN document d "
        "ON d.source_id = x.source_id AND d.document_id = x.page_id WHERE x.type = 'links_to'"
    )
    edges = {(row["page"], row["target"]) for row in rows}
    works = "Projects/Harrow Tidal Works.md"
    assert edges >= {
        ("People/Wilhelmina Aldous.md", works),
        ("People/Ibrahim Okonjo.md", "Places/Saltmarsh.md"),
        ("People/Tomas Brannigan.md", "People/Wilhelmina Aldous.md"),
        ("Projects/Copper Kestrel.md", f"{works}#^flood-level"),
        ("Projects/Copper Kestrel.md", f"{works}#permits"),
        ("Daily/2025-03-14.md", "Machines/Bandsaw.md"),
        ("Daily/2025-03-14.md", "No such note.md"),
        ("Org/Beekeeping.org", "People/Ibrahim Okonjo.md"),
        ("Boards/Kitchen.canvas", "Recipes/Rowan jelly.md"),
    }
    assert await _broken(place, capsys) == [("Daily/2025-03-14.md", "No such note.md")]
    (place.folder / "Ideas" / "no such note.md").write_text("Now there is one.\n")
    await place.sync()
    assert await _broken(place, capsys) == []


async def _broken(place: Place, capsys: pytest.CaptureFixture[str]) -> list[tuple[str, str]]:
    capsys.readouterr()
    assert await list_problems(CommandContext(open_app, json=True, quiet=True), place.app, ["docs"], 100) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])["sources"][0]
    return [(link["native_id"], link["target"]) for link in found["broken_links"]]


@pytest.mark.requirement("noise-is-not-text")
async def test_embedded_data_is_in_no_passage_and_comes_first_for_no_question(place: Place) -> None:
    (place.folder / "picture.md").write_bytes(DATA_URI.read_bytes())
    await place.add()
    rows = await place.app.stores.database.read_sql("SELECT text, start_line, end_line FROM chunk")
    assert 2 <= len(rows) <= 3
    assert all(len(row["text"]) < 200 for row in rows)
    async with connected(place.app.services) as client:
        found = await asked(client, "kb_search", query="picture", options={"min_score": 0})
        assert found["results"]
        assert not re.search(r"[A-Za-z0-9+/]{40}", json.dumps([hit["preview"] for hit in found["results"]]))
        evidence = await asked(client, "kb_retrieve_evidence", question="How many dippers were counted?")
        quote = next(each for each in evidence["quotes"] if "23" in each["quote"])
        assert quote["citation"]["anchor"]["lines"] == {"start": 7, "end": 7}


@pytest.mark.requirement("tags-are-in-no-answer")
async def test_no_answer_contains_a_tag_of_its_page(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    page = (
        '# Pump\n\n<a id="size" class="tsd-kind-property" title="a > b">The size</a> of the pump is\n<span\n'
        '  class="tsd-kind-property"\n>seven</span> metres.\n\n| name | size |\n|---|---|\n'
        '| pump | <code class="tsd-kind-property">7 m</code> |\n\n<Card title="Pump care" class="tsd-kind-property">\n'
        "Oil the pump weekly.\n</Card>\n"
    )
    (place.folder / "pump.mdx").write_text(page)
    await place.add()
    async with connected(place.app.services) as client:
        evidence = await asked(client, "kb_retrieve_evidence", question="What is the size of the pump?")
        found = await asked(client, "kb_search", query="size of the pump", options={"min_score": 0})
        handle = found["results"][0]["passage_id"]
        read = await asked(client, "kb_read_excerpt", passage_id=handle)
        wider = await asked(client, "kb_expand_excerpt", passage_id=handle)
        shown = json.dumps([evidence, found, read, wider])
        assert "seven" in shown
        assert "tsd-kind" not in shown
        assert "<Card" not in shown
        for quote in evidence["quotes"]:
            checked = await asked(client, "kb_verify_quote", citation=quote["citation"], quote=quote["quote"])
            assert checked["holds"] == "exact", quote


def test_a_vault_has_as_many_notes_as_are_asked_for() -> None:
    assert len(notes()) == 300


@pytest.mark.requirement("notes-open-in-their-app", "templates-are-left-out", "daily-notes-have-their-day")
async def test_a_vault_is_read_as_its_app_shows_it(place: Place) -> None:
    settings = place.folder / ".obsidian"
    settings.mkdir()
    (settings / "templates.json").write_text('{"folder": "Templates"}')
    for folder in ("Templates", "Cellar"):
        (place.folder / folder).mkdir()
        (place.folder / folder / "wine.md").write_text(f"# Wine in the {folder.lower()}\n\nTasting notes of wine.\n")
    for day in ("2026-03-01", "2026-03-02"):
        (place.folder / f"{day}.md").write_text(
            f"A bottle of wine was drunk on {'Monday' if day > '2026-03-01' else 'Sunday'}.\n"
        )
    await place.add()
    place.app.clock = lambda: datetime(2026, 3, 2, 12, tzinfo=UTC)
    async with connected(place.app.services) as client:
        found = await asked(client, "kb_search", query="wine", options={"min_score": 0})
        addresses = {
            hit["citation"]["document_id"].partition("#")[0]: hit["citation"]["url"] for hit in found["results"]
        }
        name = place.folder.name
        assert addresses["Cellar/wine.md"] == f"obsidian://open?vault={name}&file=Cellar%2Fwine"
        assert "Templates/wine.md" not in addresses
        found = await asked(client, "kb_search", query="Which bottle of wine was drunk yesterday?")
        assert found["results"][0]["citation"]["document_id"] == "2026-03-01.md"


@pytest.mark.requirement("notes-open-in-their-app")
async def test_the_terminal_prints_the_file_of_a_note_and_what_opens_it_in_its_app(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    (place.folder / ".obsidian").mkdir()
    (place.folder / "2026-03-01.md").write_text("A bottle of wine was drunk on Sunday.\n")
    await place.add()
    asked_for = TypedSearch("Which wine was drunk?", top_k=5, max_per_doc=2, min_score=0)
    run = CommandContext(open_app, json=False, quiet=True)
    capsys.readouterr()
    for command in (
        search_command(run, place.app, asked_for, why=False),
        evidence_command(run, place.app, asked_for, EvidenceLimits()),
    ):
        assert await command == 0
        shown = capsys.readouterr().out
        assert shown.count(str(place.folder / "2026-03-01.md")) == 1
        assert shown.count(f"obsidian://open?vault={place.folder.name}&file=2026-03-01") == 1
