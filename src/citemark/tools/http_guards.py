"""The checks that an HTTP request must pass before the protocol sees it: Host and Origin, token, size of the body.

Any web page can point its own name at 127.0.0.1 (DNS rebinding) and then address this machine; the browser still sends
the name that it requested and the origin of the page. Every local account can reach a loopback address, hence the
token.
"""

import json
import re
from dataclasses import dataclass
from typing import NamedTuple

import mcp_types as types
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citemark.services.people.admission import OwnerToken, bearer_in
from citemark.tools.jsonrpc_messages import message_of, readable, too_long


class MessageBodies:
    """An ASGI application that passes a request on to another one only if its body is a single JSON-RPC message."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or answer that its body is too long or is not a message."""
        try:
            body = await self._read(Request(scope, receive))
        except ClientDisconnect:
            return
        if body is None:
            await error_response(413, too_long(self._max_bytes))(scope, receive, send)
            return
        message = message_of(body)
        if isinstance(message, types.JSONRPCError):
            await error_response(400, message)(scope, receive, send)
            return
        await self._app(scope, _replayed(readable(body), receive), send)

    async def _read(self, request: Request) -> bytes | None:
        """The body, or None if it is longer than the limit; no more than that is ever kept in memory."""
        declared = Headers(scope=request.scope).get("content-length", "")
        if declared.isdecimal() and int(declared) > self._max_bytes:
            return None
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > self._max_bytes:
                return None
        return bytes(body)


def error_response(status: int, error: types.JSONRPCError) -> Response:
    """A JSON-RPC error as an HTTP response."""
    body = error.model_dump(mode="json", by_alias=True, exclude_unset=True) | {"id": error.id}
    return Response(json.dumps(body), status_code=status, media_type="application/json")


def _replayed(body: bytes, receive: Receive) -> Receive:
    """A `receive` that yields the body that was already read, then whatever comes after it."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


_LOOPBACK = r"(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?"
_HOST = re.compile(_LOOPBACK, re.ASCII | re.IGNORECASE)
_ORIGIN = re.compile(r"https?://" + _LOOPBACK, re.ASCII | re.IGNORECASE)


_PORT = re.compile(r":\d{1,5}\Z", re.ASCII)
_IP = re.compile(r"(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])(?::\d{1,5})?", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AllowedHosts:
    """The names by which, and the web pages from which, a server may be addressed, besides those of this machine.

    `addresses`: it may be addressed by any plain IP address too. No web page can give its own name to an IP address, so
    these need no list.
    """

    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()
    addresses: bool = False

    def has_host(self, header: str) -> bool:
        """Whether a Host header names this server. Any port is accepted: a forwarded port differs from ours."""
        name = _PORT.sub("", header).lower()
        return bool(_HOST.fullmatch(header) or name in self.hosts or (self.addresses and _IP.fullmatch(header)))

    def has_origin(self, header: str) -> bool:
        """Whether an Origin header names a page that may use this server."""
        return bool(_ORIGIN.fullmatch(header) or header.lower() in self.origins)


class Refusal(NamedTuple):
    """Why a request is not served, and the HTTP status that says so."""

    status: int
    message: str


def refusal(headers: Headers, allowed: AllowedHosts) -> Refusal | None:
    """What is wrong with a request's Host or Origin; None if the request is meant for this server."""
    hosts, origins = headers.getlist("host"), headers.getlist("origin")
    if len(hosts) != 1 or not allowed.has_host(hosts[0]):
        return Refusal(
            421, "The Host header must name this server: 127.0.0.1, localhost, or a name in its setting http_hosts"
        )
    if any(not (allowed.has_origin(origin) or _is_own_page(origin, headers)) for origin in origins):
        return Refusal(403, "Requests from web pages of other origins are refused")
    return None


def _is_own_page(origin: str, headers: Headers) -> bool:
    """Whether a form of one of our pages was sent: they have no referrer, for which browsers leave the origin out.

    No page can set this header itself, and what another site sends is never `same-origin`.
    """
    return origin == "null" and headers.getlist("sec-fetch-site") == ["same-origin"]


class HostGuard:
    """An ASGI application that passes a request on to another one only if Host and Origin are allowed."""

    def __init__(self, app: ASGIApp, allowed: AllowedHosts) -> None:
        self._app = app
        self._allowed = allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request; the body of a refused request is not read."""
        refused = refusal(Headers(scope=scope), self._allowed) if scope["type"] == "http" else None
        if refused is None:
            await self._app(scope, receive, send)
        else:
            error = types.ErrorData(code=types.INVALID_REQUEST, message=refused.message)
            answer = error_response(refused.status, types.JSONRPCError(jsonrpc="2.0", id=None, error=error))
            await answer(scope, receive, send)


def bearer_of(headers: Headers) -> str | None:
    """The bearer token of a request, or None if it does not carry exactly one Authorization header with one."""
    return bearer_in(headers.getlist("authorization"))


class BearerToken:
    """The token that a request must carry, or None if every request is served."""

    def __init__(self, token: str | None) -> None:
        self.owner = OwnerToken(token)

    def holds(self, headers: Headers) -> bool:
        """Whether a request carries the token."""
        return self.owner.admits(bearer_of(headers))

    def matches(self, token: str) -> bool:
        """Whether this is the token; like `holds`, for a token that did not come in a header."""
        return self.owner.admits(token)
