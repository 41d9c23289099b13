"""`citemark bridge` as a process: the SDK's client in both eras, through one server that a person has started."""

import json
import stat
import subprocess
import sys
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import TextContent
from tests.acceptance.served import CITEMARK, ROOT, OverHttp, Served, index, over_http
from tests.support.patience import HANG_SECONDS

from citemark.folders import socket_file

_HELLO: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}
_LOADED = """import sys
sys.argv[1:] = ["bridge"]
from citemark.app import main
import citemark.shutdown
def told(code): sys.stderr.write(" ".join(sys.modules)); raise SystemExit(code)
citemark.shutdown.leave = told
main.main()
"""


@pytest.fixture(scope="module")
def bridged(indexed_folder: Path) -> Served:
    return replace(index(indexed_folder), command=[CITEMARK, "bridge"])


@pytest.fixture(scope="module")
def server(indexed_folder: Path) -> Generator[OverHttp]:
    with over_http(index(indexed_folder)) as running:
        yield running


def asked(served: Served, command: list[str], *messages: dict[str, Any]) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        command,
        input=b"".join(json.dumps(message).encode() + b"\n" for message in messages),
        capture_output=True,
        cwd=ROOT,
        env=served.environment,
        timeout=HANG_SECONDS,
        check=True,
    )


@pytest.mark.requirement("one-server-by-a-bridge")
@pytest.mark.usefixtures("server")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_client_gets_cited_evidence_through_the_bridge(
    bridged: Served, mode: Literal["auto", "legacy"]
) -> None:
    started = StdioServerParameters(command=CITEMARK, args=["bridge"], env=bridged.environment, cwd=str(ROOT))
    async with Client(stdio_client(started), mode=mode) as client:
        assert "kb_search" in {tool.name for tool in (await client.list_tools()).tools}
        found = await client.call_tool("kb_search", {"query": bridged.question})
        assert isinstance(found.content[0], TextContent)
        assert "citric acid" in found.content[0].text


@pytest.mark.requirement("one-server-by-a-bridge")
@pytest.mark.usefixtures("server")
def test_a_bridge_loads_nothing_that_opens_an_index_or_speaks_a_protocol(bridged: Served) -> None:
    done = asked(bridged, [sys.executable, "-c", _LOADED], _HELLO)
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "citemark"
    loaded = set(done.stderr.decode().split())
    assert "citemark.tools.bridge.relay" in loaded
    slow = {"asyncio", "pydantic", "mcp", "anyio", "numpy", "onnxruntime", "psycopg", "structlog", "typer", "httpx2"}
    assert not slow & loaded
    assert not {"citemark.settings", "citemark.store", "citemark.services"} & loaded


@pytest.mark.requirement("one-server-by-a-bridge")
def test_the_socket_is_its_owners_alone_and_the_token_is_asked_there_too(
    server: OverHttp, bridged: Served, indexed_folder: Path, tmp_path: Path
) -> None:
    socket = socket_file(indexed_folder)
    assert stat.S_IMODE(socket.stat().st_mode) == 0o600
    other = tmp_path / "other"
    other.mkdir()
    socket_file(other).symlink_to(socket)  # with a token of its own
    answer = asked(replace(bridged, env={"CITEMARK_DATA_DIR": str(other)}), bridged.command, _HELLO)
    assert "requires a token" in json.loads(answer.stdout)["error"]["message"]
    assert server.process.poll() is None


@pytest.mark.requirement("one-server-by-a-bridge")
def test_without_a_server_the_bridge_serves_by_itself(bridged: Served, tmp_path: Path) -> None:
    alone = replace(bridged, env={"CITEMARK_DATA_DIR": str(tmp_path / "data")})
    answer = asked(alone, bridged.command, _HELLO)
    assert json.loads(answer.stdout)["result"]["serverInfo"]["name"] == "citemark"
    assert not socket_file(tmp_path / "data").exists()


_SEARCHED = """import atexit, sys
sys.argv[1:] = ["search", "Which descaler may be used?"]
from citemark.app import main
atexit.register(lambda: sys.stderr.write(" ".join(sys.modules)))
main.main()
"""


@pytest.mark.requirement("commands-ask-the-running-server")
@pytest.mark.usefixtures("server")
def test_a_search_beside_a_server_loads_neither_database_nor_model_nor_protocol(bridged: Served) -> None:
    def loaded() -> set[str]:
        done = asked(bridged, [sys.executable, "-c", _SEARCHED])
        assert b"citric acid" in done.stdout
        return set(done.stderr.decode().split())

    heavy = {
        "citemark.app.open_index",
        "psycopg",
        "onnxruntime",
        "numpy",
        "mcp",
        "pydantic_settings",
        "rich",
    }
    # A server that is busy may not be ready within a second; then the command does without it.
    assert any(not heavy & loaded() for _ in range(20))
