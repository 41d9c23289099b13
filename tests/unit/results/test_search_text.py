"""The text of kb.search is short: one line for each preview and one for its citation."""

from typing import Any

import pytest
from tests.unit.results.test_evidence_text import NOW
from tests.unit.tools.clients import connected, text_of
from tests.unit.tools.double import DoubleServices

from citemark.evidence.budget import bytes_len
from citemark.model.citation import Anchor, Citation
from citemark.model.ids import new_passage_id
from citemark.model.stated_dates import Occasion
from citemark.model.text import Lines, Span
from citemark.results.common_parts import place_of
from citemark.tools.kb.search_tool import SearchIn

LONG = "\u30dd\u30f3\u30d7\u306e\u6ce8\u6cb9\u306f\u5e74\u306b\u4e8c\u56de\u3067\u3042\u308b\u3002" * 40


async def said(texts: list[str], **arguments: Any) -> str:
    async with connected(DoubleServices(texts)) as client:
        return text_of(await client.call_tool("kb_search", {"query": "pump", **arguments}))


@pytest.mark.requirement("search-text-is-short")
async def test_five_previews_with_their_citations_take_at_most_three_kilobytes() -> None:
    text = await said([LONG] * 5)
    assert text.count("\n(handbook: ") == 5
    assert bytes_len(text) <= 3 * 1024
    longer = await said([LONG] * 5, options={"max_snippet_chars": 280})
    assert bytes_len(longer) > 3 * 1024, "a call that asks for long previews gets them"


@pytest.mark.requirement("search-text-is-short", "citations-cost-less")
async def test_a_hit_is_its_preview_and_one_line_that_says_nothing_twice() -> None:
    lines = (await said(["Prime the pump."])).splitlines()
    assert lines[0] == "[1] > Prime the pump."
    assert lines[1].startswith("(handbook: guide-0.md#ports, lines 3-4; p_")
    assert lines[2:] == ["", "As of 2026-01-31T12:00:00Z."]


@pytest.mark.requirement("fusion-and-batch-sizes-are-settings")
@pytest.mark.parametrize(("given", "shown"), [({}, 2), ({"top_k": 3}, 3)])
async def test_a_setting_says_how_many_hits_a_search_shows_that_names_no_number(
    given: dict[str, int], shown: int
) -> None:
    async with connected(DoubleServices(["pump"] * 5), default_top_k=2) as client:
        found = await client.call_tool("kb_search", {"query": "pump", **given})
    assert len(found.structured_content["results"]) == shown
    assert SearchIn.model_fields["top_k"].default == 5


@pytest.mark.requirement("past-is-marked")
def test_the_line_of_something_dated_says_when_it_is() -> None:
    span = Span(0, 4)
    citation = Citation("cloud", "calendar_event", "7", "1", None, NOW, Anchor(None, Lines(1, 1), span), span, "", None)
    past = Occasion(NOW, NOW, "2026-01-30T09:00", "past")
    handle = new_passage_id()
    assert place_of([citation], handle, occasion=past) == f"(cloud: 7, line 1, past: 2026-01-30T09:00; {handle})"
