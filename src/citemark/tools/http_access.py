"""Access control over HTTP: tokens, scopes, the challenges of RFC 6750, the metadata of RFC 9728.

The scopes that a request needs are decided from its body, because its headers are only what the client claims.
"""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

import mcp_types as types
from mcp.server.context import ServerRequestContext
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citemark.identity.token_claims import TokenReader, TokenRefused
from citemark.model.errors import BackendUnavailable
from citemark.model.scope import READ, SCOPES, Principal
from citemark.services.people.call_limits import CallLimits
from citemark.services.requests import Caller
from citemark.tools.http_guards import BearerToken, error_response

WELL_KNOWN = "/.well-known/oauth-protected-resource"
KNOWN_SENDER = "citemark.known_sender"
"""The key in an ASGI scope under which it is noted that the request had a valid token."""

_PRINCIPAL = "citemark.principal"
_REFUSED_FOR = "citemark.refused_for"
_REFUSALS = frozenset({401, 403, 429})
_RETRY_SECONDS = 5
"""An issuer's keys are not requested again within this time, so there is no point in retrying sooner."""

_UNKNOWN = (
    "This server requires a token: send the header `Authorization: Bearer TOKEN`. `citemark serve --http` prints the "
    "owner's, and `citemark install HOST --http` writes it into a host's configuration; other people get theirs from "
    "`citemark token create` or an authorization server."
)


@dataclass(frozen=True, slots=True)
class ProtectedResource:
    """This server as authorization servers know it: its address (RFC 8707), and the issuer of its tokens."""

    url: str
    issuer: str
    scopes: Sequence[str] = SCOPES

    @property
    def metadata_url(self) -> str:
        """The URL of its metadata."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}{WELL_KNOWN}{parts.path.rstrip('/')}"

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata of this server (RFC 9728)."""
        return {
            "resource": self.url,
            "resource_name": "Citemark",
            "authorization_servers": [self.issuer],
            "scopes_supported": list(self.scopes),
            "bearer_methods_supported": ["header"],
        }

    def routes(self, path: str) -> list[Route]:
        """The routes of every path at which clients look for the metadata."""

        async def show_metadata(_: Request) -> JSONResponse:
            return JSONResponse(self.metadata, headers={"cache-control": "max-age=300"})

        paths = dict.fromkeys((WELL_KNOWN, WELL_KNOWN + path, WELL_KNOWN + urlsplit(self.url).path.rstrip("/")))
        return [Route(path, endpoint=show_metadata) for path in paths]


@dataclass(frozen=True, slots=True)
class People:
    """For everyone except the owner: the application, the reader of their tokens, the resource, and their limits.

    `resource` is None if there is no authorization server.
    """

    app: ASGIApp
    reader: TokenReader
    resource: ProtectedResource | None = None
    limits: CallLimits | None = None


@dataclass(frozen=True, slots=True)
class RefusedRequest:
    """A request that was answered with 401, 403 or 429: its principal, if known, and the address it came from.

    `reason` says what is wrong with its token.
    """

    status: int
    principal: str | None
    address: str | None
    reason: str | None = None


class SeenRefusals:
    """An ASGI application that reports the requests that another application refuses."""

    def __init__(self, app: ASGIApp, tell: Callable[[RefusedRequest], None]) -> None:
        self._app = app
        self._tell = tell

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""

        async def send_and_report(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] in _REFUSALS:
                principal: Principal | None = scope.get(_PRINCIPAL)
                address = scope.get("client")
                key = None if principal is None else principal.key
                reason = scope.get(_REFUSED_FOR)
                self._tell(RefusedRequest(message["status"], key, address[0] if address else None, reason))
            await send(message)

        await self._app(scope, receive, send_and_report)


def caller_of(context: ServerRequestContext[Any, Any]) -> Caller:
    """The caller who sent a request that passed the token guard."""
    request = cast("Request", context.request)
    return Caller.of(request.scope[_PRINCIPAL])


class TokenGuard:
    """An ASGI application that passes the owner's requests on to one application and other people's to another one."""

    def __init__(self, app: ASGIApp, token: BearerToken, people: People | None = None) -> None:
        self._app = app
        self._token = token
        self._people = people

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request; the body of a refused request is not read."""
        headers = Headers(scope=scope)
        if self._token.holds(headers):
            scope[KNOWN_SENDER] = True
            await self._app(scope, receive, send)
            return
        people, given = self._people, bearer_of(headers)
        if people is None or given is None:
            await self._challenge(given)(scope, receive, send)
            return
        try:
            principal = await people.reader.principal_of(given)
        except TokenRefused as refused:
            scope[_REFUSED_FOR] = str(refused)
            await self._challenge(given)(scope, receive, send)
        except BackendUnavailable as error:
            await _unavailable(error)(scope, receive, send)
        else:
            scope[_PRINCIPAL], scope[KNOWN_SENDER] = principal, True
            seconds = people.limits.wait_for_turn(principal) if people.limits else 0
            if seconds:
                await _too_many(seconds)(scope, receive, send)
                return
            await people.app(scope, receive, send)

    def _challenge(self, token: str | None) -> Response:
        """A 401 response. It names every scope, so that clients that register themselves ask for all they may need."""
        error = types.ErrorData(code=types.INVALID_REQUEST, message=_UNKNOWN)
        answer = error_response(401, types.JSONRPCError(jsonrpc="2.0", id=None, error=error))
        resource = None if self._people is None else self._people.resource
        parameters: dict[str, str] = {}
        if token is not None and self._people is not None:
            parameters = {"error": "invalid_token", "error_description": "The token is not valid here"}
        if resource is not None:
            parameters |= {"scope": " ".join(resource.scopes)}
        answer.headers["www-authenticate"] = challenge(parameters, resource)
        return answer


def bearer_of(headers: Headers) -> str | None:
    """The bearer token of a request, or None if it does not carry exactly one Authorization header with one."""
    values = headers.getlist("authorization")
    scheme, _, token = values[0].partition(" ") if len(values) == 1 else ("", "", "")
    return token.strip() if scheme.lower() == "bearer" and token.strip() else None


def challenge(parameters: dict[str, str], resource: ProtectedResource | None) -> str:
    """The value of the WWW-Authenticate header."""
    every_parameter = (
        {"realm": "citemark", **parameters}
        if resource is None
        else {**parameters, "resource_metadata": resource.metadata_url}
    )
    return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in every_parameter.items())


class ScopeGuard:
    """An ASGI application that passes a request on if its principal has the scopes that it needs.

    The whole body must arrive in the first message, as after `MessageBodies`.
    """

    def __init__(
        self, app: ASGIApp, needs: Callable[[str], frozenset[str]], resource: ProtectedResource | None
    ) -> None:
        self._app = app
        self._needs = needs
        self._resource = resource

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or answer 403 with the scopes that it needs."""
        first = await receive()
        principal: Principal = scope[_PRINCIPAL]
        needed = self._needed(first.get("body", b""))
        if needed <= principal.scopes:
            await self._app(scope, _again(first, receive), send)
            return
        # The scopes that the token has are named too: a client that requests only the named ones must not lose any.
        named = " ".join(scope for scope in SCOPES if scope in needed | principal.scopes)
        error = types.ErrorData(code=types.INVALID_REQUEST, message=f"This needs the scope {' '.join(sorted(needed))}")
        answer = error_response(403, types.JSONRPCError(jsonrpc="2.0", id=_id_in(first), error=error))
        answer.headers["www-authenticate"] = challenge({"error": "insufficient_scope", "scope": named}, self._resource)
        await answer(scope, receive, send)

    def _needed(self, body: bytes) -> frozenset[str]:
        message: Any = json.loads(body)
        params: Any = message.get("params")
        if message.get("method") == "resources/read":
            return frozenset({READ})
        if message.get("method") == "tools/call" and isinstance(params, dict):
            return self._needs(str(cast("dict[str, Any]", params).get("name")))
        return frozenset()


def _id_in(message: Any) -> str | int | None:
    ident = json.loads(message.get("body", b"")).get("id")
    return ident if isinstance(ident, str | int) else None


def _again(first: Any, receive: Receive) -> Receive:
    waiting = [first]

    async def replay() -> Any:
        return waiting.pop() if waiting else await receive()

    return replay


def _too_many(seconds: float) -> Response:
    data = types.ErrorData(code=types.INVALID_REQUEST, message="Too many requests; wait as long as Retry-After says")
    answer = error_response(429, types.JSONRPCError(jsonrpc="2.0", id=None, error=data))
    answer.headers["retry-after"] = str(math.ceil(seconds))
    return answer


def _unavailable(error: BackendUnavailable) -> Response:
    data = types.ErrorData(code=types.INTERNAL_ERROR, message=f"{error.code}: {error.message}")
    answer = error_response(503, types.JSONRPCError(jsonrpc="2.0", id=None, error=data))
    answer.headers["retry-after"] = str(_RETRY_SECONDS)
    return answer
