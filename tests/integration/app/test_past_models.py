"""Models whose elements were renamed, read as they were: whatever names a neighbour names it as of then."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, cast

import pytest
from mcp import Client
from tests.support.git_repositories import TestRepository
from tests.support.groups import groups
from tests.support.model_files import E, R, sketch
from tests.unit.tools.clients import connected, text_of

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.features.graph.services.keys import IMPACT
from citemark.features.graph.services.requests import ImpactRequest
from citemark.model.sources import NewSource, Source
from citemark.services.history_keys import BASELINES, REPOSITORY_BASELINES
from citemark.services.requests import Caller
from citemark.settings import Settings
from citemark.tools.schemas_in import ReadContextIn

ALL = groups(capabilities=("architecture",), graph=True, past=True)

NAMES = ("Billing Engine", "Invoicing Hall", "Dunning Desk")
"""What the neighbour is called, one after the other; the last is its name at HEAD."""

VIEW = """<element xsi:type="archimate:ArchimateDiagramModel" id="v" name="Overview">
<child xsi:type="archimate:DiagramObject" id="n1" archimateElement="ledger"><bounds x="1" y="1" width="9" height="9"/>
<sourceConnection xsi:type="archimate:Connection" id="c" source="n1" target="n2" archimateRelationship="serving"/>
</child><child xsi:type="archimate:DiagramObject" id="n2" archimateElement="hub">
<bounds x="20" y="1" width="9" height="9"/></child></element>"""


def model(name: str) -> str:
    """The Ledger serves what is called so, directly and through a junction; its capability is called after it too."""
    elements = [
        E("hub", name=name),
        E("ledger", name="Ledger", documentation="Kept by hand."),
        E("till", name="Till"),
        E("cap", "Capability", f"{name} capability"),
        E("j", "Junction", ""),
    ]
    remark = f"<documentation>What the {name} must know.</documentation>"
    relationships = [
        R("Serving", "ledger", "hub", "serving", inside=remark),
        R("Flow", "ledger", "j", "to"),
        R("Flow", "j", "hub", "from"),
        R("Realization", "ledger", "cap", "realizing"),
        R("Triggering", "hub", "till", "triggering"),
    ]
    return sketch(elements, relationships, VIEW).archi().decode()


def page(name: str) -> str:
    return f"# Closing\n\nAt the end of a month the {name} closes the books.\n"


@pytest.fixture
async def app(dsn: str) -> AsyncGenerator[App, None]:
    async with open_app(Settings(database_url=dsn, verify_cache=0)) as opened:  # pyright: ignore[reportArgumentType]
        yield opened


async def added(app: App, folder: Path) -> list[Source]:
    docs = NewSource("docs", "docs", {"root": str(folder / "docs")})
    house = NewSource("house", "archimate", {"path": str(folder / "house.archimate")})
    return [await app.stores.sources.add(each) for each in (docs, house)]


def asking(passage_id: str) -> dict[str, dict[str, Any]]:
    """A call of each tool that shows the neighbour beside something else, or what names it."""
    return {
        "kb_search": {"query": "what does the Ledger serve", "options": {"min_score": 0}},
        "kb_retrieve_evidence": {"question": "what does the Ledger serve"},
        "kb_read_excerpt": {"passage_id": passage_id},
        "kb_extract_evidence": {"question": "what does the Ledger serve", "passage_ids": [passage_id]},
        "architecture_getElement": {"element": "ledger", "include_relationships": True},
        "architecture_listElements": {},
        "architecture_listRelationships": {"element": "ledger"},
        "architecture_semanticSearch": {"query": "what does the Ledger serve", "min_score": 0},
        "architecture_searchElements": {"query": "Ledger"},
        "architecture_getContext": {"query": "what does the Ledger serve"},
        "architecture_getView": {"view": "v"},
        "graph_expand": {"node_ids": ["house:element:ledger"], "include_snippet": True, "max_hops": 2},
        "graph_paths": {"from_ids": ["house:element:ledger"], "to_ids": ["house:element:till"]},
        "graph_parents": {"node_ids": ["docs:section:closing.md#closing"], "include_snippet": True},
        "graph_children": {"node_ids": ["docs:page:closing.md"], "include_snippet": True},
        "graph_sections_for_entities": {"entity_ids": ["house:element:hub"], "include_snippet": True},
    }


async def told(client: Client, name: str, arguments: dict[str, Any], context: dict[str, str]) -> str:
    """All that a tool says of a state, to programs and to people."""
    given = arguments if "passage" in str(arguments) else {**arguments, "read_context": context}
    result = await client.call_tool(name, given)
    assert not result.is_error, (name, text_of(result))
    return json.dumps(result.structured_content) + text_of(result)


async def names_told(client: Client, context: dict[str, str]) -> dict[str, set[str]]:
    """Which names of the neighbour each tool shows in a state."""
    question = {"query": "what does the Ledger serve", "read_context": context}
    found = (await client.call_tool("kb_search", question)).structured_content["results"]
    ledger = next(each for each in found if each["citation"]["document_id"] == "ledger")
    said = {
        tool: await told(client, tool, arguments, context) for tool, arguments in asking(ledger["passage_id"]).items()
    }
    return {tool: {name for name in NAMES if name in text} for tool, text in said.items()}


def sides(found: Any, side: str) -> list[Any]:
    """What stands under "before" or "after", anywhere in the result of a comparison."""
    if isinstance(found, dict):
        fields = cast("dict[str, Any]", found)
        here = [fields[side]] if side in fields else []
        return [*here, *(each for key, value in fields.items() if key != side for each in sides(value, side))]
    return (
        [each for value in cast("list[Any]", found) for each in sides(value, side)] if isinstance(found, list) else []
    )


@pytest.mark.requirement("past-text-shows-no-later-name")
async def test_every_tool_shows_a_neighbour_by_its_name_of_then_and_by_no_later_one(app: App, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    sources = await added(app, tmp_path)
    states: list[tuple[str, dict[str, str]]] = []
    for number, name in enumerate(NAMES, start=1):
        (tmp_path / "house.archimate").write_text(model(name), "utf-8")
        (tmp_path / "docs" / "closing.md").write_text(page(name), "utf-8")
        await app.sync({each.source_id: each for each in sources})
        made = await app.services.get(BASELINES).create(f"release {number}")
        by_moment = number % 2
        states.append((name, {"as_of": made.as_of.isoformat()} if by_moment else {"baseline_id": made.baseline.name}))
    async with connected(app.services, families=ALL) as client:
        for name, context in (*states, (NAMES[-1], {})):
            shown = await names_told(client, context)
            assert shown == {tool: {name} for tool in shown}
        for tool in ("kb_diff", "architecture_diffBaselines"):
            result = await client.call_tool(tool, {"from": "release 1", "to": "release 2"})
            for side, name in (("before", NAMES[0]), ("after", NAMES[1])):
                said = json.dumps(sides(result.structured_content, side))
                assert {each for each in NAMES if each in said} == {name}
    for name, context in states:
        impact = await app.services.get(IMPACT).of(
            Caller.local(), ImpactRequest("ledger", read_context=ReadContextIn.model_validate(context).value())
        )
        assert {each for each in NAMES if each in repr(impact)} == {name}


@pytest.mark.requirement("past-text-shows-no-later-name")
async def test_a_tag_shows_the_names_that_the_model_had_at_its_commit(app: App, tmp_path: Path) -> None:
    repository = TestRepository(tmp_path)
    for number, name in enumerate(NAMES, start=1):
        repository.commit({"house.archimate": model(name), "docs/closing.md": page(name)}, f"v{number}")
    sources = await added(app, tmp_path)
    await app.sync({each.source_id: each for each in sources})
    await app.services.get(REPOSITORY_BASELINES).create("local", ("v1", "v2"), sources)
    async with connected(app.services, families=ALL) as client:
        for number, name in enumerate(NAMES[:2], start=1):
            shown = await names_told(client, {"baseline_id": f"git:v{number}"})
            assert shown.pop("graph_sections_for_entities") == set(), "states of a repository's past have no mentions"
            assert shown == {tool: {name} for tool in shown}
