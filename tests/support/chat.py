"""A chat model on loopback that speaks OpenAI's protocol and can be told to misbehave."""

import json
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

from tests.support.patience import HANG_SECONDS

KEY = "sk-chat-4711"
Json = dict[str, Any]


def _set_event() -> Event:
    event = Event()
    event.set()
    return event


def said(text: object, **fields: Any) -> Json:
    """A completion in the protocol's form."""
    message = {"role": "assistant", "content": text, **fields}
    return {"model": "chat-1", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


def spoken(*words: str, stop: str | None = "stop") -> list[bytes]:
    """A completion in the protocol's form for streams, in one part for each of the words, and one for the end."""
    deltas: list[Json] = [{"delta": {"content": each}, "finish_reason": None} for each in words]
    deltas += [{"delta": {}, "finish_reason": stop}] if stop else []
    events = [{"model": "chat-1", "choices": [{"index": 0, **each}]} for each in deltas]
    return [*(b"data: " + json.dumps(each).encode() + b"\n\n" for each in events), b"data: [DONE]\n\n"]


@dataclass
class ChatServer:
    """Answers every request with `reply`: a status and what is sent, as JSON unless it is bytes.

    Whoever asks for a stream gets the parts in `stream` one by one, if there are any, and each after the first when
    `go_on` is set.
    """

    url: str = ""
    status: int = 200
    reply: Json | bytes = field(default_factory=lambda: said("Nine litres [1]."))
    delay: float = 0.0
    refuses: tuple[str, ...] = ()
    stream: list[bytes] = field(default_factory=list[bytes])
    go_on: Event = field(default_factory=_set_event)
    asked: list[Json] = field(default_factory=list[Json])
    headers: list[Mapping[str, str]] = field(default_factory=list[Mapping[str, str]])

    def answer(self, body: Json) -> tuple[int, bytes]:
        self.asked.append(body)
        time.sleep(self.delay)  # a model that is slow; nothing waits for this in a test but the server under test
        if any(name in body for name in self.refuses):
            return 400, b'{"error": {"message": "unsupported parameter"}}'
        return self.status, self.reply if isinstance(self.reply, bytes) else json.dumps(self.reply).encode()


@contextmanager
def chat_server(given: ChatServer | None = None) -> Generator[ChatServer]:
    """The given one, or a new one, on a free port."""
    served = given or ChatServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            served.headers.append({name.lower(): value for name, value in self.headers.items()})
            status, data = served.answer(body) if self.path == "/v1/chat/completions" else (404, b"{}")
            try:
                if body.get("stream") and served.stream and status == HTTPStatus.OK:
                    return self._speak()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except OSError:
                return None  # whoever asked did not wait

        def _speak(self) -> None:
            self.send_response(HTTPStatus.OK)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()  # its end is that of the connection
            for number, part in enumerate(served.stream):
                if number:
                    served.go_on.wait(HANG_SECONDS)
                self.wfile.write(part)
                self.wfile.flush()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
