"""Refuse what a browser was tricked into sending: a foreign Host or Origin never reaches the protocol.

A page of any site may point its own name at 127.0.0.1 (DNS rebinding) and then talk to this machine as to itself. The
browser still says truly which name it asked for and where the page came from.
"""

import re
from typing import NamedTuple

import mcp_types as types
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from citemark.tools.bodies import error_response

_LOOPBACK = r"(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?"
_HOST = re.compile(_LOOPBACK, re.ASCII | re.IGNORECASE)
_ORIGIN = re.compile(r"https?://" + _LOOPBACK, re.ASCII | re.IGNORECASE)


class Refusal(NamedTuple):
    """Why a request is not served, and the HTTP status that says so."""

    status: int
    message: str


def refusal(headers: Headers) -> Refusal | None:
    """What is wrong with a request's Host or Origin, None for a request of this machine.

    Any port is taken: a forwarded one (`ssh -L`) differs from ours.
    """
    hosts, origins = headers.getlist("host"), headers.getlist("origin")
    if len(hosts) != 1 or not _HOST.fullmatch(hosts[0]):
        return Refusal(421, "The Host header must name this machine: use http://127.0.0.1 or http://localhost")
    if any(not _ORIGIN.fullmatch(origin) for origin in origins):
        return Refusal(403, "Requests from web pages of other origins are refused")
    return None


class LoopbackGuard:
    """An ASGI application that lets only requests of this machine through to another one."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request; a refused one's body is not read."""
        refused = refusal(Headers(scope=scope)) if scope["type"] == "http" else None
        if refused is None:
            await self._app(scope, receive, send)
        else:
            error = types.ErrorData(code=types.INVALID_REQUEST, message=refused.message)
            answer = error_response(refused.status, types.JSONRPCError(jsonrpc="2.0", id=None, error=error))
            await answer(scope, receive, send)
