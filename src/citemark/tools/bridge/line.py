"""What the bridge has to know of a message: how it is answered, and the headers that HTTP repeats of it."""

import json
from base64 import b64encode
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, cast

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
"""Where a request of the protocol without a handshake says its version."""

INTERNAL_ERROR = -32603

_NAMED: Mapping[str, str] = MappingProxyType({"tools/call": "name", "prompts/get": "name", "resources/read": "uri"})
"""The parameter that the header Mcp-Name repeats, by method."""


class Line(NamedTuple):
    """A message as it came, and its parts; a line that is no message has none.

    `ident` is the id of a request. `cancelled` is the id of the request that the message cancels.
    """

    data: bytes
    method: str | None = None
    ident: str | int | None = None
    version: str | None = None
    name: str | None = None
    cancelled: str | int | None = None

    @property
    def headers(self) -> dict[str, str]:
        """The headers that repeat parts of the message, which the newer protocol requires."""
        if self.version is None or self.method is None:
            return {}
        repeated = {"MCP-Protocol-Version": self.version, "Mcp-Method": self.method}
        if self.name is not None:
            repeated["Mcp-Name"] = self.name
        return {name: header_value(value) for name, value in repeated.items()}


def line_of(data: bytes) -> Line:
    """The parts of a message; the server says what is wrong with one that has none."""
    message = decoded(data)
    method = _text(message.get("method"))
    if method is None:
        return Line(data)
    params = _members(message.get("params"))
    return Line(
        data,
        method,
        _ident(message.get("id")),
        _text(_members(params.get("_meta")).get(VERSION_KEY)),
        _text(params.get(_NAMED[method])) if method in _NAMED else None,
        _ident(params.get("requestId")) if method == "notifications/cancelled" else None,
    )


def decoded(data: bytes) -> Mapping[str, Any]:
    """The members of a JSON object; none if it is no such thing."""
    try:
        return _members(json.loads(data))
    except (ValueError, RecursionError):
        return {}


def negotiated(answer: Mapping[str, Any]) -> str | None:
    """The version that the answer to `initialize` names."""
    return _text(_members(answer.get("result")).get("protocolVersion"))


def header_value(text: str) -> str:
    """A text as the protocol writes it in a header: in base64 if a header could not hold it as it is."""
    if text.isascii() and text.isprintable() and text == text.strip() and not text.startswith("=?base64?"):
        return text
    return f"=?base64?{b64encode(text.encode('utf-8', 'replace')).decode()}?="


def error_in(answer: Mapping[str, Any]) -> tuple[int, str | None]:
    """The code and the message of a JSON-RPC error; None for the message if there is none."""
    error = _members(answer.get("error"))
    code = error.get("code")
    return code if isinstance(code, int) else INTERNAL_ERROR, _text(error.get("message"))


def error_line(ident: str | int | None, code: int, message: str) -> bytes:
    """A JSON-RPC error as a line."""
    return json.dumps({"jsonrpc": "2.0", "id": ident, "error": {"code": code, "message": message}}).encode()


def _members(value: object) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _ident(value: object) -> str | int | None:
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None
