"""What an answer is held against: all that it was made from, and nothing that was only there for drawing."""

import pytest
from tests.integration.answering.asking import FakeModel, answers_of, text
from tests.integration.retrieval.world import World
from tests.support.models import model_source
from tests.unit.tools.clients import connected

_MOST = 8000


@pytest.mark.requirement("citations-of-no-document-removed")
async def test_quotes_from_documents_that_no_prompt_had_room_for_keep_their_citations(world: World) -> None:
    pages = {
        f"pump-{number}.md": f"# Feed pump {number}\n\nFeed pump {number} is primed with {number} litres of water.\n"
        for number in range(1, 9)
    }
    await world.source("works", pages)
    question = "How is the feed pump primed with water? "
    long = question * (_MOST // len(question))
    async with connected(world.services, answers=answers_of(world)) as client:
        result = await client.call_tool("kb_answer", {"question": long, "limit": 8})
    found = result.structured_content
    assert found["generated_by"] == "extractive"
    assert found["removed_citations"] == 0
    assert found["uncited_sentences"] == []
    quoted = found["generated_answer"].count("\n\n") + 1
    assert len(found["citations"]) == quoted > 4, "each page is quoted, and a prompt has room for three"


@pytest.mark.requirement("unsourced-numbers-and-names-listed")
async def test_coordinates_of_a_drawing_bear_out_no_number_and_are_not_shown(world: World) -> None:
    await model_source(world)
    model = FakeModel(text("The Portal view shows 250 elements [1]."))
    async with connected(world.services, answers=answers_of(world), sampling=model) as client:
        result = await client.call_tool("kb_answer", {"question": "What does the Portal view show?", "limit": 1})
    found = result.structured_content
    assert found["sources"][0]["doc_type"] == "view"
    assert "layout" not in found["sources"][0]["metadata"]
    assert found["unsupported_claims"] == ["250"]


@pytest.mark.requirement("citations-of-no-document-removed")
async def test_numbers_in_brackets_that_a_document_itself_says_stay_its_words(world: World) -> None:
    said = "The feed pump is primed [12] with nine litres of water, see [^2]."
    pages = {
        "pump.md": f"# Feed pump\n\n{said}\n",
        "valve.md": "# Valves\n\nThey open at [1] bar.\n",
    }
    await world.source("works", pages)
    async with connected(world.services, answers=answers_of(world)) as client:
        result = await client.call_tool("kb_answer", {"question": "How is the feed pump primed?"})
    found = result.structured_content
    assert f"> {said} [1]" in found["generated_answer"]
    assert found["removed_citations"] == 0
    assert found["sentences"][0]["citations"] == [1]
