"""Embedding providers on loopback: each speaks its protocol as the real one does, and can be told to misbehave."""

import json
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.support.index import vector_of

from citemark.embedding.providers.recipe import ProviderKind, Recipe

KEY = "sk-secret-4711"
Json = dict[str, Any]
Reply = tuple[int, Json]


@dataclass(frozen=True)
class Fault:
    """What one request gets instead of its answer. `body` is sent as it is; `delay` comes first, in seconds."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    delay: float = 0.0
    drop: bool = False
    drip: float = 0.0


@dataclass
class Asked:
    """One request as the provider saw it."""

    path: str
    headers: Mapping[str, str]
    body: Json
    at: float

    @property
    def texts(self) -> list[str]:
        return self.body.get("texts") or self.body["input"]


@dataclass
class FakeProvider:
    """One server. `trouble` sees each request and may answer it with a fault; None lets it through."""

    provider: ProviderKind
    embed: Callable[[Sequence[str]], list[list[float]]]
    url: str = ""
    trouble: Callable[[Asked], Fault | None] = lambda _: None
    faults: list[Fault] = field(default_factory=list[Fault])
    asked: list[Asked] = field(default_factory=list[Asked])
    most_texts: int = 2048
    at_once: int = 0
    most_at_once: int = 0
    whole_answers: int = 0
    lock: Lock = field(default_factory=Lock)

    @property
    def recipe(self) -> Recipe:
        return Recipe(self.provider, "test-model", self.url + ("/v1" if self.provider == "openai" else ""))

    def answer(self, asked: Asked) -> Reply:
        return {"openai": self._openai, "azure": self._azure, "cohere": self._cohere}[self.provider](asked)

    def _openai(self, asked: Asked) -> Reply:
        if asked.headers.get("authorization") != f"Bearer {KEY}":
            message = f"Incorrect API key provided: {asked.headers.get('authorization', '')}."
            return 401, _openai_error(message, "invalid_request_error", "invalid_api_key")
        if asked.path != "/v1/embeddings":
            return 404, {}
        if asked.body["model"] != "test-model":
            message = f'model "{asked.body["model"]}" not found, try pulling it first'
            return 404, _openai_error(message, "api_error", None)
        return self._vectors(asked)

    def _azure(self, asked: Asked) -> Reply:
        if asked.headers.get("api-key") != KEY:
            message = "Access denied due to invalid subscription key or wrong API endpoint."
            return 401, {"error": {"code": "401", "message": message}}
        parts = urlsplit(asked.path)
        if parts.path != "/openai/deployments/test-model/embeddings" or "api-version" not in parse_qs(parts.query):
            message = "The API deployment for this resource does not exist."
            return 404, {"error": {"code": "DeploymentNotFound", "message": message}}
        return self._vectors(asked)

    def _cohere(self, asked: Asked) -> Reply:
        if asked.headers.get("authorization") != f"Bearer {KEY}":
            return 401, {"id": "e1", "message": "invalid api token"}
        if asked.path != "/v2/embed":
            return 404, {"message": "404 page not found"}
        if asked.body["model"] != "test-model":
            return 404, {"id": "e2", "message": f"model '{asked.body['model']}' not found"}
        if asked.body.get("input_type") not in {"search_query", "search_document"}:
            return 400, {"message": "invalid request: valid input_type must be provided with the provided model"}
        if len(asked.texts) > 96:
            return 400, {"message": "invalid request: total number of texts must be at most 96"}
        vectors = self._shortened(asked, "output_dimension")
        meta = {"api_version": {"version": "2"}, "billed_units": {"input_tokens": 1}}
        return 200, {
            "id": "e3",
            "embeddings": {"float": vectors},
            "texts": asked.texts,
            "meta": meta,
            "response_type": "embeddings_by_type",
        }

    def _vectors(self, asked: Asked) -> Reply:
        if len(asked.texts) > self.most_texts:
            # As Text Embeddings Inference says it.
            message = f"batch size {len(asked.texts)} > maximum allowed batch size {self.most_texts}"
            return 413, {"message": message, "code": 413, "type": "Validation"}
        data = [
            {"object": "embedding", "index": index, "embedding": vector}
            for index, vector in enumerate(self._shortened(asked, "dimensions"))
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        # The index counts, not the order.
        return 200, {"object": "list", "data": data[::-1], "model": "test-model", "usage": usage}

    def _shortened(self, asked: Asked, name: str) -> list[list[float]]:
        return [vector[: asked.body.get(name)] for vector in self.embed(asked.texts)]


def _openai_error(message: str, kind: str, code: str | None) -> Json:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def meaningless(texts: Sequence[str]) -> list[list[float]]:
    """Vectors that are equal for equal texts; not of length one, as not every provider's are."""
    return [[3 * value for value in vector_of(text, 16)] for text in texts]


class Handler(BaseHTTPRequestHandler):
    """Answers for the `FakeProvider` of its server."""

    protocol_version = "HTTP/1.1"

    @property
    def fake(self) -> FakeProvider:
        assert isinstance(self.server, _Server)
        return self.server.fake

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        pass

    def do_POST(self) -> None:
        fake = self.fake
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        asked = Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, body, time.time())
        with fake.lock:
            fake.asked.append(asked)
            fake.at_once += 1
            fake.most_at_once = max(fake.most_at_once, fake.at_once)
            fault = fake.faults.pop(0) if fake.faults else fake.trouble(asked)
        try:
            self._answer(asked, fault or Fault())
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            with fake.lock:
                fake.at_once -= 1

    def _answer(self, asked: Asked, fault: Fault) -> None:
        time.sleep(fault.delay)
        if fault.drop:
            self.close_connection = True
            return
        status, answer = self.fake.answer(asked) if fault.body is None else (fault.status, fault.body)
        data = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
        self.send_response(status)
        headers = {"content-type": "application/json", **fault.headers, "content-length": str(len(data))}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        for part in [bytes([byte]) for byte in data] if fault.drip else [data]:
            self.wfile.write(part)
            time.sleep(fault.drip)
        with self.fake.lock:
            self.fake.whole_answers += 1


class _Server(ThreadingHTTPServer):
    def __init__(self, fake: FakeProvider) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.fake = fake


@contextmanager
def serve(
    provider: ProviderKind = "openai", embed: Callable[[Sequence[str]], list[list[float]]] = meaningless
) -> Generator[FakeProvider, None, None]:
    """A provider on a free port of loopback."""
    fake = FakeProvider(provider, embed)
    server = _Server(fake)
    fake.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
