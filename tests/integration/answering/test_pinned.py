"""The second round answers from what the first one found, for whom and as long as it may be read."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, CreateMessageResult, InputRequiredResult, InputResponses
from tests.integration.answering.asking import GOOD, PAGES, QUESTION, FakeModel, answers_of, text
from tests.integration.retrieval.world import World
from tests.unit.tools.clients import connected

from citemark.answering.state import STATE_SECONDS
from citemark.model.ids import SessionId
from citemark.model.scope import READ, Principal
from citemark.services.requests import Caller

BETTER = (
    "# Feed pump priming\n\nHow the feed pump is primed before it starts: the feed pump is primed with eleven litres.\n"
)


@dataclass
class Watch:
    """A clock that stands still until told."""

    now: datetime = field(default_factory=lambda: datetime(2026, 1, 31, tzinfo=UTC))

    def __call__(self) -> datetime:
        return self.now


async def first_round(client: Client, **arguments: Any) -> InputRequiredResult:
    """What a client gets that lets the requests of the server be answered by somebody else."""
    result = await client.session.call_tool("kb_answer", {"question": QUESTION, **arguments}, allow_input_required=True)
    assert isinstance(result, InputRequiredResult)
    return result


async def second_round(
    client: Client, state: str | None, said: CreateMessageResult | None, tool: str = "kb_answer", **arguments: Any
) -> Any:
    asked = {"question": QUESTION, **arguments}
    responses: InputResponses | None = None if said is None else {"answer": said}
    return await client.session.call_tool(
        tool, asked, input_responses=responses, request_state=state, allow_input_required=True
    )


@asynccontextmanager
async def modern(world: World, **options: Any) -> AsyncGenerator[Client]:
    answers = options.pop("answers", None) or answers_of(world)
    async with connected(world.services, answers=answers, sampling=FakeModel(), **options) as client:
        yield client


def refused(error: MCPError) -> None:
    assert error.error.code == INVALID_PARAMS
    assert error.error.message == "Invalid or expired requestState"


@pytest.mark.requirement("retry-answers-from-first-evidence", "tampered-request-state-is-refused")
async def test_the_second_round_answers_from_the_first_ones_evidence_though_the_index_moved(world: World) -> None:
    source = await world.source("works", PAGES)
    async with modern(world) as client:
        asked = await first_round(client)
        assert asked.request_state is not None
        for leaked in ("pump", "litres", "pins"):
            assert leaked not in asked.request_state
        await world.write(source, {"better.md": BETTER})
        done = await second_round(client, asked.request_state, text(GOOD))
        fresh = await client.call_tool("kb_answer", {"question": QUESTION, "synthesis": "never"})
    assert isinstance(done, CallToolResult)
    listed = [each["id"] for each in done.structured_content["sources"]]
    assert listed[0] == "pump.md"
    assert "better.md" not in listed
    assert fresh.structured_content["sources"][0]["id"] == "better.md"
    assert done.structured_content["generated_answer"] == GOOD
    first_as_of = done.structured_content["read_context"]["as_of"]
    assert first_as_of < fresh.structured_content["read_context"]["as_of"]


@pytest.mark.requirement("pinned-evidence-is-verified-again")
async def test_a_document_taken_away_between_the_rounds_is_neither_listed_nor_citable(world: World) -> None:
    source = await world.source("works", PAGES)
    async with modern(world, min_score=0.0) as client:
        asked = await first_round(client)
        del world.memory[source.source_id].texts["pump.md"]
        done = await second_round(client, asked.request_state, text("Nine litres [1]. Twelve bar [2]."))
    found = done.structured_content
    assert "pump.md" not in [each["id"] for each in found["sources"]]
    assert found["sources"], "the others are still there"
    assert 1 not in [each["number"] for each in found["sources"]]
    assert "[1]" not in found["generated_answer"]
    assert found["removed_citations"] == 1
    assert "nine litres" not in str(found["sources"])


@pytest.mark.requirement("pinned-evidence-is-verified-again", "kb-answer-has-three-tiers")
async def test_nothing_is_found_when_all_documents_were_removed(world: World) -> None:
    source = await world.source("works", PAGES)
    async with modern(world) as client:
        asked = await first_round(client)
        world.memory[source.source_id].texts.clear()
        done = await second_round(client, asked.request_state, text(GOOD))
    # What was found gone waits to be taken out of the index, so not everything could be searched.
    assert done.structured_content["empty_reason"] == "not_indexed_yet"
    assert done.structured_content["generated_answer"] == done.structured_content["empty_message"]
    assert done.structured_content["sources"] == []


@pytest.mark.requirement("tampered-request-state-is-refused")
async def test_a_state_that_was_changed_or_made_up_is_refused(world: World) -> None:
    await world.source("works", PAGES)
    async with modern(world) as client:
        state = (await first_round(client)).request_state or ""
        middle = len(state) // 2
        swapped = "A" if state[middle] != "A" else "B"
        wrong = [state[:middle] + swapped + state[middle + 1 :], state[:-8], "s1.", "s1.AAAA", '{"pins": []}', ""]
        for token in wrong:
            with pytest.raises(MCPError) as error:
                await second_round(client, token, text(GOOD))
            refused(error.value)


@pytest.mark.requirement("tampered-request-state-is-refused")
async def test_a_request_state_is_valid_only_for_its_own_arguments_and_tool(world: World) -> None:
    await world.source("works", PAGES)
    async with modern(world) as client:
        state = (await first_round(client)).request_state
        with pytest.raises(MCPError) as error:
            await second_round(client, state, text(GOOD), limit=4)
        refused(error.value)
        with pytest.raises(MCPError) as error:
            await client.session.call_tool("kb_retrieve_evidence", {"question": QUESTION}, request_state=state)
        refused(error.value)
        assert isinstance(await second_round(client, state, text(GOOD)), CallToolResult)


@pytest.mark.requirement("tampered-request-state-is-refused")
async def test_a_request_state_of_another_person_is_refused(world: World) -> None:
    await world.source("works", PAGES)
    other = Principal("local", "bob", frozenset({READ}))
    async with modern(world) as mine, modern(world, caller=Caller(other, SessionId("s_bob"))) as bobs:
        state = (await first_round(mine)).request_state
        with pytest.raises(MCPError) as error:
            await second_round(bobs, state, text(GOOD))
        refused(error.value)


@pytest.mark.requirement("tampered-request-state-is-refused")
async def test_a_state_expires(world: World) -> None:
    await world.source("works", PAGES)
    clock = Watch()
    async with modern(world, answers=answers_of(world, clock)) as client:
        state = (await first_round(client)).request_state
        clock.now += timedelta(seconds=STATE_SECONDS - 1)
        assert isinstance(await second_round(client, state, text(GOOD)), CallToolResult)
        clock.now += timedelta(seconds=1)
        with pytest.raises(MCPError) as error:
            await second_round(client, state, text(GOOD))
        refused(error.value)


@pytest.mark.requirement("tampered-request-state-is-refused")
async def test_another_server_of_the_same_index_opens_the_state(world: World) -> None:
    await world.source("works", PAGES)
    async with modern(world) as one, modern(world) as another:
        state = (await first_round(one)).request_state
        done = await second_round(another, state, text(GOOD))
    assert done.structured_content["generated_by"] == "client_sampling"


@pytest.mark.requirement("failing-way-leads-to-next")
async def test_a_second_round_without_the_models_words_is_answered_from_quotes(world: World) -> None:
    await world.source("works", PAGES)
    async with modern(world) as client:
        state = (await first_round(client)).request_state
        done = await second_round(client, state, None)
    assert isinstance(done, CallToolResult)
    assert done.structured_content["generated_by"] == "extractive"
    assert "client_sampling: declined" in str(done.content)


async def test_unrequested_phrasings_are_not_used(world: World) -> None:
    await world.source("works", PAGES)
    async with modern(world) as client:
        result = await second_round(client, None, text("Forty litres [1]."))
    assert isinstance(result, InputRequiredResult)
