"""The context that getContext gathers of a model: whole chunks, their sources, never more than asked."""

import pytest
from tests.integration.evidence.architecture_client import asking, call
from tests.integration.retrieval.world import World
from tests.support.models import ELEMENTS, Element, Link, model_source, text_of
from tests.unit.tools.clients import code_of
from tests.unit.tools.clients import text_of as words_of

from citemark.evidence.budget import count_tokens
from citemark.model.documents import Verdict
from citemark.results.written import minified


@pytest.mark.requirement(
    "element-context-keeps-its-tokens", "element-context-lists-its-sources", "element-context-packs-whole-chunks"
)
async def test_context_is_whole_chunks_with_their_sources_and_never_more_than_asked(world: World) -> None:
    says = [f"Handles claims. {'And more. ' * (5 * (number % 7))}Done." for number in range(80)]
    many = {
        f"m{number:02}": Element(f"Claim desk {number}", "BusinessRole", "business", text)
        for number, text in enumerate(says)
    }
    elements = {**ELEMENTS, **many}
    await model_source(world, elements=elements)
    texts = {ident: text_of(ident, elements) for ident in elements}
    answering = set[int]()
    async with asking(world) as client:
        for tokens in (60, 200, 1000, 4000, 10_000):
            result = await client.call_tool("architecture_getContext", {"query": "claim desk", "max_tokens": tokens})
            packed = result.structured_content
            assert count_tokens(packed["context"]) == packed["context_tokens"] <= tokens
            assert packed["context"] == "\n\n".join(texts[source["element_id"]] for source in packed["sources"])
            assert len(packed["sources"]) >= 1
            assert packed["partial"] is (packed["left_out"] > 0)
            answering.add(packed["left_out"] + len(packed["sources"]))
            assert packed["left_out_is"] == "exact"
            assert len(minified(packed).encode()) + len(words_of(result).encode()) < 48 * 1024
            assert [source["relevance"] for source in packed["sources"]] == sorted(
                (source["relevance"] for source in packed["sources"]), reverse=True
            )
            assert all(source["citation"]["document_id"] == source["element_id"] for source in packed["sources"])
        assert len(answering) == 1
        none = await client.call_tool("architecture_getContext", {"query": "claim desk", "max_tokens": 5})
        assert code_of(none) == "BUDGET_EXCEEDED"
        bare = await call(client, "getContext", query="customer addresses CRM System", include_relationships=False)
        assert "CRM System is a ApplicationComponent" in bare["context"]
        assert "serves" not in bare["context"]
        assert "Description: Keeps the addresses" in bare["context"]


@pytest.mark.requirement("element-context-fills-its-tokens", "tools-architecture-caps")
async def test_ten_thousand_tokens_of_context_are_filled_in_one_channel(world: World) -> None:
    says = "Handles the claims of customers who were hit by hail, and tells them what becomes of these. " * 8
    desks = {f"m{number:03}": Element(f"Claim desk {number}", "BusinessRole", "business", says) for number in range(90)}
    await model_source(world, elements=desks, links={}, embedded=False)
    async with asking(world) as client:
        for tokens, least in ((4_000, 3_700), (10_000, 9_000)):
            result = await client.call_tool("architecture_getContext", {"query": "claim desk", "max_tokens": tokens})
            packed = result.structured_content
            assert least < packed["context_tokens"] == count_tokens(packed["context"]) <= tokens
            said = words_of(result)
            assert "hail" not in said
            assert "structuredContent.context" in said
            assert "Claim desk" in said
            source = packed["sources"][-1]
            (piece,) = [part for part in packed["context"].split("\n\n") if part.startswith(source["element_name"])]
            arguments = {"citation": source["citation"], "quote": piece}
            checked = await client.call_tool("kb_verify_quote", arguments)
            assert checked.structured_content["holds"] == "exact"


@pytest.mark.requirement("element-context-fills-its-tokens")
async def test_the_number_of_passages_left_out_is_a_minimum_if_not_all_were_counted(world: World) -> None:
    desks = {f"m{number:03}": Element(f"Claim desk {number}", "BusinessRole", "business", "") for number in range(420)}
    await model_source(world, elements=desks, links={}, embedded=False)
    async with asking(world) as client:
        packed = await call(client, "getContext", query="claim desk", max_tokens=200)
    assert packed["left_out_is"] == "at_least"
    assert packed["left_out"] + len(packed["sources"]) == 400


@pytest.mark.requirement("element-context-fills-its-tokens")
async def test_chunks_of_an_element_that_follow_each_other_are_one_piece_with_one_citation(world: World) -> None:
    says = "\n".join(
        f"Rule {number} of the claim desk says that a claim waits for {number} days." for number in range(40)
    )
    elements = {"long": Element("Claim desk", "BusinessRole", "business", says), **ELEMENTS}
    await model_source(world, elements=elements, links={})
    async with asking(world, min_score=0.0) as client:
        packed = await call(client, "getContext", query="rules of the claim desk", max_tokens=2_000)
    spans = [source["citation"]["span"] for source in packed["sources"] if source["element_id"] == "long"]
    body = text_of("long", elements, {})
    assert all(body[span["start"] : span["end"]] in packed["context"] for span in spans)
    ends = {span["end"] for span in spans}
    assert not any(span["start"] - 1 in ends for span in spans)
    assert max(span["end"] - span["start"] for span in spans) > 1_200


async def test_documentation_in_a_later_chunk_is_kept_without_relationships(world: World) -> None:
    says = "Sells things.\nIt also repairs pumps.\n# Returns\nIt also handles returns.\nRefunds take a week.\n"
    shop = Element("It shop", "BusinessRole", "business", says, "Sales")
    others = {f"o{number}": Element(f"Branch {number}", "BusinessRole", "business") for number in range(3)}
    links = {f"r{number}": Link("Serving", "shop", f"o{number}", {}) for number in range(3)}
    await model_source(world, elements={"shop": shop, **others}, links=links, embedded=False)
    first = (
        "It shop is a BusinessRole in the business layer.\nIt belongs to the Sales capability.\n"
        "Description: Sells things.\nIt also repairs pumps."
    )
    later = "# Returns\nIt also handles returns.\nRefunds take a week."
    async with asking(world, min_score=0.0) as client:

        async def asked(query: str, *, related: bool) -> str:
            packed = await call(client, "getContext", query=query, max_tokens=2_000, include_relationships=related)
            return packed["context"]

        assert f"It shop\n{later}" in await asked("refunds for returns", related=False)
        assert first in await asked("repairs pumps", related=False)
        both = await asked("repairs pumps and handles returns", related=False)
        assert (first in both, later in both, "It serves" in both) == (True, True, False)
        assert "It serves Branch 1 (BusinessRole)." in await asked("repairs pumps", related=True)


async def test_the_text_shows_the_answering_sentences_of_a_long_context(world: World) -> None:
    said = " ".join(f"Branch {number} is counted at night." for number in range(20))
    ledger = Element("Ledger", "ApplicationComponent", "application", f"{said} Pensions are booked by brokers.")
    await model_source(world, elements={**ELEMENTS, "e9": ledger})
    async with asking(world) as client:
        arguments = {"query": "Who books pensions in the ledger?", "min_score": 0.0, "top_k": 1}
        result = await client.call_tool("architecture_semanticSearch", arguments)
    assert result.structured_content["results"][0]["element_id"] == "e9"
    assert "Pensions are booked by brokers." in words_of(result)
    assert "Branch 12" not in words_of(result)


async def test_an_element_just_removed_from_its_model_is_gone(world: World) -> None:
    source = await model_source(world)
    world.memory[source.source_id].verdicts["e2"] = Verdict.GONE
    async with asking(world) as client:
        gone = await client.call_tool("architecture_getElement", {"element": "e2"})
        assert code_of(gone) == "INVALID_ARGUMENT"
        assert "any more" in words_of(gone)
        nameless = await client.call_tool("architecture_getElement", {"element": " "})
        assert code_of(nameless) == "INVALID_ARGUMENT"
