"""Results stay below the cap and say what they weigh."""

import json
import math
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import CallToolResult
from tests.support.in_memory_services import InMemoryWorld
from tests.unit.tools.clients import code_of, connected, text_of
from tests.unit.tools.double import DoubleServices

from citemark.evidence.budget import RESULT_BYTES
from citemark.features.graph.results.graph_nodes import NodeOut, NodesOut
from citemark.results.common_parts import ReadContextOut, UsageOut
from citemark.services.bundle import Services
from citemark.services.requests import Caller
from citemark.settings import Settings
from citemark.tools.kb.evidence_tools import RETRIEVE_EVIDENCE, RetrieveEvidenceIn
from citemark.tools.kb.search_tool import SEARCH, SearchIn, SearchOptions
from citemark.tools.registry import ToolCall
from citemark.tools.reply import PackedReply, ReplyPacker, ToolReply

SETTINGS = Settings()


def wire_size(packed: PackedReply) -> int:
    content = [{"type": "text", "text": packed.text}]
    result = {"content": content, "structuredContent": packed.structured, "isError": False}
    return len(json.dumps(result, ensure_ascii=False, separators=(",", ":")).encode())


async def packed_search(services: DoubleServices, asked: SearchIn, *, structured: bool = True) -> PackedReply:
    packer = ReplyPacker(structured=structured)
    return packer.pack(await SEARCH.handle(ToolCall(services, Caller.local(), SETTINGS, packer.fits), asked))


texts = st.lists(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=700),
    min_size=1,
    max_size=20,
)


@pytest.mark.requirement("tools-result-48k", "no-tool-returns-unbounded-text")
@given(texts, st.sampled_from(["Guide", "導引" * 200, "\x01" * 400]), st.booleans())
async def test_no_search_result_is_heavier_than_the_cap(found: list[str], title: str, structured: bool) -> None:
    asked = SearchIn(query="q", top_k=20, page_size=20, options=SearchOptions(max_snippet_chars=500))
    packed = await packed_search(DoubleServices(found, title), asked, structured=structured)
    assert wire_size(packed) <= RESULT_BYTES


@given(texts, st.booleans())
async def test_a_reply_knows_what_its_data_weighs_without_writing_it_once_more(
    found: list[str], structured: bool
) -> None:
    packed = await packed_search(DoubleServices(found, "導引"), SearchIn(query="q"), structured=structured)
    data = "" if packed.structured is None else json.dumps(packed.structured, ensure_ascii=False, separators=(",", ":"))
    assert packed.structured_bytes == len(data.encode())


@pytest.mark.requirement("tools-result-48k", "no-tool-returns-unbounded-text")
@given(texts, st.integers(1, 12))
async def test_no_evidence_result_is_heavier_than_the_cap(found: list[str], quotes: int) -> None:
    packer = ReplyPacker(structured=True)
    asked = RetrieveEvidenceIn(question="q", top_k=20, max_quotes=quotes, max_quote_tokens=200)
    call = ToolCall(DoubleServices(found), Caller.local(), SETTINGS, packer.fits)
    assert wire_size(packer.pack(await RETRIEVE_EVIDENCE.handle(call, asked))) <= RESULT_BYTES


@pytest.mark.requirement("evidence-fills-a-byte-budget", "given-limits-bind")
async def test_a_call_without_limits_fills_the_budget_as_the_service_does() -> None:
    world = InMemoryWorld({f"{number}.md": f"Valve {number} " + "opens " * (100 + number) + "." for number in range(5)})
    packer = ReplyPacker(structured=True)
    services = cast("Services", SimpleNamespace(evidence=world.evidence))
    call = ToolCall(services, Caller.local(), Settings(min_score=0.0), packer.fits)
    packed = packer.pack(await RETRIEVE_EVIDENCE.handle(call, RetrieveEvidenceIn(question="valve opens")))
    assert packed.structured is not None
    found = [(quote["quote"], quote.get("cut")) for quote in packed.structured["quotes"]]
    assert found == [(quote.quote, quote.cut) for quote in (await world.quote("valve opens")).quotes]
    assert {cut for _, cut in found} == {None}


@pytest.mark.requirement("usage-figures-are-measured")
@given(texts)
async def test_usage_is_what_the_two_channels_weigh(found: list[str]) -> None:
    packed = await packed_search(DoubleServices(found), SearchIn(query="q"))
    assert packed.structured is not None
    payload = json.dumps(packed.structured, ensure_ascii=False, separators=(",", ":"))
    weight = len(packed.text.encode()) + len(payload.encode())
    usage = packed.structured["usage"]
    assert 0 <= usage["bytes_returned"] - weight <= 1
    assert usage["tokens_estimate"] == math.ceil(usage["bytes_returned"] / 4)


@pytest.mark.requirement("over-budget-is-cut-and-said")
async def test_a_page_that_is_too_heavy_is_cut_without_losing_a_hit() -> None:
    services = DoubleServices(["\x01" * 500 + str(number) for number in range(20)], title="導" * 290)
    seen: list[str] = []
    cursor: str | None = None
    cut = False
    async with connected(services) as client:
        while True:
            arguments: dict[str, Any] = {"query": "q", "top_k": 20, "page_size": 20, "cursor": cursor}
            arguments["options"] = {"max_snippet_chars": 500}
            result = await client.call_tool("kb.search", arguments)
            page = result.structured_content
            seen += [hit["section_id"] for hit in page["results"]]
            cut = cut or (page["partial"] and page["limit_reason"] == "byte_cap")
            cursor = page["next_cursor"]
            if cursor is None:
                break
    assert cut
    assert seen == [f"guide-{number}.md#ports" for number in range(20)]


@pytest.mark.requirement("over-budget-is-cut-and-said")
async def test_evidence_that_is_too_heavy_keeps_its_best_quotes_and_says_so() -> None:
    services = DoubleServices(["\x01" * 500] * 20, title="導" * 290)
    async with connected(services) as client:
        arguments = {"question": "q", "top_k": 20, "max_quotes": 12, "max_quote_tokens": 200}
        result = await client.call_tool("kb.retrieve_evidence", arguments)
    evidence = result.structured_content
    assert 0 < len(evidence["quotes"]) < 12
    assert (evidence["partial"], evidence["limit_reason"]) == (True, "byte_cap")
    assert "cap" in text_of(result)


@pytest.mark.requirement("tools-budget-exceeded")
@pytest.mark.parametrize(
    ("tool", "arguments"), [("kb.search", {"query": "q"}), ("kb.retrieve_evidence", {"question": "q"})]
)
async def test_when_not_even_one_item_fits_the_failure_says_so(tool: str, arguments: dict[str, str]) -> None:
    class Huge(DoubleServices):
        def _citation(self, index: int, span: Any) -> Any:
            from dataclasses import replace  # noqa: PLC0415

            return replace(super()._citation(index, span), document_id="d" * 60_000)

    async with connected(Huge()) as client:
        assert code_of(await client.call_tool(tool, arguments)) == "BUDGET_EXCEEDED"


@pytest.mark.requirement("tools-result-48k", "no-tool-returns-unbounded-text")
async def test_an_excerpt_of_control_characters_stays_below_the_cap() -> None:
    services = DoubleServices(["\x01" * 20_000])
    async with connected(services) as client:
        found = await client.call_tool("kb.search", {"query": "q"})
        passage_id = found.structured_content["results"][0]["passage_id"]
        read = await client.call_tool("kb.read_excerpt", {"passage_id": passage_id, "max_tokens": 800})
        around = {"passage_id": passage_id, "before_tokens": 800, "after_tokens": 800}
        expanded = await client.call_tool("kb.expand_excerpt", around)
    for result in (read, expanded):
        assert not result.is_error
        assert _wire(result) <= RESULT_BYTES
    assert expanded.structured_content["limit_reason"] == "byte_cap"


def _wire(result: CallToolResult) -> int:
    return len(result.model_dump_json(by_alias=True, exclude_none=True).encode())


@given(text=st.text(max_size=60), title=st.text(max_size=60), room=st.integers(0, 3_000))
def test_what_fits_is_what_stays_below_the_cap_when_it_is_packed(text: str, title: str, room: int) -> None:
    node = NodeOut(node_id="docs:page:a.md", kind="page", title=title)
    reply = ToolReply(node_list([node] * 9), text * 9)
    packer = ReplyPacker(structured=True)
    packed = packer.pack(reply)
    capped = ReplyPacker(structured=True, max_bytes=wire_size(packed) + room)
    assert capped.fits(reply) == capped.within(capped.pack(reply))


def node_list(nodes: list[NodeOut]) -> NodesOut:
    return NodesOut(
        nodes=nodes,
        edges=[],
        total=len(nodes),
        read_context=ReadContextOut(as_of="2026-01-01T00:00:00Z"),
        partial=False,
        limit_reason="none",
        next_cursor=None,
        usage=UsageOut(tokens_estimate=0, bytes_returned=0),
        withheld_unverified=0,
        session_id="s_test",
    )
