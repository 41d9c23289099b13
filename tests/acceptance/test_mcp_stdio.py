"""The server as a process: the SDK's client in both eras, and raw lines."""

import asyncio
import json
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import TextContent, TextResourceContents
from tests.acceptance.served import CITEMARK, ROOT, Served, index
from tests.support.patience import HANG_SECONDS

from citemark.text.escaping import marked

Mode = Literal["auto", "legacy"]
BOTH = pytest.mark.parametrize("mode", ["auto", "legacy"])

_HELLO: list[dict[str, Any]] = [
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]


@asynccontextmanager
async def client_of(served: Served, mode: Mode) -> AsyncGenerator[Client]:
    server = StdioServerParameters(
        command=served.command[0], args=served.command[1:], env=served.environment, cwd=str(ROOT)
    )
    async with Client(stdio_client(server), mode=mode) as client:
        yield client


def search(ident: int, query: str) -> dict[str, Any]:
    params = {"name": "kb_search", "arguments": {"query": query}}
    return {"jsonrpc": "2.0", "id": ident, "method": "tools/call", "params": params}


def answers_to(served: Served, *lines: str) -> list[dict[str, Any]]:
    """What comes out on stdout for lines in; every line of it must be JSON."""
    text = "".join(f"{line}\n" for line in [*(json.dumps(message) for message in _HELLO), *lines])
    done = subprocess.run(
        served.command,
        input=text.encode(),
        capture_output=True,
        cwd=ROOT,
        env=served.environment,
        timeout=HANG_SECONDS,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()][1:]


@pytest.mark.requirement("both-protocol-eras-by-real-clients", "serve-speaks-mcp-on-stdio", "tools-kb-verify-quote")
@BOTH
async def test_a_question_is_answered_with_quotes_that_can_be_read_on_and_verified(served: Served, mode: Mode) -> None:
    async with client_of(served, mode) as client:
        assert (await client.list_tools()).tools[0].name == "kb_retrieve_evidence"
        evidence = await client.call_tool("kb_retrieve_evidence", {"question": served.question})
        assert not evidence.is_error, evidence
        quote = evidence.structured_content["quotes"][0]
        assert isinstance(evidence.content[0], TextContent)
        assert "\n".join(marked(quote["quote"])) in evidence.content[0].text
        around = await client.call_tool("kb_expand_excerpt", {"passage_id": quote["passage_id"]})
        assert not around.is_error, around
        session = evidence.structured_content["session_id"]
        whole = (await client.read_resource(f"citemark://scratch/{session}/{quote['passage_id']}")).contents[0]
        assert isinstance(whole, TextResourceContents)
        checked = {"citation": quote["citation"], "quote": quote["quote"]}
        verdict = await client.call_tool("kb_verify_quote", checked)
        assert verdict.structured_content["holds"] == "exact"


@pytest.mark.requirement("local-callers-get-file-links")
async def test_a_quote_comes_with_the_file_that_it_stands_in(indexed_folder: Path) -> None:
    served = index(indexed_folder)
    async with client_of(served, "auto") as client:
        evidence = await client.call_tool("kb_retrieve_evidence", {"question": served.question})
    quote = evidence.structured_content["quotes"][0]
    path = Path(quote["file"]["path"])
    assert quote["file"]["link"] == path.as_uri()
    assert quote["quote"].split(".")[0] in await asyncio.to_thread(path.read_text, "utf-8")
    assert str(path) not in json.dumps(quote["citation"])


@BOTH
async def test_following_the_cursor_visits_each_hit_once(served: Served, mode: Mode) -> None:
    seen: list[str] = []
    async with client_of(served, mode) as client:
        cursor: str | None = None
        while True:
            arguments: dict[str, Any] = {"query": served.question, "page_size": 1, "top_k": 3, "cursor": cursor}
            page = (await client.call_tool("kb_search", arguments)).structured_content
            seen += [hit["section_id"] for hit in page["results"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
    assert 1 <= len(seen) <= 3
    assert len(set(seen)) == len(seen)


@pytest.mark.requirement("foreign-handle-looks-nonexistent", "scratch-session-minted-by-the-server")
@BOTH
async def test_a_handle_of_another_process_is_unknown_here(served: Served, mode: Mode) -> None:
    async with client_of(served, mode) as other:
        found = await other.call_tool("kb_search", {"query": served.question})
        hit = found.structured_content["results"][0]
    async with client_of(served, mode) as client:
        with pytest.raises(MCPError, match="Resource not found"):
            await client.read_resource(hit["scratch_uri"])
        result = await client.call_tool("kb_read_excerpt", {"passage_id": hit["passage_id"]})
    assert result.structured_content["error"]["code"] == "INVALID_ARGUMENT"


@pytest.mark.requirement("empty-or-huge-query-gets-error")
@BOTH
async def test_a_megabyte_of_question_is_refused_and_the_connection_lives_on(served: Served, mode: Mode) -> None:
    async with client_of(served, mode) as client:
        refused = await client.call_tool("kb_search", {"query": "y" * 1_000_000})
        assert refused.structured_content["error"]["code"] == "INVALID_ARGUMENT"
        assert not (await client.call_tool("kb_search", {"query": served.question})).is_error


@pytest.mark.requirement("logs-never-touch-stdout")
def test_nothing_but_messages_is_written_to_stdout_and_every_request_is_answered(served: Served) -> None:
    answers = answers_to(served, *(json.dumps(search(ident, served.question)) for ident in range(2, 6)))
    assert sorted(answer["id"] for answer in answers) == [2, 3, 4, 5]


@pytest.mark.requirement("nul-and-surrogates-break-nothing", "empty-or-huge-query-gets-error")
def test_text_that_cannot_be_asked_for_is_an_invalid_argument(served: Served) -> None:
    queries = [r"a\ud800", r"\udfff", r"nul\u0000", " ", ""]
    lines = [json.dumps(search(ident, "@")).replace("@", query) for ident, query in enumerate(queries, start=2)]
    answers = answers_to(served, *lines)
    assert len(answers) == len(queries)
    for answer in answers:
        error = answer["result"]["structuredContent"]["error"]
        assert (error["code"], error["details"]["issues"][0]["path"]) == ("INVALID_ARGUMENT", "/query")


def test_a_line_that_is_not_a_message_is_answered_and_so_is_the_next_one(served: Served) -> None:
    broken, listed = answers_to(served, "{not json", '{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}')
    assert broken["error"]["code"] == -32700
    assert listed["result"]["tools"]


@pytest.mark.requirement("unreachable-backend-is-named", "tools-no-database-wait")
def test_without_its_database_the_tools_are_listed_and_a_call_says_what_is_missing() -> None:
    nowhere = {"CITEMARK_DATABASE_URL": "postgresql://me:pw-4711@127.0.0.1:1/none?connect_timeout=5"}
    served = Served([CITEMARK, "serve"], "", nowhere)
    listed = '{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}'
    answers = {answer["id"]: answer for answer in answers_to(served, listed, json.dumps(search(3, "ports")))}
    assert len(answers[2]["result"]["tools"]) == 8
    error = answers[3]["result"]["structuredContent"]["error"]
    assert error["code"] == "BACKEND_UNAVAILABLE"
    assert "database" in error["message"]
    assert "pw-4711" not in json.dumps(answers)


@pytest.mark.requirement("no-warnings-at-the-end")
@pytest.mark.parametrize("sent", [b"", b'{"jsonrpc": "2.0", "id": 3,'], ids=["nothing", "half a message"])
def test_a_session_that_ends_abruptly_leaves_no_warning(indexed_folder: Path, sent: bytes) -> None:
    served = index(indexed_folder)
    environment = {**served.environment, "PYTHONASYNCIODEBUG": "1", "PYTHONWARNINGS": "default"}
    call = json.dumps(search(2, "ports")).encode()
    lines = b"\n".join([*(json.dumps(message).encode() for message in _HELLO), call, sent])
    ended = subprocess.run(
        served.command, input=lines, env=environment, capture_output=True, timeout=HANG_SECONDS, check=False
    )
    # In this mode asyncio also says which steps took a tenth of a second, which on a busy machine any may.
    said = [line for line in ended.stderr.decode().splitlines() if "Executing" not in line]
    assert not [line for line in said if "Warning" in line or "asyncio" in line or "Traceback" in line], said


@pytest.mark.requirement("stdio-calls-are-audited", "stdio-calls-are-counted")
async def test_a_call_over_stdio_adds_a_line_to_the_audit_log(indexed_folder: Path, tmp_path: Path) -> None:
    audit = tmp_path / "calls.jsonl"
    served = index(indexed_folder)
    folder = tmp_path / "metrics"
    audited = replace(served, env={**served.env, "CITEMARK_AUDIT_LOG": str(audit), "CITEMARK_METRICS_DIR": str(folder)})
    async with client_of(audited, "auto") as client:
        await client.call_tool("kb_search", {"query": "anything about the audit"})
        (metrics,) = [path.read_text() for path in folder.glob("citemark-*.prom")]
    assert 'citemark_calls_total{outcome="ok",tool="kb.search"} 1.0' in metrics
    (line,) = audit.read_text().splitlines()
    call = json.loads(line)
    assert set(call) == {"at", "principal", "tool", "outcome", "bytes", "seconds"}
    assert (call["principal"], call["tool"], call["outcome"]) == ("local/owner", "kb.search", "ok")
    assert "about the audit" not in line
