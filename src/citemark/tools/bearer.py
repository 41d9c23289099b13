"""Serve only those who send the token of the index: every account of a machine can reach a loopback address."""

import hmac

import mcp_types as types
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from citemark.tools.bodies import error_response

_SCHEME = "bearer"
_REFUSED = (
    "This server wants its token: send the header `Authorization: Bearer TOKEN`. `citemark serve --http` prints it, "
    "and `citemark install HOST --http` writes it into a host's configuration."
)


class BearerToken:
    """What a request must carry; None where every request is served."""

    def __init__(self, token: str | None) -> None:
        self._wanted = None if token is None else token.encode()

    def holds(self, headers: Headers) -> bool:
        """Whether a request carries it. Takes as long for a nearly right token as for a wrong one."""
        if self._wanted is None:
            return True
        given = headers.getlist("authorization")
        scheme, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        return scheme.lower() == _SCHEME and hmac.compare_digest(token.strip().encode(), self._wanted)


class TokenGuard:
    """An ASGI application that lets only requests with the token through to another one."""

    def __init__(self, app: ASGIApp, token: BearerToken) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request; a refused one's body is not read."""
        if self._token.holds(Headers(scope=scope)):
            await self._app(scope, receive, send)
            return
        error = types.ErrorData(code=types.INVALID_REQUEST, message=_REFUSED)
        answer = error_response(401, types.JSONRPCError(jsonrpc="2.0", id=None, error=error))
        answer.headers["www-authenticate"] = 'Bearer realm="citemark"'
        await answer(scope, receive, send)
