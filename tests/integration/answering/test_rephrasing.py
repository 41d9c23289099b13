"""Questions phrased in other words by a model, where the setting allows it: by whom, how often, and what is said."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from mcp.client.session import ClientRequestContext
from mcp_types import CreateMessageRequestParams, CreateMessageResult, TextContent
from tests.integration.answering.asking import answers_of, declined, text
from tests.integration.retrieval.world import World
from tests.support.chat import chat_server, said
from tests.unit.tools.clients import Mode, connected, text_of

from citemark.answering.phrasing_prompt import MAX_PHRASING_TOKENS

BOTH = pytest.mark.parametrize("mode", ["auto", "legacy"])
PLAIN = "What happens when I have lost the thing that opens my door?"
ANSWER = "A transponder is replaced by the facility desk for twenty euros."
WRITTEN = 'Sure, here they are:\n1. replacement of a transponder\n2. "who replaces a lost transponder"\n'
FOUND_BY = ("replacement of a transponder", "who replaces a lost transponder")
PAGES = {
    "access.md": f"# Access media\n\n{ANSWER}\n",
    **{f"{word}.md": f"# The {word}\n\nGrease the {word} twice a year.\n" for word in ("axle", "bolt", "crank")},
}


@dataclass
class Phraser:
    """A client's model that phrases questions, and answers what is not such a request."""

    phrases: Any = field(default_factory=lambda: text(WRITTEN))
    asked: list[CreateMessageRequestParams] = field(default_factory=list[CreateMessageRequestParams])

    async def __call__(self, context: ClientRequestContext, params: CreateMessageRequestParams) -> Any:
        self.asked.append(params)
        return self.phrases if "other phrasings" in self.prompt else answer()

    @property
    def prompt(self) -> str:
        content = self.asked[-1].messages[0].content
        assert isinstance(content, TextContent)
        return content.text


def answer() -> CreateMessageResult:
    return text("A transponder is replaced for twenty euros [1].")


@pytest.mark.requirement("rephrase-is-off-by-default", "model-phrases-once-a-question")
@BOTH
async def test_the_clients_model_phrases_a_question_once_and_the_result_says_so(world: World, mode: Mode) -> None:
    await world.source("docs", PAGES)
    model = Phraser()
    async with connected(world.services, mode=mode, answers=answers_of(world), sampling=model, rephrase=True) as client:
        first = await client.call_tool("kb_retrieve_evidence", {"question": PLAIN})
        again = await client.call_tool("kb_search", {"query": PLAIN})
    assert not first.is_error
    assert not again.is_error
    assert ANSWER in first.structured_content["quotes"][0]["quote"]
    assert again.structured_content["results"][0]["section_id"] == "access.md#access-media"
    note = f"also asked in other words, written by the client's model: {'; '.join(FOUND_BY)}"
    assert note in first.structured_content["notes"]
    assert note in text_of(first)
    (asked,) = model.asked
    assert asked.max_tokens == MAX_PHRASING_TOKENS
    assert PLAIN in model.prompt


@pytest.mark.requirement("rephrase-is-off-by-default", "model-phrases-once-a-question")
@BOTH
async def test_an_answer_is_phrased_found_and_written_by_the_same_model(world: World, mode: Mode) -> None:
    await world.source("docs", PAGES)
    model = Phraser()
    async with connected(world.services, mode=mode, answers=answers_of(world), sampling=model, rephrase=True) as client:
        result = await client.call_tool("kb_answer", {"question": PLAIN})
    found = result.structured_content
    assert found["generated_by"] == "client_sampling"
    assert found["generated_answer"] == "A transponder is replaced for twenty euros [1]."
    assert found["sources"][0]["citation"]["document_id"] == "access.md#access-media"
    assert ANSWER in found["sources"][0]["excerpt"]
    assert len(model.asked) == 2


@pytest.mark.requirement("rephrase-is-off-by-default", "model-phrases-once-a-question")
@BOTH
async def test_nothing_is_asked_by_default_or_for_a_call_with_phrasings_of_its_own(world: World, mode: Mode) -> None:
    await world.source("docs", PAGES)
    model = Phraser()
    async with connected(world.services, mode=mode, answers=answers_of(world), sampling=model) as client:
        await client.call_tool("kb_search", {"query": PLAIN})
    async with connected(world.services, mode=mode, answers=answers_of(world), sampling=model, rephrase=True) as client:
        own = await client.call_tool("kb_search", {"query": PLAIN, "also": list(FOUND_BY)})
    assert own.structured_content["results"]
    assert "other words" not in text_of(own)
    assert not model.asked


@pytest.mark.requirement("rephrase-is-off-by-default", "model-phrases-once-a-question")
@pytest.mark.parametrize(
    ("mode", "reply"),
    [
        ("legacy", declined()),
        ("legacy", text("Here they are:\n")),
        ("auto", text("Here they are:\n")),
        ("legacy", text(f"{'x' * 301}\nwith a NUL \0\n")),
    ],
    ids=["declined", "nothing", "nothing in another round", "nothing that may be looked for"],
)
async def test_a_model_that_gives_no_phrasing_leaves_the_question_as_it_is(
    world: World, mode: Mode, reply: Any
) -> None:
    await world.source("docs", PAGES)
    async with connected(
        world.services, mode=mode, answers=answers_of(world), sampling=Phraser(reply), rephrase=True
    ) as client:
        result = await client.call_tool("kb_search", {"query": "How do I grease the axle?"})
    assert result.structured_content["results"][0]["section_id"] == "axle.md#the-axle"
    assert "other words" not in text_of(result)


@pytest.mark.requirement("rephrase-is-off-by-default", "model-phrases-once-a-question")
async def test_a_client_without_a_model_gets_phrasings_from_the_configured_one(world: World) -> None:
    await world.source("docs", PAGES)
    with chat_server() as chat:
        chat.reply = said(WRITTEN)
        answers = answers_of(world, answer_url=chat.url, answer_model="chat-1")
        async with connected(world.services, answers=answers, rephrase=True) as client:
            result = await client.call_tool("kb_retrieve_evidence", {"question": PLAIN})
        await answers.close()
        (body,) = chat.asked
    assert ANSWER in result.structured_content["quotes"][0]["quote"]
    assert "written by the configured model" in text_of(result)
    assert body["max_tokens"] == MAX_PHRASING_TOKENS


@pytest.mark.requirement("rephrase-is-off-by-default", "model-phrases-once-a-question")
async def test_text_of_a_provider_that_no_document_can_hold_is_left_out(world: World) -> None:
    await world.source("docs", PAGES)
    with chat_server() as chat:
        chat.reply = said(f"not \0 a text\n{FOUND_BY[0]}\ud83d\n{FOUND_BY[1]}")
        answers = answers_of(world, answer_url=chat.url, answer_model="chat-1")
        async with connected(world.services, answers=answers, rephrase=True) as client:
            result = await client.call_tool("kb_search", {"query": PLAIN})
        await answers.close()
    assert not result.is_error, result
    assert result.structured_content["results"][0]["section_id"] == "access.md#access-media"
    assert f"configured model: {FOUND_BY[0]}; {FOUND_BY[1]}" in text_of(result)
