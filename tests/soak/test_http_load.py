"""Many clients at one HTTP server for a while: every call is answered, and its memory stays what it was."""

import asyncio
import os
import random
import time
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from tests.acceptance.commands import Commands
from tests.acceptance.served import OverHttp, index, indexed, over_http
from tests.support.web import MODERN, request_of

pytestmark = pytest.mark.slow

CLIENTS = 32
LONG = bool(os.environ.get("CITEMARK_SOAK"))
ROUNDS = 50 if LONG else 1
FIRST = CLIENTS if LONG else 6  # clients that come before the memory is first looked at
MAX_GROWTH = 24 * 2**20  # bytes: what 50 rounds may add; a leak of 16 kB a call would show
_QUESTIONS = ("Which descaler may be used?", "How long is the warranty?", "Who opens the shop?")


def resident(pid: int) -> int:
    """Bytes of memory that a process holds."""
    pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


async def visit(server: OverHttp, number: int, seconds: list[float]) -> None:
    """One client: search, quote, read on; and one more call that it does not wait for."""
    chance = random.Random(number)
    question = _QUESTIONS[number % len(_QUESTIONS)]
    async with Client(server.streams(), mode="legacy" if number % 2 else "auto") as client:
        for tool, argument in (("kb_search", "query"), ("kb_retrieve_evidence", "question")):
            began = time.perf_counter()
            found = await client.call_tool(tool, {argument: question})
            seconds.append(time.perf_counter() - began)
            assert not found.is_error, found
        evidence = found.structured_content
        for quote in evidence["quotes"][:1]:
            scratch = f"citemark://scratch/{evidence['session_id']}/{quote['passage_id']}"
            assert (await client.read_resource(scratch)).contents
    arguments = {"name": "kb_search", "arguments": {"query": question}}
    body, headers = request_of("tools/call", chance.choice((MODERN, "2025-11-25")), **arguments)
    async with httpx2.AsyncClient() as impatient:
        asked = asyncio.create_task(impatient.post(server.url, content=body, headers=headers | server.headers))
        await asyncio.wait([asked], timeout=chance.random() / 50)
        asked.cancel()
        await asyncio.wait([asked])


@pytest.mark.requirement(
    "many-http-clients-see-no-error", "requests-leave-no-memory", "vanished-client-releases-its-work"
)
async def test_32_clients_are_answered_and_leave_no_memory_behind(commands: Commands) -> None:
    with indexed(commands.run) as folder, over_http(index(folder)) as server:
        seconds: list[float] = []
        await asyncio.gather(*(visit(server, number, []) for number in range(FIRST)))
        warm = resident(server.process.pid)
        for _ in range(ROUNDS):
            await asyncio.gather(*(visit(server, number, seconds) for number in range(CLIENTS)))
        grown = resident(server.process.pid) - warm
        seconds.sort()
        print(  # noqa: T201 - the figures of a soak
            f"{len(seconds)} calls of {CLIENTS} clients: p50 {seconds[len(seconds) // 2]:.2f} s, "
            f"p95 {seconds[len(seconds) * 95 // 100]:.2f} s; {warm / 2**20:.0f} MiB, {grown / 2**20:+.1f} MiB after"
        )
        assert len(seconds) == ROUNDS * CLIENTS * 2
        assert grown < MAX_GROWTH
