"""The tools under the names of an older server: its parameters and defaults, and the same services behind them."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from tests.integration.evidence.graph_client import CLAIMS, GRAPH, PAGE, PORTAL, docs_and_model, entity, write
from tests.integration.retrieval.world import World
from tests.support.groups import groups, tools_of
from tests.unit.tools.clients import connected, text_of

from citemark.features.graph.tools.legacy import LEGACY_TOOLS
from citemark.model.documents import Verdict
from citemark.model.graph import USES_CODE
from citemark.settings import Settings

NAMES = {
    "search_sections",
    "get_section_text",
    "describe_nodes",
    "expand_neighbors",
    "get_paths_between",
    "list_children",
    "list_parents",
    "get_entities_for_sections",
    "get_sections_for_entities",
}
PORTAL_ELEMENT = "insurance:element:e1"
GONE = "docs:page:gone.md"


@asynccontextmanager
async def asking(world: World) -> AsyncGenerator[Client]:
    async with connected(world.services, families=GRAPH, legacy_tools=True) as client:
        yield client


async def call(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result
    return result.structured_content


@pytest.mark.requirement("legacy-family-off-by-default", "nine-older-graph-names")
async def test_legacy_tools_are_offered_only_if_enabled(world: World) -> None:
    assert {tool.name for tool in LEGACY_TOOLS} == NAMES
    assert not NAMES & {tool.name for tool in tools_of(GRAPH, Settings())}
    await docs_and_model(world)
    async with connected(world.services, families=GRAPH) as client:
        assert not NAMES & {tool.name for tool in (await client.list_tools()).tools}
        with pytest.raises(MCPError, match="Unknown tool"):
            await client.call_tool("search_sections", {"query": "claims"})
    async with connected(world.services, families=GRAPH, legacy_tools=True, kb_v2_enabled=False) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} >= NAMES


@pytest.mark.requirement("legacy-tools-keep-parameters")
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        (
            "search_sections",
            {"query": None, "top_k": 20, "filters": None, "cursor": None, "page_size": 25, "session_id": None},
        ),
        ("get_section_text", {"section_ids": None, "max_bytes_per": 8192, "session_id": None}),
        ("describe_nodes", {"node_ids": None, "fields": None}),
        (
            "expand_neighbors",
            {
                "node_ids": None,
                "rel_types": None,
                "direction": "both",
                "max_hops": 1,
                "include_snippet": False,
                "cursor": None,
                "page_size": 25,
            },
        ),
        (
            "get_paths_between",
            {"a_ids": None, "b_ids": None, "rel_types": None, "max_hops": 3, "max_paths": 10, "cursor": None},
        ),
        ("list_children", {"parent_id": None, "cursor": None, "page_size": 50}),
        ("list_parents", {"section_ids": None}),
        ("get_entities_for_sections", {"section_ids": None, "labels": None, "max_per_section": 20}),
        ("get_sections_for_entities", {"entity_ids": None, "max_per": 20}),
    ],
)
def test_parameters_and_defaults_are_those_of_the_older_tools(name: str, parameters: dict[str, Any]) -> None:
    (tool,) = [tool for tool in LEGACY_TOOLS if tool.name == name]
    fields = tool.takes.model_fields
    assert set(fields) == set(parameters)
    for parameter, default in parameters.items():
        if default is not None:
            assert fields[parameter].default == default, parameter


@pytest.mark.requirement("legacy-calls-share-the-pipeline", "legacy-results-keep-their-shape")
async def test_sections_are_found_by_the_same_search_and_read_whole(world: World) -> None:
    await docs_and_model(world)
    async with asking(world) as client:
        found = await call(client, "search_sections", query="the web portal takes claims")
        same = await call(client, "kb_search", query="the web portal takes claims", top_k=20, page_size=20)
        assert [row["passage_id"] for row in found["results"]]
        assert [row["title"] for row in found["results"]] == [row["title"] for row in same["results"]]
        first = next(row for row in found["results"] if row["section_id"] == CLAIMS)
        assert {"section_id", "title", "tokens", "doc_tag", "score", "rank", "source", "fusion_method"} <= set(first)
        assert {"session_id", "partial", "limit_reason"} <= set(found)
        assert found["meta"]["usage"]["bytes_returned"] > 0
        read = await call(client, "get_section_text", section_ids=[CLAIMS, GONE])
        (row,) = read["results"]
        assert row["text"] == PORTAL[PORTAL.index("## Claims") :]
        assert (row["truncated"], read["unknown_ids"], row["citation"]["document_id"]) == (
            False,
            [GONE],
            "guides/portal.md#claims",
        )
        cut = await call(client, "get_section_text", section_ids=CLAIMS, max_bytes_per=9)
        assert (cut["results"][0]["text"], cut["results"][0]["truncated"], cut["partial"]) == ("## Claims", True, True)


@pytest.mark.requirement("legacy-calls-share-the-pipeline", "nine-older-graph-names")
async def test_nodes_are_walked_by_the_same_graph_and_unknown_ids_are_reported(world: World) -> None:
    await docs_and_model(world)
    async with asking(world) as client:
        described = await call(client, "describe_nodes", node_ids=[PORTAL_ELEMENT, GONE], fields=["title"])
        assert described["nodes"] == [{"node_id": PORTAL_ELEMENT, "title": "Web portal"}]
        assert described["unknown_ids"] == [GONE]
        around = await call(client, "expand_neighbors", node_ids=[CLAIMS, GONE])
        same = await call(client, "graph_expand", node_ids=[CLAIMS])
        assert (around["nodes"], around["edges"], around["unknown_ids"]) == (same["nodes"], same["edges"], [GONE])
        paths = await call(client, "get_paths_between", a_ids=[CLAIMS], b_ids=["insurance:element:e2", GONE])
        assert [CLAIMS, PORTAL_ELEMENT, "insurance:element:e2"] in paths["paths"]
        assert paths["unknown_ids"] == [GONE]
        children = await call(client, "list_children", parent_id=PAGE)
        assert "docs:section:guides/portal.md#portal-guide" in [node["node_id"] for node in children["nodes"]]
        parents = await call(client, "list_parents", section_ids=[CLAIMS])
        assert PAGE in [node["node_id"] for node in parents["nodes"]]
        entities = await call(client, "get_entities_for_sections", section_ids=[CLAIMS], labels=["code"])
        assert ":code:kb_search" in [node["node_id"] for node in entities["nodes"]]
        sections = await call(client, "get_sections_for_entities", entity_ids=[PORTAL_ELEMENT, GONE])
        assert CLAIMS in [node["node_id"] for node in sections["nodes"]]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("get_section_text", {"section_ids": [GONE]}),
        ("describe_nodes", {"node_ids": [GONE]}),
        ("expand_neighbors", {"node_ids": [GONE]}),
        ("get_paths_between", {"a_ids": [GONE], "b_ids": [PAGE]}),
        ("list_children", {"parent_id": GONE}),
        ("list_parents", {"section_ids": [GONE]}),
        ("get_entities_for_sections", {"section_ids": [GONE]}),
        ("get_sections_for_entities", {"entity_ids": [GONE]}),
    ],
)
async def test_where_every_id_is_unknown_nothing_is_found_and_nothing_fails(
    world: World, name: str, arguments: dict[str, Any]
) -> None:
    await docs_and_model(world)
    async with asking(world) as client:
        result = await client.call_tool(name, arguments)
    assert result.structured_content["unknown_ids"] == [GONE]
    assert GONE in text_of(result)


@pytest.mark.requirement("legacy-tools-keep-parameters", "over-budget-is-cut-and-said")
async def test_a_tool_without_a_cursor_gives_none_and_lists_the_parents_of_as_many_sections_as_it_takes(
    world: World,
) -> None:
    docs = await world.source("docs", {f"page {number:02}.md": f"# Page {number}\n\nText.\n" for number in range(20)})
    sections = [f"docs:section:page {number:02}.md#page-{number}" for number in range(20)]
    pages = {f"docs:docs_page:page {number:02}.md" for number in range(20)}
    codes = [entity("code", f"name_{number:03}", USES_CODE, "names") for number in range(100)]
    await write(world, docs, "names.md", "# Names\n\nAll of them.\n", *codes)
    async with asking(world) as client:
        parents = await call(client, "list_parents", section_ids=sections)
        assert pages <= {node["node_id"] for node in parents["nodes"]}
        assert (parents["total"], parents["partial"], parents["next_cursor"]) == (20, False, None)
        names = await call(
            client, "get_entities_for_sections", section_ids=["docs:section:names.md#names"], max_per_section=100
        )
        assert names["total"] == 101
        assert 20 < len(names["nodes"]) <= 100
        assert (names["partial"], names["next_cursor"]) == (True, None)
        assert "fewer ids" in names["meta"]["notes"][-1]
    for tool in LEGACY_TOOLS:
        assert ("next_cursor as cursor" in tool.description) is ("cursor" in tool.takes.model_fields), tool.name


async def test_a_text_that_its_source_does_not_vouch_for_is_not_shown(world: World) -> None:
    docs, _ = await docs_and_model(world)
    world.memory[docs.source_id].verdicts["guides/portal.md"] = Verdict.UNKNOWN
    async with asking(world) as client:
        read = await call(client, "get_section_text", section_ids=[CLAIMS])
    assert (read["results"], read["unknown_ids"], read["meta"]["withheld_unverified"]) == ([], [CLAIMS], 1)


async def test_nodes_of_another_person_look_like_missing_ones(world: World) -> None:
    docs, _ = await docs_and_model(world)
    await world.index.rows("UPDATE source_grant SET grantee = 'user:somebody' WHERE source_id = %s", docs.source_id)
    async with asking(world) as client:
        for name, argument in (("get_section_text", "section_ids"), ("describe_nodes", "node_ids")):
            theirs = await call(client, name, **{argument: [CLAIMS]})
            never = await call(client, name, **{argument: ["docs:section:guides/portal.md#never!"]})
            assert theirs["unknown_ids"] == [CLAIMS]
            assert {**theirs, "unknown_ids": 0, "meta": 0} == {**never, "unknown_ids": 0, "meta": 0}


async def test_the_legacy_names_do_not_count_among_the_tools_of_a_list(world: World) -> None:
    await docs_and_model(world)
    families = groups(graph=True)
    async with connected(world.services, families=families, legacy_tools=True) as client:
        listed = {tool.name for tool in (await client.list_tools()).tools}
    assert listed >= NAMES | {"kb_search", "graph_expand"}


@pytest.mark.requirement("note-tells-users-of-old-names")
def test_the_note_tells_a_new_name_for_each_old_one() -> None:
    note = (
        (Path(__file__).parents[3] / "docs" / "tools.md").read_text("utf-8").partition("Coming from an older server")[2]
    )
    rows = [line.split("|") for line in note.splitlines() if line.startswith("| `")]
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row[1])} == NAMES
    new = {name for row in rows for name in re.findall(r"`(\w+)`", row[2])}
    assert new <= {tool.name.replace(".", "_") for tool in tools_of(GRAPH, Settings())}
