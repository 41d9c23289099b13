"""A gRPC server in the test's own process, over use cases in memory or whatever a test makes of them."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from tests.support.answering_services import put_answers
from tests.support.groups import EVERY_GROUP, tools_of

from citemark.app.features import contract_of
from citemark.grpc_api.calls import QueryCalls
from citemark.grpc_api.entrance import Entrance
from citemark.grpc_api.grpc_server import Certificate, GrpcServer
from citemark.grpc_api.keepalive import Keepalive
from citemark.grpc_api.methods import Contract
from citemark.identity.token_claims import TokenReader
from citemark.services.answers import AnswerService
from citemark.services.bundle import Services
from citemark.services.people.admission import Admission, OwnerToken, RefusedRequest
from citemark.services.people.call_limits import CallLimits
from citemark.services.people.strangers import StrangerLimits
from citemark.settings import Settings
from citemark.tools.seen_calls import CallObserver
from citemark.tools.server import Health


@asynccontextmanager
async def grpc_server(
    services: Services,
    *,
    answers: AnswerService | None = None,
    token: str | None = None,
    reader: TokenReader | None = None,
    limits: CallLimits | None = None,
    strangers: StrangerLimits | None = None,
    observers: Sequence[CallObserver] = (),
    refused: Callable[[RefusedRequest], None] = lambda _: None,
    health: Callable[[], Health] = lambda: Health("ready"),
    certificate: Certificate | None = None,
    grace: float = 2.0,
    started: Callable[[GrpcServer], None] = lambda _: None,
    contract: Contract | None = None,
    keepalive: Keepalive = Keepalive(),  # noqa: B008 - frozen
    **settings: Any,
) -> AsyncGenerator[str]:
    """The address of a running server; with a `reader` it answers other people too."""

    async def provide() -> Services:
        return services

    if answers is not None:
        put_answers(services, answers)
    chosen = Settings(**settings)
    tools = {tool.name: tool for tool in tools_of(EVERY_GROUP, chosen, answering=answers is not None)}
    calls = QueryCalls(provide, chosen, limits, observers)
    entrance = Entrance(Admission(OwnerToken(token), reader, limits), strangers, refused)
    server = GrpcServer(contract or contract_of(), calls, tools, entrance, health, grace, keepalive)
    port = server.listen("127.0.0.1:0", certificate)
    started(server)
    running = asyncio.create_task(server.serve())
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.end()
        await running
