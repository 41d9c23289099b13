"""The web server under `serve --http`, with limits on connections that wait for the rest of a request.

Half a request costs its sender nothing. Without limits, a thousand of them occupy all connections, and complete
requests are turned away.
"""

import asyncio
import contextlib
from collections.abc import Generator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeAlias, cast

import h11
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from citemark.tools.http_access import KNOWN_SENDER

Awaited: TypeAlias = Literal["head", "body"]

_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class WaitingLimits:
    """Seconds for the head of a request and for its body, and how many connections may wait for either or be idle."""

    head_seconds: float = 10.0
    body_seconds: float = 30.0
    most: int = 256


@dataclass(slots=True)
class Waiting:
    """The connections on which no complete request is being answered, in the order in which they began to wait.

    Clients on this machine, or behind one proxy, share an address and cannot be told apart. So when there are too many
    connections, the one that has waited longest is closed, of those first over which no valid token came. A client that
    sends its request immediately is not affected.
    """

    limits: WaitingLimits = field(default_factory=WaitingLimits)
    _strangers: dict["LimitedConnection", None] = field(default_factory=dict["LimitedConnection", None])
    _known: dict["LimitedConnection", None] = field(default_factory=dict["LimitedConnection", None])

    def add(self, connection: "LimitedConnection") -> None:
        """Add a connection that begins to wait; if there are too many, close those that have waited longest."""
        (self._known if connection.is_known else self._strangers)[connection] = None
        while len(self._known) + len(self._strangers) > self.limits.most:
            next(iter(self._strangers or self._known)).give_up()

    def remove(self, connection: "LimitedConnection") -> None:
        """Remove a connection that has a complete request or is gone."""
        self._strangers.pop(connection, None)
        self._known.pop(connection, None)


class LimitedConnection(H11Protocol):
    """uvicorn's connection, with time limits for receiving a request, though not for answering it."""

    def __init__(self, *arguments: Any, waiting: Waiting, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._waiting = waiting
        self._until: asyncio.TimerHandle | None = None
        self._awaited: Awaited | None = None
        self.is_known = False
        """Whether a request over this connection had a valid token."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a first request."""
        super().connection_made(transport)
        self._wait_for("head")

    def data_received(self, data: bytes) -> None:
        """Check how much of a request has arrived."""
        super().data_received(data)
        self._check_progress()

    def on_response_complete(self) -> None:
        """Wait for the next request; uvicorn closes a connection on which none begins."""
        super().on_response_complete()
        self.is_known = self.is_known or bool(self.scope.get(KNOWN_SENDER))
        self._check_progress(idle=True)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting for a request on this connection."""
        self._wait_for(None)
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Refuse data that is not HTTP; if a request had begun correctly, its answer is dropped."""
        if self.cycle:  # None before the first request
            self.cycle.disconnected = True
        try:
            super().send_400_response(msg)
        except h11.LocalProtocolError:  # that answer has begun
            self.transport.abort()

    def give_up(self) -> None:
        """Close the connection without an answer."""
        self._wait_for(None)
        self.transport.abort()

    def _check_progress(self, *, idle: bool = False) -> None:
        awaited = self._missing_part()
        if awaited is None:
            self._wait_for(None)
        elif idle and awaited == "head" and not self._partly_received():
            self._wait_for("head", timed=False)
        elif awaited != self._awaited or self._until is None:
            self._wait_for(awaited)

    def _missing_part(self) -> Awaited | None:
        """The part of a request that has not arrived yet; None while a complete one is being answered."""
        if self.transport.is_closing():
            return None
        state = self.conn.their_state
        if state is h11.SEND_BODY:
            return "body"
        return "head" if state is h11.IDLE else None

    def _partly_received(self) -> bool:
        return bool(self.conn.trailing_data[0])

    def _wait_for(self, awaited: Awaited | None, *, timed: bool = True) -> None:
        if self._until is not None:
            self._until.cancel()
            self._until = None
        self._waiting.remove(self)
        self._awaited = awaited
        if awaited is None:
            return
        if timed:
            limits = self._waiting.limits
            seconds = limits.head_seconds if awaited == "head" else limits.body_seconds
            self._until = self.loop.call_later(seconds, self._too_slow)
        self._waiting.add(self)

    def _too_slow(self) -> None:
        if self._awaited == "head" and self._partly_received():
            self.transport.write(_TOO_SLOW)
            self.transport.close()
            self._wait_for(None)
        else:
            self.give_up()


GRACE_SECONDS = 2
"""How long running calls may continue after the stop signal; closing the index needs the rest of `shutdown.SECONDS`."""

_KEEP_ALIVE_SECONDS = 75
"""Longer than clients keep idle connections, so that it is they who close them."""

_MAX_CONNECTIONS = 1000
"""Connections beyond these get 503. Far fewer may wait for a request, so nearly all of these are running calls."""

_TICK_SECONDS = 1.0
"""Seconds between two looks at the clock: answers name the second in which they are sent."""

_WAITING_LIMITS = WaitingLimits()


class WebServer(uvicorn.Server):
    """Stops on `end` and leaves the process's signals alone, since the index is closed after it."""

    def __init__(
        self, app: ASGIApp, grace_seconds: int = GRACE_SECONDS, waiting: WaitingLimits = _WAITING_LIMITS
    ) -> None:
        configuration = uvicorn.Config(
            self._leaving_quietly(app),
            http=cast("type[asyncio.Protocol]", partial(LimitedConnection, waiting=Waiting(waiting))),
            lifespan="on",
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=_MAX_CONNECTIONS,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=grace_seconds,
        )
        super().__init__(configuration)
        self._ending = asyncio.Event()

    async def main_loop(self) -> None:
        """Wait for the end; uvicorn's own loop checks for it ten times a second, even if there are no requests."""
        while not self._ending.is_set() and not await self.on_tick(0):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_TICK_SECONDS):
                    await self._ending.wait()
        self.should_exit = True

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Capture no signals."""
        yield

    def end(self) -> None:
        """Accept no more requests and stop once the running ones are answered; a second call stops immediately."""
        self.force_exit = self._ending.is_set()
        self.should_exit = self.started  # earlier, uvicorn would exit without ending the lifespan of its application
        self._ending.set()

    def _leaving_quietly(self, app: ASGIApp) -> ASGIApp:
        """`app`, with requests that the shutdown cuts off answered with 503 instead of logged as failures."""

        async def quiet(scope: Scope, receive: Receive, send: Send) -> None:
            has_sent = False

            async def watched(message: Message) -> None:
                nonlocal has_sent
                has_sent = True
                if self.force_exit and message["type"] == "lifespan.shutdown.failed":
                    return  # it was cut off, and would be logged as a failure
                await send(message)

            try:
                await app(scope, receive, watched)
            except asyncio.CancelledError:
                if not self.should_exit:
                    raise
                if not has_sent:
                    await PlainTextResponse("The server is ending", status_code=503)(scope, receive, send)

        return quiet
