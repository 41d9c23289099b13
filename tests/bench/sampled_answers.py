"""Answers by the client's model, over stdio: what the server adds to one, and what 16 of them cost the others."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.session import ClientRequestContext
from mcp.client.stdio import stdio_client
from mcp_types import CreateMessageRequestParams, CreateMessageResult, TextContent
from tests.bench.index import ensure_index
from tests.bench.locations import ROOT, index_folder
from tests.bench.measure import Latency, Stopwatch, load
from tests.bench.serving import COMMAND, ask, environment
from tests.bench.texts import questions

from citemark.model.errors import BackendUnavailable

_ANSWERS = 100
_WARM_UP = 20
_IN_FLIGHT = 16
_MODEL_SECONDS = 2.0
_ROUNDS = 4
"""How often a full set of answers is in flight, so that searches beside them are many enough for a p95."""


class _Model:
    """A client's model that takes a given time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    async def __call__(self, context: ClientRequestContext, params: CreateMessageRequestParams) -> CreateMessageResult:
        if self._seconds:
            await asyncio.sleep(self._seconds)
        return CreateMessageResult(
            role="assistant", content=TextContent(text="It is so, as the first of them says [1]."), model="bench"
        )


async def measure(size: int) -> dict[str, object]:
    """The two bars on answers at one size of the index."""
    await ensure_index(size)
    asked = (questions() * 2)[: _ANSWERS + _WARM_UP]
    before = load()
    async with _served(size, _Model(0)) as client:
        for text in asked[:_WARM_UP]:
            await _answered(client, text)
        took = [await _added(client, text) for text in asked[_WARM_UP:]]
        added = Latency.of([seconds for seconds in took if seconds is not None])
    async with _served(size, _Model(_MODEL_SECONDS)) as client:
        for text in asked[:_WARM_UP]:
            await ask(client, text)
        idle = Latency.of([await _searched(client, text) for text in asked])
        busy, served = await _beside(client, asked)
    return {
        "added": added.as_dict(),
        "idle": idle.as_dict(),
        "in_flight": busy.as_dict(),
        "p95_ratio": round(busy.p95 / idle.p95, 2),
        "answers": served,
        "asked": _IN_FLIGHT * _ROUNDS,
        "load": [before, load()],
    }


async def _beside(client: Client, asked: list[str]) -> tuple[Latency, int]:
    """Searches while answers are in flight, and how many of those came from the model."""
    times: list[float] = []
    served = 0
    for turn in range(_ROUNDS):
        texts = [asked[(turn * _IN_FLIGHT + number) % len(asked)] for number in range(_IN_FLIGHT)]
        answers = [asyncio.create_task(_answered(client, text)) for text in texts]
        at = 0
        while not all(task.done() for task in answers):
            times.append(await _searched(client, asked[at % len(asked)]))
            at += 1
        served += sum(task.result() in {"client_sampling", "none"} for task in answers)
    return Latency.of(times), served


async def _added(client: Client, text: str) -> float | None:
    """Seconds of one answer in both rounds, with a model that takes no time; None where nobody had to be asked."""
    watch = Stopwatch()
    way = await _answered(client, text)
    return watch.lap() if way == "client_sampling" else None


async def _searched(client: Client, text: str) -> float:
    watch = Stopwatch()
    await ask(client, text)
    return watch.lap()


async def _answered(client: Client, text: str) -> str:
    """Who gave the answer; "none" where no document is relevant enough, so that nobody was asked."""
    result = await client.call_tool("kb_answer", {"question": text})
    if result.is_error:
        raise BackendUnavailable(f"kb.answer failed: {result.content}")
    found: dict[str, Any] = result.structured_content or {}
    return found["generated_by"]


@asynccontextmanager
async def _served(size: int, model: _Model) -> AsyncGenerator[Client]:
    server = StdioServerParameters(command=COMMAND, args=["serve"], env=environment(index_folder(size)), cwd=str(ROOT))
    async with Client(stdio_client(server, errlog=sys.stderr), sampling_callback=model) as client:
        yield client
