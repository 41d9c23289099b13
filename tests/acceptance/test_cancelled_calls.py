"""Clients that give up calls, and servers that are told to end during calls: the rest goes on, without complaints."""

import asyncio
import json
import signal
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TextIO, cast

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from tests.acceptance.served import CITEMARK, ROOT, Served, index
from tests.support.patience import HANG_SECONDS

_CALLS = 12
_MOMENTS = (0.0, 0.02, 0.05, 0.1, 0.2)
"""Seconds after sending the calls: while they wait for connections, and while their statements run."""


@pytest.fixture(scope="module")
def served(indexed_folder: Path) -> Served:
    return index(indexed_folder)


@pytest.fixture
def complaints() -> Generator[TextIO]:
    """What a server writes to its standard error."""
    with tempfile.TemporaryFile("w+") as file:
        yield cast("TextIO", file)


def written(complaints: TextIO) -> str:
    complaints.seek(0)
    return complaints.read()


def calls(question: str) -> list[tuple[str, dict[str, Any]]]:
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("kb_search", {"query": question}),
        ("kb_retrieve_evidence", {"question": question}),
        ("kb_answer", {"question": question}),
        ("kb_list_sources", {}),
    ]
    return kinds * (_CALLS // len(kinds))


@pytest.mark.requirement("cancelled-calls-cost-nothing-else")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_server_answers_on_after_calls_that_its_client_gave_up(
    served: Served, complaints: TextIO, mode: Literal["auto", "legacy"]
) -> None:
    started = StdioServerParameters(command=CITEMARK, args=["serve"], env=served.environment, cwd=str(ROOT))
    async with Client(stdio_client(started, errlog=complaints), mode=mode) as client:
        await client.call_tool("kb_search", {"query": served.question})
        for moment in _MOMENTS:
            tasks = [asyncio.create_task(client.call_tool(*call)) for call in calls(served.question)]
            await asyncio.sleep(moment)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            async with asyncio.timeout(HANG_SECONDS):
                found = await client.call_tool("kb_search", {"query": served.question})
            assert "citric acid" in str(found.content)
    assert written(complaints) == ""


@contextmanager
def answering(served: Served, complaints: TextIO) -> "Generator[tuple[subprocess.Popen[str], TextIO, TextIO]]":
    """A server that has answered a question and has just got a dozen calls, with its input and output."""
    command, pipe = [CITEMARK, "serve"], subprocess.PIPE
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=complaints, env=served.environment, cwd=ROOT, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        to_server, from_server = cast("TextIO", process.stdin), cast("TextIO", process.stdout)
        try:
            to_server.write(line(0, "kb_search", {"query": served.question}))
            to_server.flush()
            assert "citric acid" in from_server.readline()
            for number, (name, arguments) in enumerate(calls(served.question), start=1):
                to_server.write(line(number, name, arguments))
            to_server.flush()
            yield process, to_server, from_server
        finally:
            process.kill()


@pytest.mark.requirement("cancelled-calls-cost-nothing-else", "signal-ends-server-cleanly")
@pytest.mark.parametrize("moment", _MOMENTS)
def test_a_server_that_is_told_to_end_while_calls_arrive_ends_without_complaints(
    served: Served, complaints: TextIO, moment: float
) -> None:
    with answering(served, complaints) as (process, _, _):
        time.sleep(moment)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=HANG_SECONDS)
    assert (process.returncode, written(complaints)) == (0, "")


@pytest.mark.requirement("cancelled-calls-cost-nothing-else")
@pytest.mark.parametrize("moment", _MOMENTS)
@pytest.mark.parametrize("input_too", [True, False], ids=["both pipes", "output alone"])
def test_a_server_whose_host_is_gone_before_its_answers_ends_without_complaints(
    served: Served, complaints: TextIO, moment: float, *, input_too: bool
) -> None:
    with answering(served, complaints) as (process, to_server, from_server):
        time.sleep(moment)
        from_server.close()
        if input_too:
            to_server.close()
        process.wait(timeout=HANG_SECONDS)
    assert (process.returncode, written(complaints)) == (0, "")


def line(number: int, name: str, arguments: dict[str, Any]) -> str:
    """One call as a line, of the protocol without a handshake."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": name, "arguments": arguments, "_meta": meta}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}) + "\n"
