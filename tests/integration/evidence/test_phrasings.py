"""Further phrasings of a question, as callers give them in `also`: what they find, and what is bound to them."""

from typing import Any

import pytest
from mcp import Client
from tests.integration.evidence.architecture_client import asking
from tests.integration.retrieval.world import World
from tests.support.models import model_source
from tests.unit.tools.clients import code_of, connected, text_of

PLAIN = "What happens when I have lost the thing that opens my door?"
ALSO = "who replaces a transponder"
EXPERT = "replacement of a transponder"
ANSWER = "A transponder is replaced by the facility desk for twenty euros."
PAGES = {
    "access.md": f"# Access media\n\n{ANSWER}\n",
    **{
        f"{word}.md": f"# The {word}\n\nGrease the {word} twice a year.\n" for word in ("axle", "bolt", "crank", "dial")
    },
}


async def asked(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The structured content of a call that succeeds."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return result.structured_content


@pytest.mark.requirement("up-to-four-further-phrasings", "tools-and-commands-take-phrasings")
async def test_a_passage_in_other_words_is_found_by_a_phrasing_that_has_them(world: World) -> None:
    await world.source("docs", PAGES)
    async with connected(world.services) as client:
        alone = await asked(client, "kb_search", query=PLAIN)
        options = {"include_debug": True}
        page = await asked(client, "kb_search", query=PLAIN, also=[ALSO, EXPERT], options=options)
        quotes = await asked(client, "kb_retrieve_evidence", question=PLAIN, also=[ALSO, EXPERT])
    assert not [hit for hit in alone["results"] if hit["section_id"].startswith("access.md")]
    hit = page["results"][0]
    assert hit["section_id"] == "access.md#access-media"
    assert hit["why"]["phrasing"] == EXPERT, "the phrasing that found it is named"
    assert ANSWER in hit["preview"], "the preview shows what that phrasing asks for"
    assert quotes["quotes"][0]["quote"].endswith(ANSWER)


@pytest.mark.requirement("tools-and-commands-take-phrasings")
async def test_given_passages_are_quoted_for_any_of_the_phrasings(world: World) -> None:
    await world.source("docs", {"access.md": f"# Access\n\nDoors open at eight.\n\n{ANSWER}\n\nCats are welcome.\n"})
    async with connected(world.services) as client:
        (hit,) = (await asked(client, "kb_search", query="when do doors open"))["results"]
        arguments = {"question": PLAIN, "passage_ids": [hit["passage_id"]], "max_quotes": 1}
        arguments |= {"max_quote_tokens": 20, "include_context_tokens": 0}
        found = await asked(client, "kb_extract_evidence", **arguments, also=[EXPERT])
    assert [quote["quote"] for quote in found["quotes"]] == [ANSWER]


@pytest.mark.requirement("cursors-bound-to-phrasings")
async def test_a_cursor_continues_only_the_same_set_of_phrasings(world: World) -> None:
    await world.source("docs", PAGES)
    same: dict[str, Any] = {"query": "grease the axle", "page_size": 1, "options": {"min_score": 0.0}}
    async with connected(world.services) as client:
        first = await asked(client, "kb_search", **same, also=[EXPERT])
        cursor = first["next_cursor"]
        following = await asked(client, "kb_search", **same, also=[EXPERT], cursor=cursor)
        other = await client.call_tool("kb_search", {**same, "also": ["other words"], "cursor": cursor})
        without = await client.call_tool("kb_search", {**same, "cursor": cursor})
    assert following["results"][0]["rank"] == 2
    assert code_of(other) == code_of(without) == "INVALID_ARGUMENT"


@pytest.mark.requirement("tools-and-commands-take-phrasings", "null-argument-means-omitted")
@pytest.mark.parametrize(
    ("also", "message"),
    [
        (["a"] * 5, "at most 4 entries"),
        (["x" * 301], "at most 300 characters each"),
        ("one text", "array"),
    ],
)
async def test_phrasings_that_are_too_many_or_too_long_are_refused_with_the_limit(
    world: World, also: Any, message: str
) -> None:
    async with connected(world.services) as client:
        result = await client.call_tool("kb_search", {"query": "pumps", "also": also})
    assert code_of(result) == "INVALID_ARGUMENT"
    assert "/also" in text_of(result)
    assert message in text_of(result)


@pytest.mark.requirement("tools-and-commands-take-phrasings", "null-argument-means-omitted")
@pytest.mark.parametrize("also", [None, [], ["", "  "]])
async def test_no_phrasing_is_the_question_alone(world: World, also: list[str] | None) -> None:
    await world.source("docs", PAGES)
    async with connected(world.services) as client:
        given = await asked(client, "kb_search", query="grease the axle", also=also, options={"include_scores": True})
        alone = await asked(client, "kb_search", query="grease the axle", options={"include_scores": True})
    assert [(hit["section_id"], hit["score"]) for hit in given["results"]] == [
        (hit["section_id"], hit["score"]) for hit in alone["results"]
    ]


@pytest.mark.requirement("tools-and-commands-take-phrasings")
async def test_elements_of_a_model_are_found_by_any_phrasing(world: World) -> None:
    await model_source(world)
    question, other = "Who looks after the fleet of vans?", "What keeps customer addresses?"
    async with asking(world) as client:
        for tool in ("architecture_semanticSearch", "architecture_searchElements"):
            found = await asked(client, tool, query=question, also=[other])
            assert "CRM System" in [hit["element_name"] for hit in found["results"]], tool
        context = await asked(client, "architecture_getContext", query=question, also=[other])
        assert "CRM System" in [source["element_name"] for source in context["sources"]]


@pytest.mark.requirement("weak-result-asks-for-phrasings")
async def test_an_empty_result_names_the_words_that_occur_nowhere_and_asks_for_other_phrasings(world: World) -> None:
    await world.source("docs", PAGES)
    async with connected(world.services) as client:
        result = await client.call_tool("kb_retrieve_evidence", {"question": "How do I grease the zeppelin's rudder?"})
    text = text_of(result)
    assert not result.structured_content["quotes"]
    assert result.structured_content["empty_reason"] == "nothing_answers"
    assert "for these words" in text
    assert "`also`" in text
    assert "no document here mentions zeppelin, rudder" in text.replace("zeppelin's", "zeppelin")
    assert "grease" not in text.partition("mentions")[2].partition("\n")[0], "what is mentioned is not listed"
