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

from citemark.identity.token_claims import TokenReader
from citemark.model.scope import READ, SCOPES, Principal
from citemark.services.people.admission import Admission, RefusedRequest, TurnedAway
from citemark.services.people.call_limits import CallLimits
from citemark.services.requests import Caller
from citemark.tools.http_guards import BearerToken, bearer_of, error_response

WELL_KNOWN = "/.well-known/oauth-protected-resource"
KNOWN_SENDER = "citemark.known_sender"
"""The key in an ASGI scope under which it is noted that the request had a valid token."""

_PRINCIPAL = "citemark.principal"
_REFUSED_FOR = "citemark.refused_for"
_REFUSALS = frozenset({401, 403, 429})
_OURS = frozenset(SCOPES)
_LISTS = frozenset({"tools/list", "prompts/list", "prompts/get", "resources/list", "resources/templates/list"})
"""What a token with none of our scopes is refused: an empty list would not tell its client to ask for a scope."""

_UNKNOWN = (
    "This server requires a token: send the header `Authorization: Bearer TOKEN`. Ask whoever runs this server for "
    "one, or log in where its authorization server is. If you run it: `citemark serve --http` prints the owner's, "
    "`citemark install HOST --http` writes it into a host's configuration, and `citemark token create` makes one for "
    "somebody else."
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
        self._people = people
        reader, limits = (None, None) if people is None else (people.reader, people.limits)
        self._admission = Admission(token.owner, reader, limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request; the body of a refused request is not read."""
        given = bearer_of(Headers(scope=scope))
        try:
            principal = await self._admission.principal_of(given)
        except TurnedAway as refused:
            scope[_REFUSED_FOR] = refused.reason
            if refused.principal is not None:
                scope[_PRINCIPAL], scope[KNOWN_SENDER] = refused.principal, True
            answer = self._challenge(given) if refused.status == 401 else _wait(refused)  # noqa: PLR2004 - HTTP's number
            await answer(scope, receive, send)
            return
        scope[KNOWN_SENDER] = True
        if principal is None or self._people is None:
            await self._app(scope, receive, send)
            return
        scope[_PRINCIPAL] = principal
        await self._people.app(scope, receive, send)

    def _challenge(self, token: str | None) -> Response:
        """A 401 response. It names the scope to read; a client asks for more when a tool needs it (`ScopeGuard`)."""
        error = types.ErrorData(code=types.INVALID_REQUEST, message=_UNKNOWN)
        answer = error_response(401, types.JSONRPCError(jsonrpc="2.0", id=None, error=error))
        resource = None if self._people is None else self._people.resource
        parameters: dict[str, str] = {}
        if token is not None and self._people is not None:
            parameters = {"error": "invalid_token", "error_description": "The token is not valid here"}
        if resource is not None:
            parameters |= {"scope": READ}
        answer.headers["www-authenticate"] = challenge(parameters, resource)
        return answer


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
        needed = self._needed(first.get("body", b""), principal)
        if needed <= principal.scopes:
            await self._app(scope, _again(first, receive), send)
            return
        # The scopes that the token has are named too: a client that requests only the named ones must not lose any.
        named = " ".join(scope for scope in SCOPES if scope in needed | principal.scopes)
        message = f"This needs a token with the scope {' '.join(sorted(needed))}; {self._from_whom}"
        error = types.ErrorData(code=types.INVALID_REQUEST, message=message)
        answer = error_response(403, types.JSONRPCError(jsonrpc="2.0", id=_id_in(first), error=error))
        answer.headers["www-authenticate"] = challenge({"error": "insufficient_scope", "scope": named}, self._resource)
        await answer(scope, receive, send)

    def _needed(self, body: bytes, principal: Principal) -> frozenset[str]:
        message: Any = json.loads(body)
        method, params = message.get("method"), message.get("params")
        if method == "resources/read" or (method in _LISTS and not principal.scopes & _OURS):
            return frozenset({READ})
        if method == "tools/call" and isinstance(params, dict):
            return self._needs(str(cast("dict[str, Any]", params).get("name")))
        return frozenset()

    @property
    def _from_whom(self) -> str:
        if self._resource is None:
            return "ask whoever runs this server for one."
        return "ask the authorization server for it, or whoever runs this server."


def _id_in(message: Any) -> str | int | None:
    ident = json.loads(message.get("body", b"")).get("id")
    return ident if isinstance(ident, str | int) else None


def _again(first: Any, receive: Receive) -> Receive:
    waiting = [first]

    async def replay() -> Any:
        return waiting.pop() if waiting else await receive()

    return replay


def _wait(refused: TurnedAway) -> Response:
    code = types.INTERNAL_ERROR if refused.principal is None else types.INVALID_REQUEST
    error = types.ErrorData(code=code, message=refused.message)
    answer = error_response(refused.status, types.JSONRPCError(jsonrpc="2.0", id=None, error=error))
    answer.headers["retry-after"] = str(math.ceil(refused.retry_after))
    return answer
