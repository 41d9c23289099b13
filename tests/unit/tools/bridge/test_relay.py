"""A bridge before a scripted server on a Unix socket: what comes back when the server does what servers may do."""

import io
import json
import os
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from tests.support.patience import HANG_SECONDS

from citemark.tools.bridge.relay import Relay

TOKEN = "t" * 20
Reply = Callable[["Handler", dict[str, Any]], None]


@dataclass(slots=True)
class Script:
    """How the server answers each method, and what it was sent."""

    replies: dict[str, Reply] = field(default_factory=dict[str, Reply])
    seen: list[tuple[str, dict[str, str]]] = field(default_factory=list[tuple[str, dict[str, str]]])


class Handler(BaseHTTPRequestHandler):
    script: Script

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self._record(message.get("method", "response"))
        self.script.replies.get(message.get("method"), accepted)(self, message)

    def do_GET(self) -> None:
        self._record("GET")
        self.script.replies.get("GET", lambda handler, _: handler.answer(405))(self, {})

    def do_DELETE(self) -> None:
        self._record("DELETE")
        self.answer(200)

    def answer(self, status: int, body: bytes = b"", kind: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, *parts: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.end_headers()
        for part in parts:
            self.wfile.write(part)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that the class has for it
        """Nothing."""

    def address_string(self) -> str:
        return ""

    def _record(self, what: str) -> None:
        self.script.seen.append((what, {name.lower(): value for name, value in self.headers.items()}))


def accepted(handler: Handler, _: dict[str, Any]) -> None:
    handler.answer(202)


def result(message: dict[str, Any], **value: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": value}).encode()


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def path(script: Script, tmp_path: Path) -> Iterator[Path]:
    at = tmp_path / "s"
    with Server(str(at), type("Scripted", (Handler,), {"script": script})) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield at
        server.shutdown()


def lines(*messages: dict[str, Any] | bytes) -> bytes:
    texts = [each if isinstance(each, bytes) else json.dumps({"jsonrpc": "2.0", **each}).encode() for each in messages]
    return b"".join(text + b"\n" for text in texts)


class Sink(io.BytesIO):
    """Keeps what is written, and says when the server's note about its tools was."""

    def __init__(self) -> None:
        super().__init__()
        self.told = threading.Event()

    def flush(self) -> None:
        if b"list_changed" in self.getvalue():
            self.told.set()


def relayed(path: Path, *messages: dict[str, Any] | bytes, sink: io.BytesIO | None = None) -> list[dict[str, Any]]:
    sink = sink or io.BytesIO()
    Relay(path, TOKEN, io.BytesIO(lines(*messages)), sink).run()
    return [json.loads(line) for line in sink.getvalue().splitlines()]


HELLO: dict[str, Any] = {"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}
READY: dict[str, Any] = {"method": "notifications/initialized"}
CALL: dict[str, Any] = {"id": 1, "method": "tools/call", "params": {"name": "kb_search"}}


@pytest.mark.requirement("one-server-by-a-bridge")
def test_a_stream_is_written_message_by_message_and_the_token_goes_with_each_request(
    script: Script, path: Path
) -> None:
    note = b'data: {"jsonrpc": "2.0",\ndata:  "method": "notifications/progress"}\n\n'
    script.replies["tools/call"] = lambda handler, message: handler.stream(
        b": ping\n\n",
        b"id: 1\ndata:\n\n",
        note,
        b"event: x\r\ndata: " + result(message, x="\u2028") + b"\r\n\r\n",
    )
    first, second = relayed(path, CALL)
    assert first["method"] == "notifications/progress"
    assert second == {"jsonrpc": "2.0", "id": 1, "result": {"x": "\u2028"}}
    assert script.seen[0][1]["authorization"] == f"Bearer {TOKEN}"


@pytest.mark.requirement("one-server-by-a-bridge")
def test_a_request_gets_an_answer_whatever_the_server_does(script: Script, path: Path) -> None:
    refused = b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "too long"}}'
    ways: dict[str, Reply] = {
        "a": lambda handler, _: handler.answer(413, refused),
        "b": lambda handler, _: handler.answer(503, b"The server\nis ending", "text/plain"),
        "c": lambda handler, _: handler.stream(b"data: {"),
        "d": lambda handler, _: handler.answer(200),
        "e": lambda handler, _: handler.connection.shutdown(socket.SHUT_RDWR),
        "f": lambda handler, _: handler.answer(500),
    }
    script.replies.update(ways)
    answers = {each["id"]: each["error"] for each in relayed(path, *({"id": way, "method": way} for way in ways))}
    assert answers.keys() == ways.keys()
    assert answers["a"] == {"code": -32600, "message": "too long"}
    assert answers["b"]["message"] == "The server is ending"
    assert all("serve --http" in answers[way]["message"] for way in "cde")
    assert "500" in answers["f"]["message"]


def test_without_a_server_each_request_is_told_what_to_do_and_notes_are_dropped(tmp_path: Path) -> None:
    (answer,) = relayed(tmp_path / "none", b"", READY, CALL)
    assert "citemark service install" in answer["error"]["message"]


def test_a_line_that_is_no_message_gets_the_servers_error_and_a_refused_note_nothing(
    script: Script, path: Path
) -> None:
    error = b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "Parse error"}}'
    script.replies["notifications/x"] = lambda handler, _: handler.answer(400, error)
    script.replies[None] = script.replies["notifications/x"]  # type: ignore[index]
    assert [each["error"]["code"] for each in relayed(path, b'{"no": "method"}', {"method": "notifications/x"})] == [
        -32700
    ]


@pytest.mark.requirement("one-server-by-a-bridge")
def test_a_cancelled_request_is_given_up_and_gets_no_answer(script: Script, path: Path) -> None:
    arrived, ended = threading.Event(), threading.Event()

    def hang(handler: Handler, _: dict[str, Any]) -> None:
        arrived.set()
        handler.connection.recv(1)  # returns once the bridge has closed the connection
        ended.set()

    script.replies["tools/call"] = hang
    reading, writing = os.pipe()
    sink = io.BytesIO()
    with os.fdopen(reading, "rb") as source:
        bridge = threading.Thread(target=Relay(path, TOKEN, source, sink).run)
        bridge.start()
        os.write(writing, lines(CALL))
        assert arrived.wait(HANG_SECONDS)
        os.write(writing, lines({"method": "notifications/cancelled", "params": {"requestId": 1}}))
        assert ended.wait(HANG_SECONDS)
        os.close(writing)
        bridge.join(HANG_SECONDS)
    assert not bridge.is_alive()
    assert sink.getvalue() == b""


@pytest.mark.requirement("one-server-by-a-bridge")
def test_a_session_is_kept_listened_to_renewed_after_a_restart_and_ended(script: Script, path: Path) -> None:
    sessions = iter(["one", "two"])
    sink = Sink()

    def greet(handler: Handler, message: dict[str, Any]) -> None:
        handler.answer(200, result(message, protocolVersion="2025-11-25"), Mcp_Session_Id=next(sessions))

    def call(handler: Handler, message: dict[str, Any]) -> None:
        assert sink.told.wait(HANG_SECONDS)
        known = handler.headers["mcp-session-id"] == "two"
        handler.answer(200, result(message)) if known else handler.answer(404, b"{}")

    def listen(handler: Handler, _: dict[str, Any]) -> None:
        handler.stream(b'data: {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}\n\n')

    script.replies.update({"initialize": greet, "tools/call": call, "GET": listen})
    answers = relayed(path, HELLO, READY, CALL, sink=sink)
    assert [each["id"] for each in answers if "id" in each] == [0, 1]
    sent = [(what, headers.get("mcp-session-id"), headers.get("mcp-protocol-version")) for what, headers in script.seen]
    assert ("notifications/initialized", "one", "2025-11-25") in sent
    assert ("initialize", None, "2025-11-25") in sent
    assert ("tools/call", "two", "2025-11-25") in sent
    assert ("DELETE", "two", "2025-11-25") in sent
