"""`citemark serve --http` as a process: the SDK's client in both eras, and the same surface as over stdio."""

import json
import signal
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any, Literal

import httpx2
import pytest
from mcp import Client
from mcp_types import TextContent, TextResourceContents
from tests.acceptance.served import CITEMARK, ROOT, OverHttp, Served, index, over_http
from tests.support.patience import HANG_SECONDS
from tests.support.web import MODERN, message_in, request_of

from citemark.text.escaping import marked

Mode = Literal["auto", "legacy"]
BOTH = pytest.mark.parametrize("mode", ["auto", "legacy"])


@pytest.fixture(scope="module")
def served(indexed_folder: Path) -> Served:
    return index(indexed_folder)


@pytest.fixture(scope="module")
def server(served: Served) -> Generator[OverHttp]:
    with over_http(served) as running:
        yield running


def tools_in(message: str) -> str:
    """The list of tools as it stands in a message, character by character."""
    start = message.index('"tools":') + len('"tools":')
    _, end = json.JSONDecoder().raw_decode(message, start)
    return message[start:end]


def asked_over_stdio(served: Served, version: str) -> str:
    lines = [request_of("tools/list", version)[0]]
    if version < MODERN:
        about = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
        lines.insert(0, json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about}).encode())
        lines.insert(1, b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
    text = b"".join(line + b"\n" for line in lines)
    done = subprocess.run(
        served.command,
        input=text,
        capture_output=True,
        cwd=ROOT,
        env=served.environment,
        timeout=HANG_SECONDS,
        check=True,
    )
    return done.stdout.decode().splitlines()[-1]


@pytest.mark.requirement("both-transports-list-the-same-tools", "http-clients-bear-missing-structure")
@pytest.mark.parametrize("version", [MODERN, "2025-11-25", "2025-06-18", "2025-03-26"])
def test_both_transports_list_the_same_tools_byte_for_byte(served: Served, server: OverHttp, version: str) -> None:
    body, headers = request_of("tools/list", version)
    over_http = tools_in(message_in(httpx2.post(server.url, content=body, headers=headers | server.headers)))
    assert over_http == tools_in(asked_over_stdio(served, version))
    assert {"annotations", "inputSchema", "name"} <= json.loads(over_http)[0].keys()


@pytest.mark.requirement("both-protocol-eras-by-real-clients", "loopback-http-is-stateless")
@BOTH
async def test_a_question_is_answered_and_read_on_over_connections_of_their_own(
    served: Served, server: OverHttp, mode: Mode
) -> None:
    async with Client(server.streams(), mode=mode) as client:
        evidence = await client.call_tool("kb_retrieve_evidence", {"question": served.question})
    assert not evidence.is_error, evidence
    quote = evidence.structured_content["quotes"][0]
    assert isinstance(evidence.content[0], TextContent)
    assert "\n".join(marked(quote["quote"])) in evidence.content[0].text
    async with Client(server.streams(), mode=mode) as client:
        session = evidence.structured_content["session_id"]
        whole = (await client.read_resource(f"citemark://scratch/{session}/{quote['passage_id']}")).contents[0]
        around = await client.call_tool("kb_expand_excerpt", {"passage_id": quote["passage_id"]})
        verdict = await client.call_tool("kb_verify_quote", {"citation": quote["citation"], "quote": quote["quote"]})
        wrong = await client.call_tool("kb_search", {"query": served.question, "top_k": 99})
    assert isinstance(whole, TextResourceContents)
    assert not around.is_error, around
    assert verdict.structured_content["holds"] == "exact"
    assert wrong.is_error
    assert wrong.structured_content["error"]["code"] == "INVALID_ARGUMENT"


async def test_health_is_ready_once_a_call_was_answered(served: Served, server: OverHttp) -> None:
    async with Client(server.streams()) as client:
        await client.call_tool("kb_search", {"query": served.question})
    async with httpx2.AsyncClient() as http:
        health = await http.get(server.url.replace("/mcp", "/health"))
    assert (health.status_code, health.json()["status"]) == (200, "ready")


@pytest.mark.requirement("unreachable-backend-is-named")
async def test_without_its_database_the_tools_are_listed_and_calls_and_health_say_what_is_missing() -> None:
    nowhere = {"CITEMARK_DATABASE_URL": "postgresql://me:pw-4711@127.0.0.1:1/none?connect_timeout=5"}
    with over_http(Served([], "", nowhere)) as server:
        async with Client(server.streams()) as client:
            assert (await client.list_tools()).tools
            failed = await client.call_tool("kb_search", {"query": "ports"})
        async with httpx2.AsyncClient() as http:
            health = await http.get(server.url.replace("/mcp", "/health"), headers=server.headers)
    assert failed.structured_content["error"]["code"] == "BACKEND_UNAVAILABLE"
    assert (health.status_code, health.json()["status"]) == (503, "unavailable")
    assert "database" in health.json()["reason"]
    assert "pw-4711" not in health.text


@pytest.mark.requirement("http-clients-bear-missing-structure")
async def test_without_structured_content_the_text_holds_everything(served: Served) -> None:
    plain = Served(served.command, served.question, {**served.env, "MCP_STRUCTURED_OUTPUT_ENABLED": "0"})
    modes: tuple[Mode, ...] = ("auto", "legacy")
    with over_http(plain) as server:
        for mode in modes:
            async with Client(server.streams(), mode=mode) as client:
                tools = (await client.list_tools()).tools
                found = await client.call_tool("kb_search", {"query": served.question})
            assert [tool.output_schema for tool in tools] == [None] * len(tools)
            assert found.structured_content is None
            assert isinstance(found.content[0], TextContent)
            assert json.loads(found.content[0].text)["results"]


@pytest.mark.requirement("both-protocol-eras-by-real-clients")
def test_a_client_of_the_sdk_before_2_finds_evidence_over_http(
    served: Served, server: OverHttp, old_python: Path
) -> None:
    script = ROOT / "tests" / "acceptance" / "old_client.py"
    asked = json.dumps({"url": server.url, "token": server.token, "question": served.question})
    done = subprocess.run(
        [str(old_python), str(script), asked], capture_output=True, text=True, timeout=HANG_SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    assert seen["protocol"] == "2025-11-25"
    assert "\n".join(marked(seen["evidence"]["quotes"][0]["quote"])) in seen["text"]
    assert seen["scratch"]
    assert seen["wrong"]["structured"]["error"]["code"] == "INVALID_ARGUMENT"


@pytest.mark.requirement("signal-ends-server-cleanly")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_told_to_end_it_ends_though_clients_are_connected(served: Served, number: signal.Signals) -> None:
    with over_http(served) as server, httpx2.Client() as http:
        assert http.get(server.url.replace("/mcp", "/health")).status_code in {200, 503}
        server.process.send_signal(number)
        assert server.process.wait(HANG_SECONDS) == 0
        assert server.process.stderr is not None
        assert server.process.stderr.read() == ""


_TOLD_AT_ONCE = """
import builtins, os, signal, sys
from citemark.app.serve_http import serve_http
from citemark.shutdown import leave
signals = [int(sys.argv[1])]
builtins.print = lambda *words, **more: signals and os.kill(os.getpid(), signals.pop())
leave(serve_http("127.0.0.1", 0))
"""


@pytest.mark.requirement("signal-ends-server-cleanly", "sigterm-ends-within-seconds")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("before", [signal.SIG_DFL, signal.SIG_IGN], ids=["usual", "ignored by the parent"])
def test_told_to_end_as_soon_as_it_says_where_it_serves_it_ends(
    served: Served, number: signal.Signals, before: signal.Handlers
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _TOLD_AT_ONCE, str(int(number))],
        env=served.environment,
        cwd=ROOT,
        timeout=HANG_SECONDS,
        check=False,
        capture_output=True,
        text=True,
        preexec_fn=lambda: signal.signal(number, before),
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.requirement("reachable-addresses-are-refused")
@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--http", "--no-token", "--host", "0.0.0.0"], "add --without-authentication"),  # noqa: S104
        (["--http", "--without-authentication"], "belongs to --no-token"),
        (["--port", "1"], "belong to --http"),
        (["--grpc", "--grpc-address", "0.0.0.0:0"], "Add --grpc-cert and --grpc-key"),
        (["--grpc", "--no-token", "--grpc-address", "0.0.0.0:0"], "add --without-authentication"),
        (["--grpc", "--grpc-cert", "/nowhere.pem"], "belong together"),
        (["--grpc-address", "127.0.0.1:0"], "belong to --grpc"),
    ],
)
def test_a_server_is_not_started_with_unsafe_or_contradictory_options(
    served: Served, arguments: list[str], reason: str
) -> None:
    command = [CITEMARK, "serve", *arguments]
    done = subprocess.run(
        command, env=served.environment, capture_output=True, text=True, timeout=HANG_SECONDS, check=False
    )
    assert done.returncode == 2
    assert reason in " ".join(done.stderr.split())


@pytest.mark.requirement("loopback-token-readable-by-owner")
def test_only_the_owner_can_read_the_token_and_another_account_gets_nothing(served: Served, server: OverHttp) -> None:
    place = Path(served.env["CITEMARK_DATA_DIR"]) / "http.token"
    assert (place.read_text().strip(), place.stat().st_mode & 0o777) == (server.token, 0o600)
    body, headers = request_of("tools/list", MODERN)
    assert httpx2.post(server.url, content=body, headers=headers).status_code == 401
    assert httpx2.post(server.url, content=body, headers=headers | server.headers).status_code == 200


@pytest.mark.requirement("loopback-token-readable-by-owner")
def test_serving_without_a_token_explains_the_consequences(served: Served) -> None:
    command = [CITEMARK, "serve", "--http", "--no-token", "--port", "0"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=served.environment, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        url = next(word for word in process.stdout.readline().split() if word.startswith("http://"))
        assert "every account and every program of this machine can read the index" in process.stdout.readline()
        body, headers = request_of("tools/list", MODERN)
        assert httpx2.post(url, content=body, headers=headers).status_code == 200
        process.terminate()
