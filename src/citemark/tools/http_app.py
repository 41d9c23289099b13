"""Serving as Streamable HTTP: one endpoint for both protocol eras, no state between requests."""

from collections.abc import Callable
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from citemark import __version__
from citemark.tools.http_guards import BearerToken, LoopbackGuard, MessageBodies, TokenGuard
from citemark.tools.server import Health

MCP_PATH = "/mcp"
HEALTH_PATH = "/health"

_WELCOME = (
    f"Citemark {__version__}\n\n"
    f"{MCP_PATH}     MCP over Streamable HTTP (POST): give its address to an MCP client\n"
    f"{HEALTH_PATH}  whether the index is open (GET)\n"
)
"""What a person sees who opens the address in a browser."""

MAX_BODY_BYTES = 4 * 1024 * 1024
"""A longer request is answered with 413 and not kept in memory."""


def http_app(server: Server[Any], health: Callable[[], Health], token: str | None = None) -> ASGIApp:
    """The web application of a server; its lifespan is the server's.

    Without a `token` every request of this machine is served; with one, those that carry it. Others are told whether
    the index is open, and nothing else.
    """
    wanted = BearerToken(token)
    # The guard in front checks Host and Origin for every path and says what to do, so the SDK's own check stays off.
    manager = StreamableHTTPSessionManager(app=server, stateless=True, max_request_body_size=MAX_BODY_BYTES)
    protocol = TokenGuard(MessageBodies(StreamableHTTPASGIApp(manager), MAX_BODY_BYTES), wanted)

    async def tell_health(request: Request) -> JSONResponse:
        now = health()
        why = {"reason": now.reason} if now.reason and wanted.holds(request.headers) else {}
        told = {"status": now.status, "version": __version__, **why}
        return JSONResponse(told, status_code=200 if now.status == "ready" else 503)

    async def tell_what_this_is(_: Request) -> PlainTextResponse:
        return PlainTextResponse(_WELCOME)

    # Without sessions there is nothing that a GET could listen to or a DELETE could end: 405, as the protocol has it.
    routes = [
        Route("/", endpoint=tell_what_this_is),
        Route(MCP_PATH, endpoint=protocol, methods=["POST"]),
        Route(HEALTH_PATH, endpoint=tell_health),
    ]
    return LoopbackGuard(Starlette(routes=routes, lifespan=lambda _: manager.run()))
