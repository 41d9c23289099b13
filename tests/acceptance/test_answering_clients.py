"""Clients of several makers and ages whose model answers, over stdio and a real index."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.session import ClientRequestContext
from mcp.client.stdio import stdio_client
from mcp_types import CreateMessageRequestParams, CreateMessageResult, TextContent
from tests.acceptance.served import ROOT, index, over_http
from tests.interop.environments import command_of
from tests.interop.matrix import Foreign
from tests.support.patience import HANG_SECONDS
from tests.support.slow_tests import quick_first

SAYS = "Use citric acid [1]. Never use 4711 litres of it [8]."
TYPESCRIPT = [
    Foreign("before 2", "sampling_1.mjs", "@modelcontextprotocol/sdk"),
    Foreign("since 2", "sampling_2.mjs", "@modelcontextprotocol/client", ("auto",)),
    Foreign("since 2, handshake", "sampling_2.mjs", "@modelcontextprotocol/client", ("legacy",)),
]


def asked(folder: Path) -> dict[str, Any]:
    served = index(folder)
    return {"command": served.command, "env": served.environment, "question": served.question, "says": SAYS}


def checked(found: dict[str, Any]) -> None:
    """The answer that the client's model gave, with its check."""
    assert (found["generated_by"], found["search_method"]) == ("client_sampling", "semantic_sampling")
    assert found["model_used"] in {"scripted", "fake"}
    assert found["generated_answer"].startswith("Use citric acid [1].")
    assert found["removed_citations"] == 1
    assert found["unsupported_claims"] == ["4711"]
    assert found["sources"][0]["number"] == found["citations"][0]["number"] == 1


def ran(command: list[str], environment: dict[str, str] | None = None) -> dict[str, Any]:
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, timeout=HANG_SECONDS, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


async def model(context: ClientRequestContext, params: CreateMessageRequestParams) -> CreateMessageResult:
    return answer()


def answer() -> CreateMessageResult:
    return CreateMessageResult(role="assistant", content=TextContent(text=SAYS), model="fake")


@pytest.mark.requirement("answers-tested-with-four-clients", "sampling-in-both-eras")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_model_of_a_client_of_the_sdk_answers_over_stdio_in_both_eras(
    indexed_folder: Path, mode: Any
) -> None:
    wanted = asked(indexed_folder)
    command = wanted["command"]
    server = StdioServerParameters(command=command[0], args=command[1:], env=wanted["env"], cwd=str(ROOT))
    async with Client(stdio_client(server), mode=mode, sampling_callback=model) as client:
        checked((await client.call_tool("kb_answer", {"question": wanted["question"]})).structured_content)


@pytest.mark.requirement("answers-tested-with-four-clients")
async def test_over_http_the_second_round_may_come_to_another_server(indexed_folder: Path) -> None:
    served = index(indexed_folder)
    with over_http(served) as one, over_http(served) as another:
        async with (
            Client(one.streams(), sampling_callback=model) as first,
            Client(another.streams(), sampling_callback=model) as second,
        ):
            question = {"question": served.question}
            checked((await first.call_tool("kb_answer", question)).structured_content)
            round_one: Any = await first.session.call_tool("kb_answer", question, allow_input_required=True)
            done: Any = await second.session.call_tool(
                "kb_answer",
                question,
                input_responses={"answer": answer()},
                request_state=round_one.request_state,
            )
            checked(done.structured_content)
        async with Client(one.streams(), mode="legacy", sampling_callback=model) as old:
            found = (await old.call_tool("kb_answer", {"question": served.question})).structured_content
            assert found["generated_by"] == "extractive", "without sessions there is no way back to such a client"


@pytest.mark.requirement("answers-tested-with-four-clients")
def test_the_model_of_a_client_of_the_sdk_before_2_answers(indexed_folder: Path, old_python: Path) -> None:
    script = ROOT / "tests" / "acceptance" / "old_sampling_client.py"
    checked(ran([str(old_python), str(script), json.dumps(asked(indexed_folder))]))


@pytest.mark.requirement("answers-tested-with-four-clients")
@pytest.mark.parametrize("client", quick_first(*TYPESCRIPT), ids=lambda client: client.name)
@pytest.mark.requirement("no-test-depends-on-the-clock")
def test_the_model_of_a_typescript_client_answers(indexed_folder: Path, client: Foreign) -> None:
    command, _ = command_of(client)
    checked(ran([*command, json.dumps(asked(indexed_folder)), *client.arguments]))
