"""Serves MCP as Streamable HTTP: one endpoint for both generations of the protocol, no state between requests."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from citemark import __version__
from citemark.identity.token_claims import TokenReader
from citemark.services.people.call_limits import CallLimits
from citemark.services.people.strangers import StrangerLimits
from citemark.tools.call_metrics import CONTENT_TYPE, CallMetrics, CountedAnswers
from citemark.tools.http_access import People, ProtectedResource, ScopeGuard, TokenGuard
from citemark.tools.http_guards import AllowedHosts, BearerToken, HostGuard, MessageBodies
from citemark.tools.http_strangers import StrangersGuard
from citemark.tools.server import Health

MCP_PATH = "/mcp"
HEALTH_PATH = "/health"
METRICS_PATH = "/metrics"

_OPEN_PATHS = frozenset({"/", HEALTH_PATH, f"{HEALTH_PATH}/ready", f"{HEALTH_PATH}/live"})
"""What monitors ask for, and people in a browser."""

_MOST_SESSIONS = 256
"""Maximum number of concurrent sessions; each one is a few tasks and streams."""

_PAGE_HEADERS = (
    "Authorization",
    "Content-Type",
    "Last-Event-ID",
    "MCP-Protocol-Version",
    "Mcp-Method",
    "Mcp-Name",
    "Mcp-Session-Id",
)
"""What MCP clients send from a web page, of which browsers ask first whether it is accepted."""

WELCOME = (
    f"Citemark {__version__}\n\n"
    f"{MCP_PATH}     MCP over Streamable HTTP (POST): give its address to an MCP client\n"
    f"{HEALTH_PATH}  whether the index is open (GET)\n"
)
"""Shown to a person who opens the address in a browser."""

MAX_BODY_BYTES = 4 * 1024 * 1024
"""Longer requests are answered with 413 and are not kept in memory."""

MAX_BODY_BYTES_OF_OTHERS = 1024 * 1024
"""The limit for people other than the owner: twice the longest call, nine phrasings of 8,000 escaped characters."""


@dataclass(frozen=True, slots=True)
class PeopleServer:
    """A server for people other than the owner, and how they are told apart.

    Attributes:
        server: uses `caller_of` to find out who sent a request.
        reader: maps a token to the principal that it stands for.
        needs: returns the scopes that the tool with a given name needs.
        resource: set if there is an authorization server.
        limits: how often each person may call.
        strangers: how often requests without a known token may fail.
        page: the route of the page where they connect their own accounts, if they can.
    """

    server: Server[Any]
    reader: TokenReader
    needs: Callable[[str], frozenset[str]]
    resource: ProtectedResource | None = None
    limits: CallLimits | None = None
    strangers: StrangerLimits | None = None
    page: Route | None = None


@dataclass(frozen=True, slots=True)
class WebPages:
    """The pages for people with a browser; `knows` tells which requests come from one that is signed in."""

    routes: Sequence[Route]
    knows: Callable[[HTTPConnection], bool]


def http_app(
    server: Server[Any],
    health: Callable[[], Health],
    token: str | None = None,
    people: PeopleServer | None = None,
    hosts: AllowedHosts | None = None,
    metrics: CallMetrics | None = None,
    *,
    sessions: bool = False,
    pages: WebPages | None = None,
    commands: Route | None = None,
) -> ASGIApp:
    """The web application of a server; its ASGI lifespan starts and stops the serving.

    Without a `token`, every request from this machine is served. With one, only requests that carry it are served, and
    those of `people` whose own tokens identify them; anyone else learns whether the index is open, and nothing more.
    `hosts` are the names by which, and the pages from which, the server may be addressed besides those of this machine.
    `metrics` are shown only to requests with the owner's token. With `sessions`, the owner's clients that use the older
    protocol with a handshake each get a session, kept in this process, so that the server can ask them something during
    a call. `commands` is where the owner's command line has commands carried out.
    """
    owner_token, allowed = BearerToken(token), hosts or AllowedHosts()
    # The guard in front checks Host and Origin for every path and explains refusals, so the SDK's own check stays off.
    manager = StreamableHTTPSessionManager(
        app=server, stateless=not sessions, max_request_body_size=MAX_BODY_BYTES, max_sessions=_MOST_SESSIONS
    )
    managers = [manager]
    others: People | None = None
    if people is not None:
        people_manager = StreamableHTTPSessionManager(
            people.server, stateless=True, max_request_body_size=MAX_BODY_BYTES_OF_OTHERS
        )
        managers.append(people_manager)
        guarded = ScopeGuard(StreamableHTTPASGIApp(people_manager), people.needs, people.resource)
        others = People(MessageBodies(guarded, MAX_BODY_BYTES_OF_OTHERS), people.reader, people.resource, people.limits)
    refused_others = (
        None if others is None else replace(others, app=Response(status_code=405, headers={"allow": "POST"}))
    )
    streams = TokenGuard(StreamableHTTPASGIApp(manager), owner_token, refused_others)
    protocol = TokenGuard(MessageBodies(StreamableHTTPASGIApp(manager), MAX_BODY_BYTES), owner_token, others)

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncGenerator[None]:
        async with AsyncExitStack() as stack:
            for session_manager in managers:
                await stack.enter_async_context(session_manager.run())
            yield

    async def show_health(request: Request) -> JSONResponse:
        now = health()
        reason = {"reason": now.reason} if now.reason and owner_token.holds(request.headers) else {}
        body = {"status": now.status, "version": __version__, **reason}
        return JSONResponse(body, status_code=200 if now.status == "ready" else 503)

    async def show_liveness(_: Request) -> JSONResponse:
        return JSONResponse({"status": "alive"})

    async def show_metrics(request: Request) -> Response:
        if metrics is None or not owner_token.holds(request.headers):
            headers = {} if metrics is None else {"www-authenticate": 'Bearer realm="citemark"'}
            return PlainTextResponse("Not here, or not for you", 404 if metrics is None else 401, headers)
        return Response(metrics.text(), media_type=CONTENT_TYPE)

    async def show_welcome(_: Request) -> PlainTextResponse:
        return PlainTextResponse(WELCOME)

    # Without sessions there is nothing for a GET to listen to or a DELETE to end: 405, as the protocol requires.
    # People other than the owner have no sessions either, because we do not bind a session to its principal.
    routes = [
        *([Route("/", endpoint=show_welcome)] if pages is None else pages.routes),
        Route(MCP_PATH, endpoint=protocol if metrics is None else CountedAnswers(protocol, metrics), methods=["POST"]),
        *([Route(MCP_PATH, endpoint=streams, methods=["GET", "DELETE"])] if sessions else []),
        Route(HEALTH_PATH, endpoint=show_health),
        Route(f"{HEALTH_PATH}/ready", endpoint=show_health),
        Route(f"{HEALTH_PATH}/live", endpoint=show_liveness),
        Route(METRICS_PATH, endpoint=show_metrics),
        *([] if commands is None else [commands]),
        *([] if people is None or people.page is None else [people.page]),
        *([] if people is None or people.resource is None else people.resource.routes(MCP_PATH)),
    ]
    app: ASGIApp = Starlette(routes=routes, lifespan=running)
    if people is not None and people.strangers is not None:
        knows = None if pages is None else pages.knows
        app = StrangersGuard(app, owner_token, people.strangers, _OPEN_PATHS, knows)
    return HostGuard(_with_pages(app, allowed.origins), allowed)


def _with_pages(app: ASGIApp, origins: frozenset[str]) -> ASGIApp:
    """An application that tells browsers which web pages may send it requests and read its answers.

    Every page is named: "*" would let any that runs on this machine read answers.
    """
    origins -= {"*"}
    if not origins:
        return app
    return CORSMiddleware(
        app,
        allow_origins=origins,
        allow_methods=("GET", "POST", "DELETE"),
        allow_headers=_PAGE_HEADERS,
        expose_headers=("Mcp-Session-Id", "Retry-After", "WWW-Authenticate"),
    )
