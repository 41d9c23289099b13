"""Answers by a configured provider, asked over loopback."""

import json
from collections.abc import Generator
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.integration.answering.asking import GOOD, PAGES, QUESTION, FakeModel, answers_of, declined
from tests.integration.retrieval.world import CALLER, World
from tests.support.chat import KEY, ChatServer, chat_server, said, spoken
from tests.unit.tools.clients import connected, text_of

from citemark.services.answer_requests import AnswerRequest
from citemark.services.answers import AnswerService


@pytest.fixture(scope="module")
def server() -> Generator[ChatServer]:
    with chat_server() as running:
        yield running


@pytest.fixture
def chat(server: ChatServer) -> ChatServer:
    """The same server as if it were new."""
    fresh = ChatServer(server.url)
    for name in ("status", "reply", "delay", "refuses", "stream", "go_on", "asked", "headers"):
        setattr(server, name, getattr(fresh, name))
    return server


def provided(world: World, chat: ChatServer, **settings: Any) -> AnswerService:
    return answers_of(world, answer_url=chat.url, answer_model="chat-1", answer_api_key=KEY, **settings)


@pytest.mark.requirement("three-ways-to-answer-in-order", "answer-names-its-way", "failing-way-leads-to-next")
async def test_where_the_client_declines_the_provider_answers_and_is_named(world: World, chat: ChatServer) -> None:
    await world.source("works", PAGES)
    chat.reply = said(GOOD)
    answers = provided(world, chat)
    async with connected(world.services, mode="legacy", answers=answers, sampling=FakeModel(declined())) as client:
        result = await client.call_tool("kb_answer", {"question": QUESTION, "max_answer_tokens": 300})
    await answers.close()
    found = result.structured_content
    assert (found["generated_by"], found["search_method"]) == ("provider", "semantic_provider")
    assert (found["generated_answer"], found["model_used"], found["stop_reason"]) == (GOOD, "chat-1", "endTurn")
    assert "client_sampling: declined" in text_of(result)
    (body,) = chat.asked
    assert (body["model"], body["max_tokens"], body["temperature"]) == ("chat-1", 300, 0.7)
    assert body["messages"][0]["content"].startswith(QUESTION)
    assert chat.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.requirement("failing-way-leads-to-next")
async def test_the_clients_model_comes_before_the_provider(world: World, chat: ChatServer) -> None:
    await world.source("works", PAGES)
    answers = provided(world, chat)
    async with connected(world.services, answers=answers, sampling=FakeModel()) as client:
        result = await client.call_tool("kb_answer", {"question": QUESTION})
    assert result.structured_content["generated_by"] == "client_sampling"
    assert chat.asked == []


@pytest.mark.requirement("misbehaving-model-is-caught")
async def test_an_answer_that_was_cut_off_inside_a_character_ends_before_it(world: World, chat: ChatServer) -> None:
    await world.source("works", PAGES)
    answers = provided(world, chat)
    chat.reply = {**said(f"{GOOD} \U0001f600\ud83d"), "model": "chat\udc00-1"}
    async with connected(world.services, answers=answers) as client:
        found = (await client.call_tool("kb_answer", {"question": QUESTION})).structured_content
        assert (found["generated_answer"], found["model_used"]) == (f"{GOOD} \U0001f600", "chat-1")
        chat.reply = json.dumps(said(f"{GOOD}@")).encode().replace(b"@", "\ud83d".encode("utf-8", "surrogatepass"))
        found = (await client.call_tool("kb_answer", {"question": QUESTION})).structured_content
        assert found["generated_answer"] == GOOD
        chat.reply = json.dumps(said(f"{GOOD}\ud83d"), ensure_ascii=False).encode("utf-16", "surrogatepass")
        found = (await client.call_tool("kb_answer", {"question": QUESTION})).structured_content
        assert found["generated_answer"] == GOOD
    await answers.close()


@pytest.mark.requirement(
    "failing-way-leads-to-next",
    "failed-sampling-is-logged",
    "misbehaving-model-is-caught",
    "failed-generation-logged-with-reason",
)
async def test_each_failure_of_the_provider_has_a_name_and_leads_to_quotes(world: World, chat: ChatServer) -> None:
    await world.source("works", PAGES)
    image = [{"type": "image_url", "image_url": {"url": "data:"}}]
    cases: list[tuple[dict[str, Any], str]] = [
        ({"status": 401, "reply": {"error": {"message": f"bad key {KEY}"}}}, "declined"),
        ({"status": 429, "reply": {}}, "declined"),
        ({"status": 404, "reply": {}}, "unsupported"),
        ({"status": 500, "reply": {"error": KEY}}, "server_error"),
        ({"status": 503, "reply": b"<html>"}, "server_error"),
        ({"reply": b"not json"}, "malformed"),
        ({"reply": {"choices": []}}, "malformed"),
        ({"reply": [1]}, "malformed"),
        ({"reply": said(None, refusal="I will not")}, "declined"),
        ({"reply": said(image)}, "non_text"),
        ({"reply": b"x" * (5 * 1024 * 1024)}, "malformed"),
        ({"delay": 0.6, "reply": said(GOOD)}, "timeout"),
    ]
    answers = provided(world, chat, tool_timeout=0.5)
    for state, reason in cases:
        chat.status, chat.delay = 200, 0.0
        for name, value in state.items():
            setattr(chat, name, value)
        with capture_logs() as logs:
            answered = await answers.answer(CALLER, AnswerRequest(QUESTION))
        assert [(failure.way, failure.reason) for failure in answered.failures] == [("provider", reason)], state
        assert answered.way == "extractive"
        assert KEY not in str(logs)
        told = [(log["way"], log["origin"], log["reason"]) for log in logs if log.get("action") == "answer"]
        assert told == [("provider", chat.url, reason)]
    await answers.close()
    gone = answers_of(world, answer_url="http://127.0.0.1:9", answer_model="chat-1")
    with capture_logs() as logs:
        answered = await gone.answer(CALLER, AnswerRequest(QUESTION))
    assert [failure.reason for failure in answered.failures] == ["unreachable"]
    told = [(log["origin"], log["what"]) for log in logs if log.get("action") == "answer"]
    assert told == [("http://127.0.0.1:9", "ConnectError")]
    await gone.close()


async def test_a_model_that_accepts_no_temperature_is_asked_again_without_one(world: World, chat: ChatServer) -> None:
    await world.source("works", PAGES)
    chat.reply, chat.refuses = said(GOOD), ("max_tokens", "temperature")
    answers = provided(world, chat)
    answered = await answers.answer(CALLER, AnswerRequest(QUESTION))
    await answers.close()
    assert answered.way == "provider"
    assert chat.asked[-1]["max_completion_tokens"] == 500


@pytest.mark.requirement("small-untruths-are-mended")
async def test_the_reasoning_of_a_model_is_not_part_of_its_answer(world: World, chat: ChatServer) -> None:
    await world.source("works", PAGES)
    answers = provided(world, chat)
    for written in (f"<think>\nIs it 4711 [9]?\n</think>\n\n{GOOD}", f"It may be 4711 [9].\n</think>\n{GOOD}"):
        chat.reply = said(written)
        answered = await answers.answer(CALLER, AnswerRequest(QUESTION))
        assert answered.way == "provider"
        assert answered.checked is not None
        assert answered.checked.text == GOOD
        assert answered.checked.unsupported_claims == ()
    chat.reply = said("<think>\nAll tokens went into thinking")
    answered = await answers.answer(CALLER, AnswerRequest(QUESTION))
    await answers.close()
    assert [failure.reason for failure in answered.failures] == ["malformed"]
    assert answered.way == "extractive"


@pytest.mark.requirement("page-ask-streams")
async def test_whoever_reads_along_is_told_the_words_while_they_come_and_the_answer_is_checked(
    world: World, chat: ChatServer
) -> None:
    await world.source("works", PAGES)
    half = len(GOOD) // 2
    chat.stream = spoken("<think>hm</think>\n", GOOD[:half], GOOD[half:])
    answers = provided(world, chat)
    told: list[str] = []
    answered = await answers.answer(CALLER, AnswerRequest(QUESTION), wrote=told.append)
    await answers.close()
    assert (answered.way, answered.model, answered.stop_reason) == ("provider", "chat-1", "endTurn")
    assert answered.checked is not None
    assert answered.checked.text == GOOD
    assert told[-1] == GOOD
    assert all(GOOD.startswith(each) for each in told)
    assert [body["stream"] for body in chat.asked] == [True]


async def test_a_server_that_does_not_stream_is_read_as_ever(world: World, chat: ChatServer) -> None:
    await world.source("works", PAGES)
    chat.reply = said(GOOD)
    answers = provided(world, chat)
    told: list[str] = []
    answered = await answers.answer(CALLER, AnswerRequest(QUESTION), wrote=told.append)
    assert (answered.way, told) == ("provider", [])
    chat.refuses = ("stream",)
    answered = await answers.answer(CALLER, AnswerRequest(QUESTION), wrote=told.append)
    await answers.close()
    assert (answered.way, told) == ("provider", [])
    assert "stream" not in chat.asked[-1]


@pytest.mark.parametrize(
    "stream",
    [
        spoken(GOOD, stop=None),
        spoken("<think>hm", stop="stop"),
        spoken(GOOD, stop="content_filter"),
        [*spoken(GOOD)[:1], b'data: {"error": {"message": "overloaded"}}\n\n'],
    ],
    ids=["no end", "reasoning only", "refusal", "error"],
)
async def test_a_stream_without_a_whole_answer_leads_to_quotes(
    world: World, chat: ChatServer, stream: list[bytes]
) -> None:
    await world.source("works", PAGES)
    chat.stream = stream
    answers = provided(world, chat)
    answered = await answers.answer(CALLER, AnswerRequest(QUESTION), wrote=lambda _: None)
    await answers.close()
    assert answered.way == "extractive"
    assert [failure.way for failure in answered.failures] == ["provider"]
