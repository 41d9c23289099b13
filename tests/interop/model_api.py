"""A model behind OpenAI's chat API that refuses a request as the real one does, calls one tool, and answers from it."""

import json
import re
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import dropwhile
from threading import Thread
from typing import Any, cast

NAME_PATTERN = "^[a-zA-Z0-9_-]{1,64}$"
"""What OpenAI's and Anthropic's APIs accept as a tool's name; one other name refuses the whole request."""

TOOL = "kb_retrieve_evidence"
"""What the model calls, under whatever prefix a client puts before it."""

FINAL = "final_answer"
"""The tool by which agents of smolagents end."""

Json = dict[str, Any]


@dataclass
class ModelApi:
    """What the model was asked since it was last cleared, and where it answers."""

    url: str
    question: str
    answer: str
    tools: list[str] = field(default_factory=list[str])
    refusals: list[str] = field(default_factory=list[str])
    results: list[str] = field(default_factory=list[str])

    def clear(self) -> None:
        """Forget what was asked."""
        self.tools, self.refusals, self.results = [], [], []

    def reply(self, request: Json) -> Json | str:
        """The message that completes a conversation, or why the request is refused."""
        functions = [cast("Json", tool["function"]) for tool in request.get("tools") or ()]
        for place, function in enumerate(functions):
            if refusal := _refusal(place, function):
                self.refusals.append(refusal)
                return refusal
        if functions:  # the last word may be asked for without tools
            self.tools = [str(function["name"]) for function in functions]
        # A result has the role of a tool with most clients, and that of the user with some: it follows the call.
        later = dropwhile(lambda message: message["role"] != "assistant", request["messages"])
        self.results = [_text(message["content"]) for message in later if message["role"] != "assistant"]
        if not self.results:
            return self._call(functions, TOOL, {"question": self.question})
        if FINAL in self.tools:
            return self._call(functions, FINAL, {"answer": self.answer})
        return {"role": "assistant", "content": self.answer}

    def _call(self, functions: list[Json], suffix: str, arguments: Json) -> Json:
        chosen = next((each for each in functions if str(each["name"]).endswith(suffix)), None)
        if chosen is None:
            return {"role": "assistant", "content": f"There is no tool {suffix}."}
        call = {"name": chosen["name"], "arguments": json.dumps(_completed(chosen, arguments))}
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "call_1", "index": 0, "type": "function", "function": call}],
        }


def _refusal(place: int, function: Json) -> str:
    if re.fullmatch(NAME_PATTERN, str(function["name"])) is None:
        return (
            f"Invalid 'tools[{place}].function.name': string does not match pattern. "
            "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
        )
    if (function.get("parameters") or {"type": "object"}).get("type") != "object":
        return f"Invalid schema for function '{function['name']}': schema must have type 'object'."
    return ""


def _completed(function: Json, arguments: Json) -> Json:
    """The arguments as models give them: whatever the client's schema requires, and null for what may be null."""
    parameters = cast("Json", function.get("parameters") or {})
    properties = cast("Mapping[str, Json]", parameters.get("properties") or {})
    required = cast("list[str]", parameters.get("required") or [])
    missing = {name: _plain_value(properties[name]) for name in required if name not in arguments}
    empty = {name: None for name, schema in properties.items() if _nullable(schema)}
    return {**empty, **missing, **arguments}


def _nullable(schema: Json) -> bool:
    return "null" in _types(schema)


def _plain_value(schema: Json) -> Any:
    if "default" in schema:
        return schema["default"]
    values: Json = {
        "null": None,
        "object": {},
        "array": [],
        "string": "",
        "integer": 1,
        "number": 0.5,
        "boolean": False,
    }
    return next(value for kind, value in values.items() if kind in _types(schema))


def _types(schema: Json) -> set[str]:
    """The JSON types that a schema allows, in either spelling."""
    found: set[str] = set()
    for each in (schema, *cast("list[Json]", schema.get("anyOf") or [])):
        kind: str | list[str] = each.get("type") or []
        found.update([kind] if isinstance(kind, str) else kind)
    return found


def _text(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        pass

    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, _Server)
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        reply = server.api.reply(request)
        if isinstance(reply, str):
            error = {"message": reply, "type": "invalid_request_error", "param": "tools", "code": "invalid_value"}
            self._send(400, "application/json", json.dumps({"error": error}))
        elif request.get("stream"):
            self._send(200, "text/event-stream", "".join(_events(reply, request["model"])))
        else:
            choice = {"index": 0, "message": reply, "finish_reason": _finish(reply), "logprobs": None}
            body = {**_head("chat.completion", request["model"]), "choices": [choice], "usage": _USAGE}
            self._send(200, "application/json", json.dumps(body))

    def _send(self, status: int, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


_USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


def _head(kind: str, model: str) -> Json:
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": model}


def _finish(reply: Json) -> str:
    return "tool_calls" if reply.get("tool_calls") else "stop"


def _events(reply: Json, model: str) -> Iterator[str]:
    """Yield a completion as a stream: the message, its end, the usage."""
    head = _head("chat.completion.chunk", model)
    for delta, finish in ((reply, None), ({}, _finish(reply))):
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        yield f"data: {json.dumps({**head, 'choices': [choice]})}\n\n"
    yield f"data: {json.dumps({**head, 'choices': [], 'usage': _USAGE})}\n\n"
    yield "data: [DONE]\n\n"


class _Server(ThreadingHTTPServer):
    api: ModelApi


@contextmanager
def model_api(question: str, answer: str) -> Generator[ModelApi]:
    """A model on a free port of loopback."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.api = ModelApi(f"http://127.0.0.1:{server.server_port}/v1", question, answer)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server.api
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
