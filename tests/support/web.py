"""A web server in the test's own process, over use cases in memory or whatever a test makes of them."""

import asyncio
import json
import ssl
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from tests.support.answering_services import put_answers
from tests.support.groups import EVERY_GROUP, catalog, tools_of

from citemark.app.serve_http import listening_sockets, url_of
from citemark.app.web_server import GRACE_SECONDS, WaitingLimits, WebServer
from citemark.features.nextcloud.tools.connect_page import connect_route
from citemark.identity.token_claims import TokenReader
from citemark.model.scope import Principal
from citemark.services.answers import AnswerService
from citemark.services.bundle import Services
from citemark.services.people.admission import RefusedRequest
from citemark.services.people.call_limits import CallLimits
from citemark.services.people.strangers import StrangerLimits
from citemark.services.requests import Caller
from citemark.settings import Settings
from citemark.tools.call_metrics import CallMetrics
from citemark.tools.http_access import ProtectedResource, SeenRefusals, caller_of
from citemark.tools.http_app import PeopleServer, http_app
from citemark.tools.http_guards import AllowedHosts
from citemark.tools.registry import Registry
from citemark.tools.seen_calls import CallObserver
from citemark.tools.server import Health, build_server
from citemark.tools.tool_catalog import ToolCatalog

NO_AUTHORITIES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For clients of loopback, which speaks plain HTTP: loading the machine's authorities takes a tenth of a second."""

MODERN = "2026-07-28"
"""The first protocol version without sessions."""

HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@asynccontextmanager
async def web_server(
    services: Services,
    *,
    principal: Principal | None = None,
    health: Health | None = None,
    grace: int = GRACE_SECONDS,
    offer: ToolCatalog | None = None,
    waiting: WaitingLimits | None = None,
    token: str | None = None,
    reader: TokenReader | None = None,
    resource: ProtectedResource | None = None,
    answers: AnswerService | None = None,
    limits: CallLimits | None = None,
    strangers: StrangerLimits | None = None,
    hosts: AllowedHosts | None = None,
    metrics: CallMetrics | None = None,
    sessions: bool = False,
    observers: Sequence[CallObserver] = (),
    refused: Callable[[RefusedRequest], None] = lambda _: None,
    **settings: Any,
) -> AsyncGenerator[str]:
    """The base address of a running server; with a `reader` it answers other people too."""

    async def provide() -> Services:
        return services

    answering = answers is not None
    if answers is not None:
        put_answers(services, answers)
    caller = Caller.of(principal or Principal.local())
    offer = offer or catalog(answering=answering)
    server = build_server(provide, Settings(**settings), caller, offer, limits, observers)
    people: PeopleServer | None = None
    if reader is not None:
        everything = catalog(EVERY_GROUP, answering=answering)
        theirs = build_server(provide, Settings(**settings), caller_of, everything, limits, observers)
        needs = Registry(tools_of(EVERY_GROUP, Settings(**settings), answering=answering)).needs
        page = connect_route(provide, Settings(**settings).http_resource)
        people = PeopleServer(theirs, reader, needs, resource, limits, strangers, page)
    told = health or Health("ready")
    web = WebServer(
        SeenRefusals(http_app(server, lambda: told, token, people, hosts, metrics, sessions=sessions), refused),
        grace,
        waiting or WaitingLimits(),
    )
    sockets = listening_sockets("127.0.0.1", 0, authenticated=False)
    url = url_of(sockets[0])
    running = asyncio.create_task(web.serve(sockets))
    try:
        yield url
    finally:
        web.end()
        offer.end()
        await running


def request_of(method: str, version: str, **params: Any) -> tuple[bytes, dict[str, str]]:
    """Body and headers of one request in a protocol version, without a handshake."""
    headers = {**HEADERS, "mcp-protocol-version": version}
    if version >= MODERN:
        name = params.get("name") or params.get("uri")
        headers |= {"mcp-method": method} | ({"mcp-name": name} if name else {})
        about: dict[str, Any] = {"protocolVersion": version, "clientCapabilities": {}}
        params = {"_meta": {f"io.modelcontextprotocol/{key}": value for key, value in about.items()}, **params}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode(), headers


def message_in(response: httpx2.Response) -> str:
    """The JSON-RPC message of an answer, as it was sent: the body, or the data of its one event."""
    if response.headers["content-type"].startswith("text/event-stream"):
        return next(line[len("data: ") :] for line in response.text.splitlines() if line.startswith("data: {"))
    return response.text
