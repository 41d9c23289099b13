"""Questions about the present that name it: read_context is accepted where nothing was recorded since."""

from typing import Any

import pytest
from mcp import Client
from tests.integration.retrieval.world import World
from tests.support.models import model_source
from tests.unit.tools.clients import code_of, connected, text_of

from citemark.tools.index_contents import ToolGroups

PAGES = {"axle.md": "# The axle\nGrease the axle twice a year.\n", "bolt.md": "# The bolt\nTighten the bolt.\n"}
MODELS = ToolGroups(capabilities=("architecture",))
LATER = "come with history, in a later version"


async def passage(client: Client) -> tuple[str, str]:
    """A passage, and the moment as of which it was found."""
    found = (await client.call_tool("kb_search", {"query": "grease the axle"})).structured_content
    return found["results"][0]["passage_id"], found["read_context"]["as_of"]


def asking_all(passage_id: str) -> dict[str, dict[str, Any]]:
    """A call of each tool that reads documents or models."""
    return {
        "kb_search": {"query": "grease the axle"},
        "kb_retrieve_evidence": {"question": "grease the axle"},
        "kb_read_excerpt": {"passage_id": passage_id},
        "kb_expand_excerpt": {"passage_id": passage_id},
        "kb_extract_evidence": {"question": "grease the axle", "passage_ids": [passage_id]},
        "architecture_semanticSearch": {"query": "claims"},
        "architecture_getContext": {"query": "claims"},
        "architecture_getElement": {"element": "e2"},
        "architecture_listRelationships": {},
        "architecture_searchElements": {"query": "portal"},
        "architecture_listElements": {},
        "architecture_getView": {},
    }


@pytest.mark.requirement("i7-5-read-context", "tools-read-context")
async def test_no_tool_lists_a_read_context_and_all_take_one_that_means_the_present(world: World) -> None:
    await world.source("docs", PAGES)
    await model_source(world)
    async with connected(world.services, families=MODELS) as client:
        for tool in (await client.list_tools()).tools:
            assert "read_context" not in tool.input_schema["properties"]
        passage_id, as_of = await passage(client)
        for name, arguments in asking_all(passage_id).items():
            for context in (None, {}, {"as_of": as_of}, {"baseline_id": None, "as_of": as_of}):
                result = await client.call_tool(name, {**arguments, "read_context": context})
                assert not result.is_error, (name, context, text_of(result))
                if context and "passage" not in str(arguments):
                    assert result.structured_content["read_context"]["as_of"] == as_of, name


@pytest.mark.requirement("i7-5-read-context", "tools-passage-pins")
async def test_a_state_that_is_past_is_refused_by_every_tool_with_the_word_that_it_comes_later(world: World) -> None:
    source = await world.source("docs", PAGES)
    model = await model_source(world)
    async with connected(world.services, families=MODELS) as client:
        _, as_of = await passage(client)
        await world.write(source, {"axle.md": "# The axle\nGrease the axle three times a year.\n"})
        await world.index.rows("UPDATE chunk SET valid_from = clock_timestamp() WHERE source_id = %s", model.source_id)
        passage_id, _ = await passage(client)
        for name, arguments in asking_all(passage_id).items():
            for context in ({"as_of": as_of}, {"as_of": "2020-01-01T00:00:00Z"}, {"baseline_id": "git:v1"}):
                result = await client.call_tool(name, {**arguments, "read_context": context})
                assert code_of(result) == "INVALID_ARGUMENT", (name, context)
                assert LATER in text_of(result).replace("they come", "come")


@pytest.mark.requirement("i7-5-read-context")
@pytest.mark.parametrize("change", ["added", "changed", "removed"])
async def test_what_happens_in_other_sources_does_not_make_a_moment_past(world: World, change: str) -> None:
    asked = await world.source("docs", PAGES, tags=("machines",))
    other = await world.source("guides", PAGES, tags=("books",))
    call: dict[str, Any] = {"query": "grease the axle", "scope": {"doc_tags": ["machines"]}}
    async with connected(world.services) as client:
        _, as_of = await passage(client)
        for source, refused in ((other, False), (asked, True)):
            if change == "removed":
                await world.index.drop(source, "bolt.md")
            else:
                name = "gear.md" if change == "added" else "bolt.md"
                await world.write(source, {name: "# Another\nOil the gear.\n"})
            result = await client.call_tool("kb_search", {**call, "read_context": {"as_of": as_of}})
            assert result.is_error is refused, source.name


@pytest.mark.requirement("i7-5-hybrid-local")
async def test_hybrid_local_says_that_there_is_no_graph_yet(world: World) -> None:
    await world.source("docs", PAGES)
    async with connected(world.services) as client:
        for mode in ("auto", "vector_only", "hybrid_local"):
            result = await client.call_tool("kb_search", {"query": "grease the axle", "options": {"mode": mode}})
            said = [note for note in result.structured_content.get("notes", []) if "no graph yet" in note]
            assert bool(said) is (mode == "hybrid_local")
            assert ("no graph yet" in text_of(result)) is (mode == "hybrid_local")
