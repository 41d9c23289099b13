"""Every tool of a real server, called with arguments drawn from its schema: an answer each time, never a crash.

The tools that answer ask a model that talks nonsense, breaks off, refuses or takes its time.
"""

import asyncio
import json
import os
import time
from collections import Counter
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import INTERNAL_ERROR, CallToolResult, Tool
from tests.acceptance.commands import Commands
from tests.acceptance.served import CITEMARK, ROOT, Served, index
from tests.integration.store.embedded_support import clean_up
from tests.nextcloud.separate_server import SeparateServer
from tests.nextcloud.server import Nextcloud
from tests.support.chat import ChatServer, chat_server, said
from tests.support.hostile_texts import ODD_WORDS
from tests.support.model_files import large_model
from tests.support.postgres import reachable_folder
from tests.support.tool_arguments import Arguments

from citemark.evidence.budget import RESULT_BYTES

LONG = bool(os.environ.get("CITEMARK_SOAK"))
CALLS = 20_000 if LONG else 400
_AT_ONCE = 6
_ANSWERING = frozenset({"kb_answer", "nc_semantic_search_answer"})
_MOST_SECONDS = 5
"""What the server gives a model, and three times that a call that asks one."""

_LEAST_TOOLS = 20
"""What an index of documents, an account and a model lists."""

_PATIENCE = 60.0
"""Seconds for one call; the server itself gives up long before."""


class Mad(ChatServer):
    """A model that says something else each time, hardly ever what it was asked for."""

    def answer(self, body: dict[str, Any]) -> tuple[int, bytes]:
        self.asked.append(body)
        chance = Random(len(self.asked))
        time.sleep(chance.choice((*(0,) * 20, 0.2, 0.2, 0.2, 0.2, _MOST_SECONDS + 2)))  # the slowness is the model's
        return chance.choice((200, 200, 200, 200, 429, 500)), chance.choice(_SAID)


_WORDS: tuple[object, ...] = (
    *ODD_WORDS,
    "half a character \ud83d [1]",
    "[1]",
    "[1][2][3]",
    "[9]. " * 5_000,
    None,
    7,
    (),
    {"a": 1},
)
_SAID = (
    *(json.dumps(said(word)).encode() for word in _WORDS),
    *(b"", b"{", b"null", b"[]", b'{"choices": null}', b'{"choices": [null]}', b'{"choices": [{"message": 1}]}'),
    *(b"[" * 100_000, b"\xff" * 1_000, b'{"choices": [' + b"{}," * 10_000 + b"{}]}", b"x" * 3_000_000),
    json.dumps(said("Only citric acid [1] may be used [2].")).encode(),
)


@pytest.fixture
def model() -> Generator[ChatServer]:
    with chat_server(Mad()) as started:
        yield started


@pytest.fixture
def served(commands: Commands, model: ChatServer) -> Generator[Served]:
    """A server over a folder, an account and a model of an architecture; its answers come from `model`."""
    folder = reachable_folder()
    asking = {
        "CITEMARK_ANSWER_URL": model.url,
        "CITEMARK_ANSWER_MODEL": "mad",
        "CITEMARK_TOOL_TIMEOUT": str(_MOST_SECONDS),
    }
    served = index(folder / "data")
    architecture = folder / "model.xml"
    architecture.write_bytes(large_model(60).exchange())
    with SeparateServer() as server:
        password = server.do(_fill)
        account = ("nextcloud", server.url, "--user", "alice", "--app-password", password)
        for source in (
            ("docs", str(ROOT / "examples"), "--name", "handbook"),
            ("archimate", str(architecture)),
            account,
        ):
            commands.run("add", *source, "--quiet", env=served.environment, timeout=_PATIENCE, check=True)
        yield replace(served, env=served.env | asking)
    clean_up(folder)


def _fill(server: Nextcloud) -> str:
    for number in range(12):
        server.world.notes.add("alice", f"Heron {number}", f"The heron note number {number} tells who travels.")
    server.world.files.put("alice", "a.txt", b"Words of a file about travel expenses.")
    return server.password("alice")


@pytest.mark.requirement("attacks-kept-in-the-soak")
@pytest.mark.timeout(3600 if LONG else 600)
async def test_whatever_a_tool_is_called_with_the_server_answers_within_its_bounds(
    served: Served, model: ChatServer, tmp_path: Path
) -> None:
    parameters = StdioServerParameters(command=CITEMARK, args=["serve"], env=served.environment, cwd=str(ROOT))
    errors = tmp_path / "stderr"
    with errors.open("w", encoding="utf-8") as log:
        async with Client(stdio_client(parameters, errlog=log)) as client:
            tools = (await client.list_tools()).tools
            assert len(tools) >= _LEAST_TOOLS, [tool.name for tool in tools]
            assert {tool.name for tool in tools} >= _ANSWERING
            outcomes = await _call_all(client, tools)
            assert not (await client.call_tool("kb_search", {"query": served.question})).is_error
    said = errors.read_text("utf-8")
    assert "Traceback" not in said, said[-3000:]
    assert "a tool call failed" not in said, said[-3000:]
    print(f"{sum(outcomes.values())} calls of {len(tools)} tools: {dict(outcomes.most_common())}")  # noqa: T201 - figures
    assert len(model.asked) > CALLS / 500, "the model was hardly asked"
    assert outcomes["answered"] > CALLS / 10, outcomes
    assert outcomes["INVALID_ARGUMENT"] > CALLS / 10, outcomes


async def _call_all(client: Client, tools: list[Tool]) -> Counter[str]:
    """How often each outcome came; a draw, and so a failure, depends on the seed of its caller."""
    outcomes = Counter[str]()

    async def caller(number: int) -> None:
        arguments = Arguments(Random(number))
        for turn in range(CALLS // _AT_ONCE + (number < CALLS % _AT_ONCE)):
            tool = tools[(turn * _AT_ONCE + number) % len(tools)]
            drawn = arguments.draw(tool.input_schema)
            async with asyncio.timeout(_PATIENCE):
                outcomes[await _outcome(client, tool.name, drawn, arguments)] += 1

    await asyncio.gather(*(caller(number) for number in range(_AT_ONCE)))
    return outcomes


async def _outcome(client: Client, name: str, drawn: dict[str, Any], arguments: Arguments) -> str:
    """The code of the failure, or "answered"; what it may not be fails the test with the call that led to it."""
    call = f"{name} {json.dumps(drawn)[:2000]}"
    try:
        result = await client.call_tool(name, drawn)
    except MCPError as error:
        if error.code == INTERNAL_ERROR:
            pytest.fail(f"{call}: {error}")
        return f"refused {error.code}"
    assert isinstance(result, CallToolResult), call
    wire = result.model_dump_json(by_alias=True, exclude_none=True)
    assert len(wire.encode()) <= RESULT_BYTES, f"{call}: {len(wire)} bytes"
    assert "Traceback (most" not in wire, call
    if result.is_error:
        code: str = result.structured_content["error"]["code"]
        assert code != "INTERNAL_ERROR", f"{call}: {wire}"
        return code
    arguments.learn(result.structured_content)
    return "answered"
