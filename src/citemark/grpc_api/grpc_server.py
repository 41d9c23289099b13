"""The gRPC server: the query services, health and reflection on one port."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from citemark.grpc_api.calls import QueryCalls
from citemark.grpc_api.entrance import Entrance
from citemark.grpc_api.guard import Guard
from citemark.grpc_api.handlers import MethodHandler
from citemark.grpc_api.keepalive import Keepalive
from citemark.grpc_api.methods import Contract
from citemark.model.errors import ConfigurationError
from citemark.tools.registry import Tool
from citemark.tools.server import Health

MAX_REQUEST_BYTES = 1024 * 1024
"""Longer requests are refused before they are read; the longest that a tool takes has half of it."""

_MAX_CALLS = 512
"""Calls at a time, running and waiting, over one connection and over all; more are refused."""

_OPTIONS: tuple[tuple[str, int], ...] = (
    ("grpc.max_receive_message_length", MAX_REQUEST_BYTES),
    ("grpc.max_concurrent_streams", _MAX_CALLS),
    ("grpc.so_reuseport", 0),  # or a second server could take a share of this one's clients
)

_LOOK_SECONDS = 0.5
"""How often the state of the index is looked at for clients that watch the health."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """The private key of a server and the chain of its certificate, in PEM."""

    key: bytes
    chain: bytes


class GrpcServer:
    """Serves until `end`; running calls may then finish within `grace` seconds."""

    def __init__(
        self,
        contract: Contract,
        calls: QueryCalls,
        tools: Mapping[str, Tool],
        entrance: Entrance,
        health_of_index: Callable[[], Health],
        grace: float,
        keepalive: Keepalive = Keepalive(),  # noqa: B008 - frozen
    ) -> None:
        """Prepare the services; must be called in a running event loop.

        Args:
            contract: the services and their methods.
            calls: runs the calls.
            tools: by their names; a method without its tool is unimplemented.
            entrance: lets callers in.
            health_of_index: is asked over and over.
            grace: seconds.
            keepalive: how quiet connections are treated.
        """
        self._contract = contract
        self._health_of_index = health_of_index
        self._grace = grace
        self._ending = asyncio.Event()
        self._hurrying = asyncio.Event()
        self._health = health.aio.HealthServicer()
        self._server = grpc.aio.server(
            interceptors=(Guard(entrance),),
            options=(*_OPTIONS, *keepalive.options),
            maximum_concurrent_rpcs=_MAX_CALLS,
        )
        for name, methods in contract.items():
            handlers = {
                each: MethodHandler(method, tools[method.tool], calls, entrance).for_server()
                for each, method in methods.items()
                if method.tool in tools
            }
            self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(name, handlers),))
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        names = [*contract, health.SERVICE_NAME, reflection.SERVICE_NAME]
        reflection.enable_server_reflection(names, self._server)

    def listen(self, address: str, certificate: Certificate | None = None) -> int:
        """Listen on an address such as `127.0.0.1:50051`, and return the port; port 0 takes a free one.

        Raises:
            ConfigurationError: the address is not available, or the certificate cannot be used.
        """
        try:
            if certificate is None:
                return self._server.add_insecure_port(address)
            credentials = grpc.ssl_server_credentials([(certificate.key, certificate.chain)])
            return self._server.add_secure_port(address, credentials)
        except RuntimeError:
            raise ConfigurationError(
                f"Cannot listen on {address} for gRPC; choose another one with --grpc-address (port 0: any)."
            ) from None

    async def serve(self) -> None:
        """Answer calls until `end`."""
        await self._server.start()
        watching = asyncio.create_task(self._watch())
        try:
            await self._ending.wait()
        finally:
            watching.cancel()
            await asyncio.wait((watching,))
            await self._health.enter_graceful_shutdown()
            stopping = asyncio.create_task(self._server.stop(self._grace))
            hurrying = asyncio.create_task(self._hurrying.wait())
            await asyncio.wait((stopping, hurrying), return_when=asyncio.FIRST_COMPLETED)
            hurrying.cancel()
            if not stopping.done():
                await self._server.stop(None)
            await stopping

    def end(self) -> None:
        """Take no more calls and stop once the running ones are answered; a second call stops immediately."""
        if self._ending.is_set():
            self._hurrying.set()
        self._ending.set()

    async def _watch(self) -> None:
        """Keep the health up to date."""
        told = None
        while True:
            is_ready = self._health_of_index().status == "ready"
            if is_ready is not told:
                told = is_ready
                serving = health_pb2.HealthCheckResponse
                status = serving.SERVING if is_ready else serving.NOT_SERVING
                for name in ("", *self._contract):
                    await self._health.set(name, status)
            await asyncio.sleep(_LOOK_SECONDS)
