"""The same search over gRPC and over HTTP, in turns.

One process serves both. Each question is asked both ways, and which comes first alternates, so that neither profits
from what the other warmed up.
"""

import asyncio
import json
import statistics
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import grpc
import httpx2
from tests.acceptance.served import token_named_by
from tests.bench.index import ensure_index
from tests.bench.locations import ROOT, index_folder
from tests.bench.serving import COMMAND, environment
from tests.bench.texts import questions
from tests.support.grpc_calls import with_token
from tests.support.web import MODERN, message_in, request_of

from citemark.query.v1.evidence_pb2 import EvidenceServiceSearchRequest
from citemark.query.v1.evidence_pb2_grpc import EvidenceServiceStub

_TIMES = 300
_WARM_UP = 30
"""Questions whose times do not count, both ways."""

_SECONDS = 60


@asynccontextmanager
async def serving(data_dir: Path) -> AsyncGenerator[tuple[str, str, str]]:
    """One server of an index: its address over HTTP, that over gRPC, and the token of both."""
    process = await asyncio.create_subprocess_exec(
        COMMAND, "serve", "--http", "--port", "0", "--grpc", "--grpc-address", "127.0.0.1:0",
        env=environment(data_dir) | {"CITEMARK_LOG_LEVEL": "error"}, cwd=ROOT, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        first, second, third = [(await process.stdout.readline()).decode() for _ in range(3)]
        url = next(word for word in first.split() if word.startswith("http://"))
        yield url, third.split()[3], token_named_by(second)
    finally:
        process.terminate()
        await process.wait()


async def measure(size: int) -> dict[str, object]:
    """Medians of both ways in milliseconds, their ratio, and how many questions had the same passages both ways."""
    await ensure_index(size)
    async with (
        serving(index_folder(size)) as (url, address, token),
        httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=_SECONDS) as http,
        grpc.aio.insecure_channel(address) as channel,
    ):
        stub: Any = EvidenceServiceStub(channel)

        async def over_http(question: str) -> list[str]:
            body, headers = request_of("tools/call", MODERN, name="kb_search", arguments={"query": question})
            answer = json.loads(message_in(await http.post(url, content=body, headers=headers)))
            return [hit["section_id"] for hit in answer["result"]["structuredContent"]["results"]]

        async def over_grpc(question: str) -> list[str]:
            request = EvidenceServiceSearchRequest(query=question)
            answer: Any = await stub.Search(request, metadata=with_token(token), timeout=_SECONDS)
            return [hit.section_id for hit in answer.results]

        took, same = await _in_turns({"http": over_http, "grpc": over_grpc})
    medians = {name: statistics.median(each) * 1000 for name, each in took.items()}
    return {
        "questions": _TIMES,
        "same_hits": same,
        **{f"{name}_p50_ms": round(median, 2) for name, median in medians.items()},
        "ratio": round(medians["grpc"] / medians["http"], 3),
    }


async def _in_turns(ways: dict[str, Callable[[str], Awaitable[list[str]]]]) -> tuple[dict[str, list[float]], int]:
    """Seconds of each call by its way, and how many questions both ways found the same for."""
    took: dict[str, list[float]] = {name: [] for name in ways}
    same = 0
    for turn, question in enumerate(islice(cycle(questions()), _WARM_UP + _TIMES)):
        found: list[list[str]] = []
        for name in sorted(ways, reverse=bool(turn % 2)):
            began = time.perf_counter()
            found.append(await ways[name](question))
            if turn >= _WARM_UP:
                took[name].append(time.perf_counter() - began)
        same += turn >= _WARM_UP and found[0] == found[1]
    return took, same
