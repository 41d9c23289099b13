"""Over HTTP, an address from which too many requests failed has to wait; known tokens are answered all the same."""

import math
from collections.abc import Callable

import mcp_types as types
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citemark.services.people.strangers import StrangerLimits
from citemark.tools.http_guards import BearerToken, bearer_of, error_response

_FAILURES = frozenset({401, 404, 503})
"""Statuses of requests that know neither a token nor a path of this server, or whose token could not be looked up."""


class StrangersGuard:
    """An ASGI application that counts the failures of another one by address, and answers 429 where there are too many.

    The owner, known tokens, browsers that are signed in (`knows`) and `open_paths`, which anyone may ask for, are not
    affected.
    """

    def __init__(
        self,
        app: ASGIApp,
        owner: BearerToken,
        limits: StrangerLimits,
        open_paths: frozenset[str],
        knows: Callable[[HTTPConnection], bool] | None = None,
    ) -> None:
        self._app = app
        self._owner = owner
        self._limits = limits
        self._open_paths = open_paths
        self._knows = knows

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or answer that its address has to wait."""
        if scope["type"] != "http" or scope["path"] in self._open_paths:
            await self._app(scope, receive, send)
            return
        if self._is_known(Headers(scope=scope)) or (self._knows is not None and self._knows(HTTPConnection(scope))):
            await self._app(scope, receive, send)
            return
        client = scope.get("client")
        address = str(client[0]) if client else ""
        if seconds := await self._limits.wait_for_turn(address):
            await _too_many(seconds)(scope, receive, send)
            return

        async def send_and_judge(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] not in _FAILURES:
                self._limits.failures.succeeded(address)
            await send(message)

        await self._app(scope, receive, send_and_judge)

    def _is_known(self, headers: Headers) -> bool:
        given = bearer_of(headers)
        return given is not None and (self._owner.holds(headers) or self._limits.admits(given))


def _too_many(seconds: float) -> ASGIApp:
    message = "Too many requests from this address failed; wait as long as Retry-After says"
    error = types.ErrorData(code=types.INVALID_REQUEST, message=message)
    answer = error_response(429, types.JSONRPCError(jsonrpc="2.0", id=None, error=error))
    answer.headers["retry-after"] = str(math.ceil(seconds))
    return answer
