"""Turns the bytes that a client sent into a JSON-RPC message, or into the error that the client gets instead."""

import json
import re
from typing import Any, cast

import mcp_types as types
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from pydantic import ValidationError

_MAYBE_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_HIGH, _LOW = rb"\\u[dD][89abAB][0-9a-fA-F]{2}", rb"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = re.compile(rb"(?P<pair>" + _HIGH + _LOW + rb")|(?P<alone>" + _HIGH + rb"|" + _LOW + rb")|\\.")
_NUL = rb"\u0000"


def message_of(data: bytes) -> SessionMessage | types.JSONRPCError:
    """Parse some bytes, made readable first, as a message; or return the error that their sender gets."""
    data = readable(data)
    try:
        message = jsonrpc_message_adapter.validate_json(data, by_name=False)
    except ValidationError:
        return _explained(data)
    # A request whose id is null, a fraction or a boolean would pass as a notification and get no answer.
    if isinstance(message, types.JSONRPCNotification) and "id" in json.loads(data):
        return _explained(data)
    return SessionMessage(message)


def readable(data: bytes) -> bytes:
    """The same bytes with NUL for anything that no text can hold, so that the argument check names the place."""
    try:
        data.decode()
    except UnicodeDecodeError:
        data = data.decode(errors="replace").replace("\ufffd", "\\u0000").encode()
    if not _MAYBE_SURROGATE.search(data):
        return data
    return _ESCAPE.sub(lambda match: _NUL if match["alone"] else match[0], data)


def too_long(limit: int) -> types.JSONRPCError:
    """The error for the sender of more than `limit` bytes."""
    return _refusal(None, types.INVALID_REQUEST, f"A message may have at most {limit} bytes")


def unwritable(ident: str | int) -> types.JSONRPCError:
    """The error that a client gets instead of an answer that cannot be written as JSON."""
    return _refusal(ident, types.INTERNAL_ERROR, "The answer cannot be written as JSON")


def _explained(data: bytes) -> types.JSONRPCError:
    try:
        decoded: Any = json.loads(data)
    except (ValueError, RecursionError):
        return _refusal(None, types.PARSE_ERROR, "Parse error: one JSON-RPC message in UTF-8 was expected")
    ident = cast("dict[str, Any]", decoded).get("id") if isinstance(decoded, dict) else None
    valid_id = ident if isinstance(ident, str | int) and not isinstance(ident, bool) else None
    return _refusal(valid_id, types.INVALID_REQUEST, "Invalid request: one JSON-RPC 2.0 message was expected")


def _refusal(ident: str | int | None, code: int, message: str) -> types.JSONRPCError:
    return types.JSONRPCError(jsonrpc="2.0", id=ident, error=types.ErrorData(code=code, message=message))
