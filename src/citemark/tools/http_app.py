"""Serving as Streamable HTTP: one endpoint for both protocol eras, no state between requests."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from citemark import __version__
from citemark.identity.token_claims import TokenReader
from citemark.services.people.call_limits import CallLimits
from citemark.tools.call_metrics import CONTENT_TYPE, CallMetrics, CountedAnswers
from citemark.tools.http_access import People, ProtectedResource, ScopeGuard, TokenGuard
from citemark.tools.http_guards import AllowedHosts, BearerToken, HostGuard, MessageBodies
from citemark.tools.server import Health

MCP_PATH = "/mcp"
HEALTH_PATH = "/health"
METRICS_PATH = "/metrics"

_MOST_SESSIONS = 256
"""Sessions at a time; each is a few tasks and streams."""

_WELCOME = (
    f"Citemark {__version__}\n\n"
    f"{MCP_PATH}     MCP over Streamable HTTP (POST): give its address to an MCP client\n"
    f"{HEALTH_PATH}  whether the index is open (GET)\n"
)
"""What a person sees who opens the address in a browser."""

MAX_BODY_BYTES = 4 * 1024 * 1024
"""A longer request is answered with 413 and not kept in memory."""

MAX_BODY_BYTES_OF_OTHERS = 1024 * 1024
"""For people besides the owner: twice the longest call, nine phrasings of 8,000 characters that are all escaped."""


@dataclass(frozen=True, slots=True)
class PeopleServer:
    """A server for people besides the owner, and how they are distinguished.

    Attributes:
        server: asks `caller_of` who sends a request.
        reader: tells whom a token stands for.
        needs: the scopes that a tool needs, by its name.
        resource: where there is an authorization server.
        limits: for how often each of them may ask.
        page: where they connect accounts of their own.
    """

    server: Server[Any]
    reader: TokenReader
    needs: Callable[[str], frozenset[str]]
    resource: ProtectedResource | None = None
    limits: CallLimits | None = None
    page: Route | None = None


def http_app(
    server: Server[Any],
    health: Callable[[], Health],
    token: str | None = None,
    people: PeopleServer | None = None,
    hosts: AllowedHosts | None = None,
    metrics: CallMetrics | None = None,
    *,
    sessions: bool = False,
) -> ASGIApp:
    """The web application of a server; its lifespan is the server's.

    Without a `token` every request of this machine is served; with one, those that carry it, and of `people` those
    whom their tokens name. Others are told whether the index is open, and nothing else. `hosts` are the names under
    which the server may be addressed besides those of this machine; `metrics` are told to the owner's token.
    With `sessions`, the owner's clients of the handshake era get one, kept in this process: they can be asked in the
    middle of a call.
    """
    wanted = BearerToken(token)
    # The guard in front checks Host and Origin for every path and says what to do, so the SDK's own check stays off.
    manager = StreamableHTTPSessionManager(
        app=server, stateless=not sessions, max_request_body_size=MAX_BODY_BYTES, max_sessions=_MOST_SESSIONS
    )
    managers = [manager]
    known: People | None = None
    if people is not None:
        theirs = StreamableHTTPSessionManager(
            people.server, stateless=True, max_request_body_size=MAX_BODY_BYTES_OF_OTHERS
        )
        managers.append(theirs)
        guarded = ScopeGuard(StreamableHTTPASGIApp(theirs), people.needs, people.resource)
        known = People(MessageBodies(guarded, MAX_BODY_BYTES_OF_OTHERS), people.reader, people.resource, people.limits)
    without = None if known is None else replace(known, app=Response(status_code=405, headers={"allow": "POST"}))
    streams = TokenGuard(StreamableHTTPASGIApp(manager), wanted, without)
    protocol = TokenGuard(MessageBodies(StreamableHTTPASGIApp(manager), MAX_BODY_BYTES), wanted, known)

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncGenerator[None]:
        async with AsyncExitStack() as stack:
            for each in managers:
                await stack.enter_async_context(each.run())
            yield

    async def tell_health(request: Request) -> JSONResponse:
        now = health()
        why = {"reason": now.reason} if now.reason and wanted.holds(request.headers) else {}
        told = {"status": now.status, "version": __version__, **why}
        return JSONResponse(told, status_code=200 if now.status == "ready" else 503)

    async def tell_life(_: Request) -> JSONResponse:
        return JSONResponse({"status": "alive"})

    async def tell_metrics(request: Request) -> Response:
        if metrics is None or not wanted.holds(request.headers):
            refused = {} if metrics is None else {"www-authenticate": 'Bearer realm="citemark"'}
            return PlainTextResponse("Not here, or not for you", 404 if metrics is None else 401, refused)
        return Response(metrics.text(), media_type=CONTENT_TYPE)

    async def tell_what_this_is(_: Request) -> PlainTextResponse:
        return PlainTextResponse(_WELCOME)

    # Without sessions there is nothing that a GET could listen to or a DELETE could end: 405, as the protocol has it.
    # People besides the owner have none either: a session is not bound to its principal by us.
    routes = [
        Route("/", endpoint=tell_what_this_is),
        Route(MCP_PATH, endpoint=protocol if metrics is None else CountedAnswers(protocol, metrics), methods=["POST"]),
        *([Route(MCP_PATH, endpoint=streams, methods=["GET", "DELETE"])] if sessions else []),
        Route(HEALTH_PATH, endpoint=tell_health),
        Route(f"{HEALTH_PATH}/ready", endpoint=tell_health),
        Route(f"{HEALTH_PATH}/live", endpoint=tell_life),
        Route(METRICS_PATH, endpoint=tell_metrics),
        *([] if people is None or people.page is None else [people.page]),
        *([] if people is None or people.resource is None else people.resource.routes(MCP_PATH)),
    ]
    return HostGuard(Starlette(routes=routes, lifespan=running), hosts or AllowedHosts())
