"""An answer without documents says first what kept them from being found."""

import pytest
from tests.integration.answering.asking import PAGES, QUESTION, answers_of
from tests.integration.retrieval.world import World
from tests.unit.tools.clients import connected, text_of

from citemark.model.documents import Verdict

FIXED = "No relevant documents found for this query."


@pytest.mark.requirement("empty-result-says-reason-and-advice", "empty-result-gives-listed-reason")
async def test_the_fixed_text_is_used_only_if_everything_could_be_searched(world: World) -> None:
    pages = await world.source("docs", PAGES)
    async with connected(world.services, answers=answers_of(world)) as client:
        elsewhere = await client.call_tool("kb_answer", {"question": "How do whales sing in the deep ocean?"})
        world.memory[pages.source_id].verdicts = dict.fromkeys(PAGES, Verdict.UNKNOWN)
        hidden = await client.call_tool("kb_answer", {"question": QUESTION})
    out = dict(elsewhere.structured_content or {})
    assert (out["generated_answer"], out["empty_reason"]) == (FIXED, "nothing_answers")
    assert out["empty_message"] in text_of(elsewhere)
    out = dict(hidden.structured_content or {})
    assert out["empty_reason"] == "all_withheld"
    assert out["generated_answer"] == out["empty_message"]
    assert text_of(hidden).startswith("Incomplete: 2 hits withheld")
    assert text_of(hidden).count(out["empty_message"]) == 1
