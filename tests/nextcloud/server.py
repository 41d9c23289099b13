"""The double on a loopback port, served from a thread of its own."""

import asyncio
import base64
import logging
import socket
import struct
from pathlib import Path
from threading import Thread
from typing import Any, Self

import uvicorn
from starlette.types import Scope
from tests.nextcloud.app import App, Rendezvous
from tests.nextcloud.faults import Faults
from tests.nextcloud.log import Log
from tests.nextcloud.versions import RECORDED, Version
from tests.nextcloud.world import World
from uvicorn.protocols.http.h11_impl import H11Protocol

_Peer = tuple[str, int]


class Nextcloud:
    """A running server: its `url`, its `world` of controls, its `faults`, its `log` of requests."""

    def __init__(self, certificate: tuple[Path, Path] | None = None, version: Version = RECORDED) -> None:
        self.world = World(version)
        self.faults = Faults()
        self.log = Log()
        self._open: dict[_Peer, asyncio.Transport] = {}
        self.app = App(self.world, self.faults, self.log, self._drop)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._socket.bind(("127.0.0.1", 0))
        self._socket.listen(128)
        scheme = "https" if certificate else "http"
        self.url = f"{scheme}://127.0.0.1:{self._socket.getsockname()[1]}"
        config = uvicorn.Config(
            self.app,
            http=_protocol(self._open),
            lifespan="off",
            ws="none",
            log_config=None,
            log_level=logging.CRITICAL + 1,
            access_log=False,
            date_header=False,
            server_header=False,
            timeout_graceful_shutdown=1,
            ssl_certfile=certificate[0] if certificate else None,
            ssl_keyfile=certificate[1] if certificate else None,
        )
        self._server = uvicorn.Server(config)
        self._thread = Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(10)
        self._socket.close()

    @property
    def latency(self) -> float:
        """Seconds before each answer."""
        return self.app.latency

    @latency.setter
    def latency(self, seconds: float) -> None:
        self.app.latency = seconds

    def answers_together(self, requests: int, *, before: int = 0) -> None:
        """Answer `before` requests as ever, and the others only once so many of them are in work at the same time."""
        self.app.rendezvous = Rendezvous(requests, before)

    def set_workers(self, count: int) -> None:
        """Let at most so many requests take the latency's time together; the others wait for their turn."""
        self.app.workers = asyncio.Semaphore(count)

    def password(self, user: str) -> str:
        """A valid app password of a user."""
        return self.world.accounts.app_password(user)

    def basic(self, user: str) -> dict[str, str]:
        """The header that logs a user in."""
        secret = f"{user}:{self.password(user)}".encode()
        return {"authorization": f"Basic {base64.b64encode(secret).decode()}"}

    def _drop(self, scope: Scope, *, hard: bool) -> None:
        """End the connection of a request: with a reset, or after what was sent has gone out."""
        transport = self._open.get(tuple(scope["client"]))
        if transport is not None and not hard:
            transport.close()
        elif transport is not None:
            raw = transport.get_extra_info("socket")
            if raw is not None:
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            transport.abort()


def _protocol(opened: dict[_Peer, asyncio.Transport]) -> type[H11Protocol]:
    """A protocol that leaves its connections where they can be dropped."""

    class Kept(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
            opened[tuple(transport.get_extra_info("peername"))] = transport
            super().connection_made(transport)  # pyright: ignore[reportUnknownMemberType]

        def connection_lost(self, exc: Any) -> None:
            opened.pop(tuple(self.transport.get_extra_info("peername")), None)
            super().connection_lost(exc)

    return Kept
