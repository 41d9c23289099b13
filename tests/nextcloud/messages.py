"""Requests to the double and its responses, as its parts see them."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast
from urllib.parse import unquote

NO_STORE = {"cache-control": "no-cache, no-store, must-revalidate"}
_JSON = {"content-type": "application/json; charset=utf-8"}
PAGE = b"<!DOCTYPE html>\n<html lang=en><head><title>Nextcloud</title></head><body>%s</body></html>\n"


@dataclass(frozen=True, slots=True)
class ServerRequest:
    """One request; header names in lower case, the path percent-encoded as it was sent, below the server's `folder`."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    base: str
    client: str = "127.0.0.1"
    user: str = ""
    by_app_password: str | None = None
    folder: str = ""

    @property
    def route(self) -> str:
        """The decoded path without the front controller's name."""
        return unquote(self.path).removeprefix("/index.php")

    @property
    def words(self) -> list[str]:
        """The decoded parts of the route between its slashes."""
        return [unquote(part) for part in self.path.removeprefix("/index.php").split("/") if part]

    def header(self, name: str) -> str | None:
        return self.headers.get(name)

    def fields(self) -> dict[str, Any]:
        """The JSON object of the body; {} for none."""
        return (object_of(json.loads(self.body)) if self.body.strip() else None) or {}

    def of(self, user: str, app_password: str | None) -> "ServerRequest":
        """The same request with its account known."""
        return replace(self, user=user, by_app_password=app_password)


@dataclass(slots=True)
class ServerResponse:
    """One response; `stream` with its `length` in place of `body` for what is too large to hold."""

    status: int
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""
    stream: Iterable[bytes] | None = None
    length: int = 0


def object_of(value: Any) -> dict[str, Any] | None:
    """The value where it is a JSON object."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def list_of(value: Any) -> list[Any] | None:
    """The value where it is a JSON list."""
    return cast("list[Any]", value) if isinstance(value, list) else None


def php_json(value: object) -> bytes:
    """Bytes as PHP writes JSON: compact, nothing but ASCII."""
    return json.dumps(value, separators=(",", ":")).encode()


def json_answer(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> ServerResponse:
    """An answer of the REST apps."""
    return ServerResponse(status, {**NO_STORE, **(headers or {}), **_JSON}, php_json(value))


def html_answer(status: int, text: str, headers: Mapping[str, str] | None = None) -> ServerResponse:
    """A page for a browser."""
    return ServerResponse(status, {**(headers or {}), "content-type": "text/html; charset=UTF-8"}, PAGE % text.encode())


def same_etag(ask: ServerRequest, etag: str) -> bool:
    """Whether the caller holds this etag (given without its quotes)."""
    held = ask.header("if-none-match")
    return held is not None and etag in {part.strip().removeprefix("W/").strip('"') for part in held.split(",")}


def not_modified(answer: ServerResponse) -> ServerResponse:
    """The 304 of an answer: its headers, no body."""
    return ServerResponse(304, answer.headers)
