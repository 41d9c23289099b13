"""Keeps strangers from slowing down people: from an address with too many failures, only known tokens are answered.

A refusal is held back for a second, because a program that floods a server over some connections sends its next request
as soon as it has an answer.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import mcp_types as types
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citemark.services.people.failed_requests import FailedRequests
from citemark.tools.http_access import bearer_of
from citemark.tools.http_guards import BearerToken, error_response

_FAILURES = frozenset({401, 404, 503})
"""Statuses of requests that know neither a token nor a path of this server, or whose token could not be looked up."""


_MOST_HELD = 512
"""The most refusals that are held back at a time, about half of the connections that the server takes."""

_HELD_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class StrangerLimits:
    """How often strangers may fail; `admits` tells which tokens are answered however often others failed.

    `pause` waits for some seconds.
    """

    admits: Callable[[str], bool]
    failures: FailedRequests = field(default_factory=FailedRequests)
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep


class StrangersGuard:
    """An ASGI application that counts the failures of another one by address, and answers 429 where there are too many.

    The owner, known tokens and `open_paths`, which anyone may ask for, are not affected.
    """

    def __init__(self, app: ASGIApp, owner: BearerToken, limits: StrangerLimits, open_paths: frozenset[str]) -> None:
        self._app = app
        self._owner = owner
        self._limits = limits
        self._open_paths = open_paths
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or answer that its address has to wait."""
        if scope["type"] != "http" or scope["path"] in self._open_paths:
            await self._app(scope, receive, send)
            return
        if self._is_known(Headers(scope=scope)):
            await self._app(scope, receive, send)
            return
        client = scope.get("client")
        address, failures = str(client[0]) if client else "", self._limits.failures
        if seconds := failures.wait_for_turn(address):
            await self._hold_back()
            await _too_many(seconds)(scope, receive, send)
            return

        async def send_and_judge(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] not in _FAILURES:
                failures.succeeded(address)
            await send(message)

        await self._app(scope, receive, send_and_judge)

    async def _hold_back(self) -> None:
        if self._held >= _MOST_HELD:
            return
        self._held += 1
        try:
            await self._limits.pause(_HELD_SECONDS)
        finally:
            self._held -= 1

    def _is_known(self, headers: Headers) -> bool:
        given = bearer_of(headers)
        return given is not None and (self._owner.holds(headers) or self._limits.admits(given))


def _too_many(seconds: float) -> ASGIApp:
    message = "Too many requests from this address failed; wait as long as Retry-After says"
    error = types.ErrorData(code=types.INVALID_REQUEST, message=message)
    answer = error_response(429, types.JSONRPCError(jsonrpc="2.0", id=None, error=error))
    answer.headers["retry-after"] = str(math.ceil(seconds))
    return answer
