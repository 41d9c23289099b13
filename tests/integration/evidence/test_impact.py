"""What a change of an element touches: what depends on it by the meaning of relationships, and what mentions that."""

import json
from dataclasses import replace
from typing import Any, cast

import pytest
from mcp_types import TextContent
from tests.integration.evidence.graph_client import GRAPH, docs_and_model
from tests.integration.retrieval.world import CALLER, World
from tests.support.groups import groups
from tests.support.models import ELEMENTS, LINKS, Link, model_source
from tests.unit.tools.clients import connected

from citemark.app.open_index import open_app
from citemark.cli.command_context import CommandContext
from citemark.features.archimate.source.vocabulary import VERBS
from citemark.features.graph.commands.impact_command import ImpactRequested, impact_command
from citemark.features.graph.services.impact import PROPAGATION, Impact, Propagation
from citemark.features.graph.services.keys import IMPACT
from citemark.features.graph.services.requests import ImpactRequest
from citemark.model.documents import Verdict
from citemark.model.errors import InvalidArgument
from citemark.model.ids import SessionId
from citemark.model.scope import READ, Principal
from citemark.services.app_context import AppContext
from citemark.services.requests import Caller

pytestmark = pytest.mark.requirement("impact-of-an-element")

PORTAL = "docs:section:guides/portal.md#claims"


async def impact(world: World, wanted: str, **fields: Any) -> Impact:
    return await world.services.get(IMPACT).of(CALLER, ImpactRequest(wanted, **fields))


def dependents(found: Impact) -> dict[str, list[str]]:
    """What depends on the element, each with the types of the edges that lead there."""
    return {each.card.title: [edge.edge.type for edge in each.path] for each in found.dependents}


async def test_dependents_of_an_element_and_texts_that_mention_them_are_named(world: World) -> None:
    await docs_and_model(world)
    found = await impact(world, "mainframe")
    assert dependents(found) == {"CRM System": ["Serving"], "Web portal": ["Serving", "Access"]}
    (mention,) = found.mentions
    assert (mention.card.node_id, mention.edge.edge.type, mention.of.title) == (PORTAL, "mentions", "Web portal")
    assert mention.edge.citation.document_id == "guides/portal.md#claims"
    assert found.dependents[1].path[1].citation.document_id == "e1"


@pytest.mark.parametrize(
    ("type_", "start", "touched"),
    [
        ("Serving", "e5", True),
        ("Serving", "e2", False),
        ("Access", "e5", False),
        ("Access", "e2", True),
        ("Composition", "e2", True),
        ("Specialization", "e2", True),
        ("Triggering", "e5", True),
        ("Influence", "e5", True),
        ("Association", "e2", True),
        ("Association", "e5", True),
    ],
)
async def test_each_type_of_relationship_hands_a_change_on_to_who_needs_whom(
    world: World, type_: str, start: str, *, touched: bool
) -> None:
    end = "e2" if start == "e5" else "e5"
    await model_source(world, links={"r": Link(type_, start, end, {})}, embedded=False)
    assert list(dependents(await impact(world, "Mainframe"))) == (["CRM System"] if touched else [])


def test_every_type_of_relationship_has_a_direction() -> None:
    assert set(PROPAGATION) == set(VERBS)


async def test_an_association_is_followed_from_what_changes_and_no_further(world: World) -> None:
    links = {"a": Link("Association", "e5", "e2", {}), "b": Link("Association", "e2", "e1", {})}
    await model_source(world, links=links, embedded=False)
    assert list(dependents(await impact(world, "Mainframe"))) == ["CRM System"]


async def test_elements_that_depend_on_each_other_are_named_once(world: World) -> None:
    links = {**LINKS, "back": Link("Serving", "e1", "e5", {})}
    await model_source(world, links=links, embedded=False)
    assert set(dependents(await impact(world, "e5"))) == {"CRM System", "Web portal"}


async def test_nothing_is_reached_over_what_its_source_does_not_have_any_more(world: World) -> None:
    _, model = await docs_and_model(world)
    world.memory[model.source_id].verdicts["e2"] = Verdict.GONE
    found = await impact(world, "mainframe")
    assert (found.dependents, found.mentions) == ((), ())


async def test_another_person_learns_nothing(world: World) -> None:
    _, model = await docs_and_model(world)
    await world.index.rows("UPDATE source_grant SET grantee = 'user:owner' WHERE source_id = %s", model.source_id)
    stranger = Caller(Principal("local", "guest", frozenset({READ})), SessionId("s_guest"))
    for wanted in ("mainframe", "no such thing", "insurance:element:e5", "insurance:element:e55"):
        with pytest.raises(InvalidArgument) as refused:
            await world.services.get(IMPACT).of(stranger, ImpactRequest(wanted))
        assert "Mainframe" not in refused.value.message
        assert not refused.value.details.get("nearest")


async def test_the_command_prints_paths_and_citations(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    await docs_and_model(world)
    app = cast("AppContext", world)
    asked = ImpactRequested("Mainframe", None, 3)
    assert await impact_command(CommandContext(open_app), app, asked) == 0
    text = capsys.readouterr().out
    for said in (
        "Depends on it (2)",
        "Mentioned in:",
        "<--Serving-- Mainframe",
        "--Access--> CRM System",
        "mentions Web portal",
        "guides/portal.md#claims",
    ):
        assert said in text
    await impact_command(CommandContext(open_app, json=True), app, asked)
    found = json.loads(capsys.readouterr().out)
    assert [(each["title"], each["hops"]) for each in found["dependents"]] == [("CRM System", 1), ("Web portal", 2)]
    assert found["mentions"][0]["edge"]["citation"]["document_id"] == "guides/portal.md#claims"
    ends = [(edge["from_id"], edge["to_id"]) for edge in found["dependents"][0]["path"]]
    assert ends == [("insurance:element:e5", "insurance:element:e2")]
    with pytest.raises(InvalidArgument):
        await impact_command(CommandContext(open_app), app, ImpactRequested("Nothing called so", None, 3))


@pytest.mark.requirement("impact-is-one-call")
async def test_one_call_over_mcp_tells_what_a_change_touches_over_how_many_hops_and_where_that_is_stated(
    world: World,
) -> None:
    await docs_and_model(world)
    async with connected(world.services, families=GRAPH) as client:
        result = await client.call_tool("graph_impact", {"changed": "mainframe", "read_context": None, "scope": {}})
        assert not result.is_error
        found = cast("dict[str, Any]", result.structured_content)
        assert [(each["title"], each["hops"]) for each in found["dependents"]] == [("CRM System", 1), ("Web portal", 2)]
        assert [(each["title"], each["of"]) for each in found["mentions"]] == [
            ("Portal guide > Claims", "insurance:element:e1")
        ]
        assert found["mentions"][0]["edge"]["citation"]["document_id"] == "guides/portal.md#claims"
        assert isinstance(result.content[0], TextContent)
        text = result.content[0].text
        for said in (
            "1. Mainframe",
            "Depends on it (2 of 2):",
            "Mentioned or shown by (1 of 1):",
            "-Serving->",
            "guides/portal.md",
        ):
            assert said in text
        alone = await client.call_tool("graph_impact", {"changed": "insurance:element:e1"})
        assert isinstance(alone.content[0], TextContent)
        assert "Nothing depends on it" in alone.content[0].text
        assert ", as far as the models say." in alone.content[0].text
        page = await client.call_tool("graph_impact", {"changed": "docs:docs_page:guides/portal.md"})
        assert isinstance(page.content[0], TextContent)
        assert "What depends on it is not known: only models state that" in page.content[0].text
        assert "as far as the models say" not in page.content[0].text
        unknown = await client.call_tool("graph_impact", {"changed": "no such thing"})
        assert unknown.is_error


async def test_a_passage_of_a_search_stands_for_what_changes(world: World) -> None:
    await docs_and_model(world)
    async with connected(world.services, families=GRAPH) as client:
        hits = cast(
            "dict[str, Any]",
            (await client.call_tool("kb_search", {"query": "what happens to a claim"})).structured_content,
        )
        passage = next(hit["passage_id"] for hit in hits["results"] if "steps" in hit["citation"]["document_id"])
        found = cast(
            "dict[str, Any]", (await client.call_tool("graph_impact", {"changed": passage})).structured_content
        )
        assert found["changed"]["title"] == "Steps"


async def test_an_impact_that_does_not_fit_a_result_is_cut_and_says_so(world: World) -> None:
    more = {f"x{n}": replace(ELEMENTS["e5"], name=f"Dependent {n} {'long ' * 60}") for n in range(40)}
    after = {"x0": "e5", "x1": "x0"}  # all others are three steps away, each with the edges that lead there
    links = {f"r{x}": Link("Serving", after.get(x, "x1"), x, {"note": "n" * 40}) for x in more}
    await model_source(world, elements={**ELEMENTS, **more}, links=links, embedded=False)
    async with connected(world.services, families=GRAPH) as client:
        result = await client.call_tool("graph_impact", {"changed": "mainframe"})
        found = cast("dict[str, Any]", result.structured_content)
        assert 0 < len(found["dependents"]) < 40
        assert (found["partial"], found["limit_reason"]) == (True, "byte_cap")
        assert found["usage"]["bytes_returned"] <= 48 * 1024


@pytest.mark.requirement("tools-prompt-impact")
async def test_the_prompt_about_impact_is_there_with_the_graph_and_a_model(world: World) -> None:
    for families in (groups(), groups(graph=True), groups(capabilities=("architecture",))):
        async with connected(world.services, families=families) as client:
            assert "impact_of_change" not in [each.name for each in (await client.list_prompts()).prompts]
    async with connected(world.services, families=groups(graph=True, capabilities=("architecture",))) as client:
        filled = await client.get_prompt("impact_of_change", {"element": "Main\nframe"})
    assert isinstance(filled.messages[0].content, TextContent)
    text = filled.messages[0].content.text
    assert text.endswith("Element: Main␊frame")
    assert "graph_expand" in text
    steps = text.partition("direction outgoing")[2].partition("Do the same")[0].partition("direction incoming")
    for direction, said in ((Propagation.FORWARD, steps[0]), (Propagation.BACKWARD, steps[2])):
        named = {type_ for type_ in VERBS if type_ in said}
        assert named == {type_ for type_, each in PROPAGATION.items() if each is direction}
