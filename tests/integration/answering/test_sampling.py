"""Answers by the client's model, over a real index, in both eras of the protocol."""

from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, CreateMessageRequestParams, InputRequiredResult
from structlog.testing import capture_logs
from tests.integration.answering.asking import GOOD, PAGES, QUESTION, FakeModel, answers_of, declined, image, text
from tests.integration.retrieval.world import World
from tests.support.issuer import Issuer
from tests.support.web import web_server
from tests.unit.tools.clients import Mode, code_of, connected, text_of

from citemark.tools import sampling

BOTH = pytest.mark.parametrize("mode", ["auto", "legacy"])


async def asked(client: Client, **arguments: Any) -> dict[str, Any]:
    """The structured content of kb.answer."""
    result = await client.call_tool("kb_answer", {"question": QUESTION, **arguments})
    assert not result.is_error, result
    return result.structured_content


@pytest.mark.requirement(
    "sampling-in-both-eras",
    "answer-names-its-way",
    "answer-result-fields",
    "kb-answer-has-three-tiers",
    "sampling-is-one-way",
)
@BOTH
async def test_the_clients_model_answers_from_the_documents_with_checked_citations(world: World, mode: Mode) -> None:
    await world.source("works", PAGES)
    model = FakeModel()
    async with connected(world.services, mode=mode, answers=answers_of(world), sampling=model) as client:
        result = await client.call_tool("kb_answer", {"question": QUESTION})
    found = result.structured_content
    assert found["generated_answer"] == GOOD
    assert (found["generated_by"], found["search_method"]) == ("client_sampling", "semantic_sampling")
    assert (found["model_used"], found["stop_reason"], found["success"]) == ("fake-1", "endTurn", True)
    assert found["query"] == QUESTION
    assert found["total_found"] == len(found["sources"]) >= 1
    assert [cited["number"] for cited in found["citations"]] == [1]
    assert found["sources"][0]["citation"]["document_id"] == "pump.md#feed-pump"
    assert found["uncited_sentences"] == found["unsupported_claims"] == []
    assert GOOD in text_of(result)
    assert len(model.asked) == 1


@pytest.mark.requirement(
    "sampling-sends-ruled-parameters",
    "model-hint-is-a-setting",
    "sampling-leaves-include-context-out",
    "prompt-opens-with-the-question",
)
@BOTH
async def test_sampling_asks_with_the_ruled_parameters_and_one_message(world: World, mode: Mode) -> None:
    await world.source("works", PAGES)
    model = FakeModel()
    async with connected(world.services, mode=mode, answers=answers_of(world), sampling=model) as client:
        await asked(client, max_answer_tokens=321)
    hinted = answers_of(world, answer_model="some-model")
    async with connected(world.services, mode=mode, answers=hinted, sampling=model) as client:
        await asked(client)
    first, second = model.asked
    assert (first.max_tokens, first.temperature, first.include_context) == (321, 0.7, None)
    assert first.model_preferences is not None
    assert (first.model_preferences.intelligence_priority, first.model_preferences.speed_priority) == (0.8, 0.5)
    assert not first.model_preferences.hints
    assert (second.max_tokens, [hint.name for hint in _hints(second)]) == (500, ["some-model"])
    assert [message.role for message in first.messages] == ["user"]
    assert model.prompt.startswith(QUESTION)


@BOTH
async def test_the_reasoning_of_a_clients_model_is_removed_before_the_check(world: World, mode: Mode) -> None:
    await world.source("works", PAGES)
    model = FakeModel(text(f"<think>\nIt may be 4711 litres.{' Or not.' * 1000}\n</think>\n\n{GOOD}"))
    async with connected(world.services, mode=mode, answers=answers_of(world), sampling=model) as client:
        found = await asked(client)
    assert (found["generated_answer"], found["generated_by"]) == (GOOD, "client_sampling")
    assert found["uncited_sentences"] == found["unsupported_claims"] == []


@pytest.mark.requirement("failing-way-leads-to-next", "three-ways-to-answer-in-order", "failed-sampling-is-logged")
@BOTH
@pytest.mark.parametrize(
    ("says", "reason"),
    [(image(), "non_text"), (text("  \n"), "malformed"), (text("<think>\nIs it nine?"), "malformed")],
    ids=["an image", "nothing", "reasoning"],
)
async def test_an_invalid_model_response_leads_to_quotes(world: World, mode: Mode, says: Any, reason: str) -> None:
    await world.source("works", PAGES)
    model = FakeModel(says)
    with capture_logs() as logs:
        async with connected(world.services, mode=mode, answers=answers_of(world), sampling=model) as client:
            found = await asked(client)
    assert (found["generated_by"], found["search_method"]) == ("extractive", "semantic_extractive")
    assert "nine litres" in found["generated_answer"]
    assert [log["reason"] for log in logs if log.get("action") == "answer"] == [reason]


@pytest.mark.requirement("failing-way-leads-to-next", "failed-sampling-is-logged")
async def test_a_declined_request_leads_to_quotes_and_the_clients_words_are_not_repeated(world: World) -> None:
    await world.source("works", PAGES)
    with capture_logs() as logs:
        async with connected(
            world.services, mode="legacy", answers=answers_of(world), sampling=FakeModel(declined())
        ) as client:
            result = await client.call_tool("kb_answer", {"question": QUESTION})
    assert result.structured_content["generated_by"] == "extractive"
    assert "client_sampling: declined" in text_of(result)
    assert "4711" not in f"{result}{logs}"
    assert [log["reason"] for log in logs if log.get("action") == "answer"] == ["declined"]


@pytest.mark.requirement("sampling-is-one-way", "declining-client-gets-quotes-at-once")
async def test_a_client_that_declined_once_is_not_asked_again_in_its_session(world: World) -> None:
    await world.source("works", PAGES)
    model = FakeModel(declined())
    async with connected(world.services, mode="legacy", answers=answers_of(world), sampling=model) as client:
        for _ in range(3):
            result = await client.call_tool("kb_answer", {"question": QUESTION})
            assert "client_sampling: declined" in text_of(result)
    assert len(model.asked) == 1
    another = FakeModel()
    async with connected(world.services, mode="legacy", answers=answers_of(world), sampling=another) as client:
        assert (await asked(client))["generated_by"] == "client_sampling"


@pytest.mark.requirement("declining-2026-client-gets-quotes-at-once")
async def test_a_client_that_ended_a_call_in_its_second_round_gets_quotes_for_the_rest_of_the_session(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "_TOGETHER_SECONDS", -1.0)
    await world.source("works", PAGES)
    model = FakeModel(declined())
    async with connected(world.services, mode="auto", answers=answers_of(world), sampling=model) as client:
        with pytest.raises(MCPError):
            await client.call_tool("kb_answer", {"question": QUESTION})
        for _ in range(3):
            result = await client.call_tool("kb_answer", {"question": QUESTION, "synthesis": "auto"})
            assert result.structured_content["generated_by"] == "extractive"
            assert "client_sampling: declined" in text_of(result)
    assert len(model.asked) == 1
    async with connected(world.services, mode="auto", answers=answers_of(world), sampling=FakeModel()) as client:
        for _ in range(2):  # who agrees is asked again
            assert (await asked(client))["generated_by"] == "client_sampling"


@pytest.mark.requirement("declining-2026-client-gets-quotes-at-once")
async def test_a_client_that_came_back_without_an_answer_gets_quotes_for_the_rest_of_the_session(world: World) -> None:
    await world.source("works", PAGES)
    model = FakeModel()
    async with connected(world.services, mode="auto", answers=answers_of(world), sampling=model) as client:
        call: dict[str, Any] = {"question": QUESTION, "synthesis": "auto"}
        begun = await client.session.call_tool("kb_answer", call, allow_input_required=True)
        assert isinstance(begun, InputRequiredResult)
        result = await client.session.call_tool(
            "kb_answer", call, input_responses={}, request_state=begun.request_state, allow_input_required=True
        )
        assert isinstance(result, CallToolResult)
        assert "client_sampling: declined" in text_of(result)
        assert (await asked(client))["generated_by"] == "extractive"
    assert model.asked == []


async def test_a_model_that_exceeds_its_time_leads_to_quotes(world: World) -> None:
    await world.source("works", PAGES)

    class Late(FakeModel):
        async def __call__(self, context: Any, params: CreateMessageRequestParams) -> Any:
            await released.wait()
            return text(GOOD)

    import asyncio  # noqa: PLC0415

    released = asyncio.Event()
    answers = answers_of(world)
    async with connected(world.services, mode="legacy", answers=answers, sampling=Late(), tool_timeout=0.3) as client:
        result = await client.call_tool("kb_answer", {"question": QUESTION})
        released.set()
    assert result.structured_content["generated_by"] == "extractive"
    assert "client_sampling: timeout" in text_of(result)


@pytest.mark.requirement("quoting-is-always-possible", "three-ways-to-answer-in-order")
@BOTH
async def test_a_client_without_a_model_gets_the_same_quotes_each_time(world: World, mode: Mode) -> None:
    await world.source("works", PAGES)
    async with connected(world.services, mode=mode, answers=answers_of(world)) as client:
        first, second = await asked(client), await asked(client)
    assert first["generated_by"] == "extractive"
    assert first["generated_answer"] == second["generated_answer"]
    assert "[1]" in first["generated_answer"]


@pytest.mark.requirement(
    "nothing-found-is-a-success",
    "no-sampling-without-documents",
    "kb-answer-has-three-tiers",
    "answer-then-documents-then-nothing-found",
)
@BOTH
async def test_nothing_found_is_said_in_a_fixed_text_without_asking_any_model(world: World, mode: Mode) -> None:
    await world.source("works", PAGES)
    model = FakeModel()
    async with connected(world.services, mode=mode, answers=answers_of(world), sampling=model) as client:
        result = await client.call_tool("kb_answer", {"question": "Who conducts the opera in Vienna tonight?"})
    found = result.structured_content
    assert found["generated_answer"] == "No relevant documents found for this query."
    assert (found["sources"], found["total_found"], found["success"]) == ([], 0, True)
    assert (found["generated_by"], found["search_method"]) == ("none", "semantic_sampling")
    assert model.asked == []


@pytest.mark.requirement(
    "documents-stand-in-for-an-answer", "answer-then-documents-then-nothing-found", "kb-answer-has-three-tiers"
)
@BOTH
async def test_synthesis_never_gives_documents_alone(world: World, mode: Mode) -> None:
    await world.source("works", PAGES)
    model = FakeModel()
    async with connected(world.services, mode=mode, answers=answers_of(world), sampling=model) as client:
        found = await asked(client, synthesis="never")
    count = found["total_found"]
    assert found["generated_answer"] == f"Found {count} relevant documents. Please review the sources below."
    assert (found["generated_by"], found["search_method"]) == ("none", "semantic_sampling_fallback")
    assert found["sources"][0]["citation"]["document_id"] == "pump.md#feed-pump"
    assert "nine litres" in found["sources"][0]["excerpt"]
    assert model.asked == []


@pytest.mark.requirement("tools-answer-cap", "answer-default-documents-and-tokens")
async def test_more_tokens_or_documents_than_the_caps_are_refused(world: World) -> None:
    async with connected(world.services, answers=answers_of(world)) as client:
        for wrong in ({"max_answer_tokens": 2001}, {"limit": 51}, {"synthesis": "always"}, {"temperature": 1}):
            result = await client.call_tool("kb_answer", {"question": QUESTION, **wrong})
            assert code_of(result) == "INVALID_ARGUMENT"
            assert next(iter(wrong)) in text_of(result)
        schema = next(tool for tool in (await client.list_tools()).tools if tool.name == "kb_answer").input_schema
    defaults = {name: field.get("default") for name, field in schema["properties"].items()}
    assert (defaults["limit"], defaults["max_answer_tokens"], defaults["synthesis"]) == (5, 500, "auto")


@pytest.mark.requirement("misbehaving-model-is-caught")
@BOTH
async def test_a_generated_answer_of_a_hundred_kilobytes_is_cut_to_the_requested_length(
    world: World, mode: Mode
) -> None:
    await world.source("works", PAGES)
    model = FakeModel(text("Nine litres are needed [1]. " * 4000))
    async with connected(world.services, mode=mode, answers=answers_of(world), sampling=model) as client:
        found = await asked(client)
    assert len(found["generated_answer"].encode()) <= 8 * 500
    assert found["generated_answer"].endswith("[1].")
    assert (found["partial"], found["limit_reason"], found["stop_reason"]) == (True, "token_cap", "maxTokens")
    assert found["usage"]["bytes_returned"] <= 48 * 1024


@pytest.mark.requirement("answers-are-not-cached")
async def test_the_same_question_asks_the_model_again(world: World) -> None:
    await world.source("works", PAGES)
    model = FakeModel()
    async with connected(world.services, answers=answers_of(world), sampling=model) as client:
        await asked(client)
        model.says = text("Nine [1].")
        assert (await asked(client))["generated_answer"] == "Nine [1]."
    assert len(model.asked) == 2


def _hints(params: CreateMessageRequestParams) -> Any:
    assert params.model_preferences is not None
    return params.model_preferences.hints or []


@pytest.mark.requirement("handshake-sampling-over-http")
@pytest.mark.parametrize(
    ("mode", "sessions", "way"),
    [
        ("auto", False, "client_sampling"),
        ("auto", True, "client_sampling"),
        ("legacy", False, "extractive"),
        ("legacy", True, "client_sampling"),
    ],
)
async def test_over_http_a_handshake_client_is_asked_where_sessions_are_kept(
    world: World, mode: Mode, sessions: bool, way: str
) -> None:
    await world.source("works", PAGES)
    async with (
        web_server(world.services, answers=answers_of(world), sessions=sessions) as base,
        Client(f"{base}/mcp", mode=mode, sampling_callback=FakeModel()) as client,
    ):
        assert (await asked(client))["generated_by"] == way


@pytest.mark.requirement("handshake-sampling-over-http")
async def test_people_besides_the_owner_have_no_sessions(world: World) -> None:
    issuer = Issuer()
    headers = {"authorization": f"Bearer {issuer.token()}"}
    async with (
        web_server(world.services, token="owner", reader=issuer.reader(), sessions=True) as base,
        httpx2.AsyncClient(headers=headers) as http,
    ):
        streams = await http.get(f"{base}/mcp", headers={"accept": "text/event-stream"})
        async with Client(streamable_http_client(f"{base}/mcp", http_client=http), mode="legacy") as client:
            await client.list_tools()
        ended = await http.delete(f"{base}/mcp", headers={"mcp-session-id": "a" * 32})
    assert (streams.status_code, ended.status_code) == (405, 405)
