"""Every tool reads the state that read_context names, and repeats which one that was."""

from datetime import datetime
from typing import Any

import pytest
from mcp import Client
from tests.integration.retrieval.world import CALLER, World
from tests.support.groups import groups
from tests.support.models import model_source
from tests.unit.tools.clients import code_of, connected, text_of

from citemark.embedding.minilm import MiniLM
from citemark.model.baselines import BaselineSource
from citemark.model.documents import Verdict
from citemark.model.errors import BackendUnavailable
from citemark.model.scope import RequestScope
from citemark.services.requests import CitationRef
from citemark.store.database import Database

PAGES = {"axle.md": "# The axle\nGrease the axle twice a year.\n", "bolt.md": "# The bolt\nTighten the bolt.\n"}
MODELS = groups(capabilities=("architecture",))


def texts_in(found: Any) -> list[str]:
    """Every text of a result that comes from a document, in order."""
    if isinstance(found, dict):
        kept = ("quote", "text", "context", "preview", "name", "element_name")
        here = [value for key, value in found.items() if key in kept and isinstance(value, str)]  # pyright: ignore[reportUnknownVariableType]
        return [*here, *(text for value in found.values() for text in texts_in(value))]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(found, list):
        return [text for value in found for text in texts_in(value)]  # pyright: ignore[reportUnknownVariableType]
    return []


async def told(client: Client, name: str, arguments: dict[str, Any]) -> list[str]:
    return texts_in((await client.call_tool(name, arguments)).structured_content)


async def past_passage(client: Client, context: dict[str, Any]) -> str:
    found = await client.call_tool("kb_search", {"query": "grease the axle", "read_context": context})
    return found.structured_content["results"][0]["passage_id"]


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


@pytest.mark.requirement("every-tool-reads-the-named-state")
async def test_every_tool_that_asks_lists_a_read_context(world: World) -> None:
    async with connected(world.services, families=groups(capabilities=("architecture",))) as client:
        tools = {tool.name: tool.input_schema["properties"] for tool in (await client.list_tools()).tools}
        listed = {name for name, properties in tools.items() if "read_context" in properties}
        assert listed == set(asking_all("p"))
        assert "baseline_id or as_of" in tools["kb_search"]["read_context"]["description"]


@pytest.mark.requirement("read-context-unlisted-but-taken", "tools-read-context")
async def test_all_take_a_read_context_that_means_the_present(world: World) -> None:
    await world.source("docs", PAGES)
    await model_source(world)
    async with connected(world.services, families=MODELS) as client:
        passage_id, as_of = await passage(client)
        for name, arguments in asking_all(passage_id).items():
            for context in (None, {}, {"as_of": as_of}, {"baseline_id": None, "as_of": as_of}):
                result = await client.call_tool(name, {**arguments, "read_context": context})
                assert not result.is_error, (name, context, text_of(result))
                if context and "passage" not in str(arguments):
                    assert result.structured_content["read_context"]["as_of"] == as_of, name


@pytest.mark.requirement(
    "as-of-reads-that-moment",
    "baseline-id-reads-that-baseline",
    "every-tool-reads-the-named-state",
    "tools-read-context",
)
@pytest.mark.parametrize("by_name", [False, True])
async def test_every_tool_shows_the_past_as_it_was(world: World, by_name: bool) -> None:
    source = await world.source("docs", PAGES)
    model = await model_source(world)
    async with connected(world.services, families=MODELS) as client:
        passage_id, as_of = await passage(client)
        before = {name: await told(client, name, arguments) for name, arguments in asking_all(passage_id).items()}
        if by_name:
            sources = [BaselineSource(each.source_id) for each in (source, model)]
            moment = datetime.fromisoformat(as_of)
            await world.index.stores.baselines.create("local", "release 1", moment, moment, sources)
        context = {"baseline_id": "release 1"} if by_name else {"as_of": as_of}
        await world.write(source, {"axle.md": "# The axle\nNobody greases anything any more.\n"})
        await world.index.rows("UPDATE revision SET valid_to = clock_timestamp() WHERE source_id = %s", model.source_id)
        await world.index.rows("UPDATE chunk SET valid_to = clock_timestamp() WHERE source_id = %s", model.source_id)
        await world.index.rows(
            "INSERT INTO chunk_terms_past SELECT * FROM chunk_terms WHERE source_id = %s", model.source_id
        )
        for name, arguments in asking_all(await past_passage(client, context)).items():
            result = await client.call_tool(name, {**arguments, "read_context": context})
            assert not result.is_error, (name, text_of(result))
            assert result.structured_content["read_context"]["as_of"] == as_of, name
            assert result.structured_content["read_context"].get("baseline_id") == context.get("baseline_id"), name
            assert texts_in(result.structured_content) == before[name], name


@pytest.mark.requirement("unreadable-moments-refused-clearly")
async def test_every_tool_refuses_a_moment_before_the_first_revision_and_a_baseline_that_is_not(world: World) -> None:
    await world.source("docs", PAGES)
    await model_source(world)
    async with connected(world.services, families=MODELS) as client:
        passage_id, _ = await passage(client)
        for name, arguments in asking_all(passage_id).items():
            for context, said in (
                ({"as_of": "2020-01-01T00:00:00Z"}, "Nothing had been recorded yet"),
                ({"baseline_id": "git:v1"}, "There is no baseline 'git:v1'"),
                ({"baseline_id": "git:v1", "as_of": "2020-01-01T00:00:00Z"}, "at most one of"),
            ):
                result = await client.call_tool(name, {**arguments, "read_context": context})
                assert code_of(result) == "INVALID_ARGUMENT", (name, context)
                assert said in text_of(result), (name, context)


@pytest.mark.requirement("tools-passage-pins")
async def test_a_passage_pins_the_state_that_it_was_found_in(world: World) -> None:
    source = await world.source("docs", PAGES)
    async with connected(world.services) as client:
        _, as_of = await passage(client)
        await world.write(source, {"axle.md": "# The axle\nGrease the axle three times a year.\n"})
        present, _ = await passage(client)
        past = await past_passage(client, {"as_of": as_of})
        wrong = await client.call_tool("kb_read_excerpt", {"passage_id": present, "read_context": {"as_of": as_of}})
        assert "read in the state that it was found in" in text_of(wrong)
        right = await client.call_tool("kb_read_excerpt", {"passage_id": past})
        assert "twice a year" in text_of(right)
        assert right.structured_content["read_context"]["as_of"] == as_of
        both = {"question": "grease the axle", "passage_ids": [present, past]}
        assert "found in different states" in text_of(await client.call_tool("kb_extract_evidence", both))


@pytest.mark.requirement("hybrid-local-says-nothing-is-linked")
async def test_hybrid_local_says_that_nothing_is_linked(world: World) -> None:
    await world.source("docs", PAGES)
    async with connected(world.services) as client:
        for mode in ("auto", "vector_only", "hybrid_local"):
            result = await client.call_tool("kb_search", {"query": "grease the axle", "options": {"mode": mode}})
            said = [
                note for note in result.structured_content.get("notes", []) if "Nothing that answers is linked" in note
            ]
            assert bool(said) is (mode == "hybrid_local")
            assert ("Nothing that answers is linked" in text_of(result)) is (mode == "hybrid_local")


@pytest.mark.requirement("citation-opens-at-its-revision")
async def test_a_quotation_is_looked_up_in_the_revision_that_it_cites_too(world: World) -> None:
    source = await world.source("docs", PAGES)
    async with connected(world.services) as client:
        found = (await client.call_tool("kb_search", {"query": "grease the axle"})).structured_content
        citation = found["results"][0]["citation"]
        await world.write(source, {"axle.md": "# The axle\nNobody cares about that any more.\n"})

        async def verdict(quote: str) -> dict[str, Any]:
            return (
                await client.call_tool("kb_verify_quote", {"citation": citation, "quote": quote})
            ).structured_content

        stood = await verdict("Grease the axle twice a year.")
        assert (stood["holds"], stood["reason"], stood["cited_revision"]) == ("gone", "words_gone", "superseded")
        assert stood["found_at"]["revision_id"] == citation["revision_id"] != stood["current_revision_id"]
        assert stood["found_at"]["anchor"]["lines"] == {"start": 2, "end": 2}
        assert stood["notes"] == ["The cited revision contained these words."]
        assert "did not contain these words" in (await verdict("Paint the boat in autumn with great care."))["notes"][0]
        world.memory[source.source_id].texts.pop("axle.md")
        await world.index.drop(source, "axle.md")
        ended = await verdict("Grease the axle twice a year.")
        assert (ended["holds"], ended["reason"]) == ("gone", "document_gone")
        assert ended["found_at"]["revision_id"] == citation["revision_id"]
        world.memory[source.source_id].remote = True
        assert "found_at" not in await verdict("Grease the axle twice a year.")


async def test_a_citation_from_beyond_the_default_scope_is_checked_and_opened(
    database: Database, model: MiniLM
) -> None:
    world = World(database, model, defaults=RequestScope("default", environment="prod"))
    await world.source("docs", PAGES, environment="test")
    await world.source("others", {"a.md": "# A\nNothing.\n"}, environment="prod")
    async with connected(world.services) as client:
        asked = {"query": "grease the axle", "scope": {"environment": "test"}}
        citation = (await client.call_tool("kb_search", asked)).structured_content["results"][0]["citation"]
        quoted = {"citation": citation, "quote": "Grease the axle twice a year."}
        assert (await client.call_tool("kb_verify_quote", quoted)).structured_content["holds"] == "exact"
    ref = CitationRef("docs", citation["document_id"], citation["revision_id"])
    assert "Grease the axle" in (await world.services.reopening.reopen(CALLER, ref)).text


async def test_while_its_source_does_not_answer_a_citation_is_neither_checked_nor_opened(world: World) -> None:
    source = await world.source("docs", PAGES)
    async with connected(world.services) as client:
        found = (await client.call_tool("kb_search", {"query": "grease the axle"})).structured_content
        citation = found["results"][0]["citation"]
        world.memory[source.source_id].verdicts["axle.md"] = Verdict.UNKNOWN
        asked = {"citation": citation, "quote": "Grease the axle twice a year."}
        assert code_of(await client.call_tool("kb_verify_quote", asked)) == "BACKEND_UNAVAILABLE"
    ref = CitationRef("docs", citation["document_id"], citation["revision_id"])
    with pytest.raises(BackendUnavailable):
        await world.services.reopening.reopen(CALLER, ref)
