"""The web server under `serve --http`."""

import asyncio
import contextlib
from collections.abc import Generator
from functools import partial
from typing import cast

import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citemark.app.connections import LimitedConnection, Waiting, WaitingLimits

GRACE_SECONDS = 2
"""How long calls that run may go on after the signal to end: closing the index needs some of `ending.SECONDS` too."""

_KEEP_ALIVE_SECONDS = 75
"""Longer than clients keep idle connections, so that it is they who close them."""

_MAX_CONNECTIONS = 1000
"""Further ones get 503. Those that wait for a request are fewer by far, so these are calls that run."""

_WAITING_LIMITS = WaitingLimits()


class WebServer(uvicorn.Server):
    """Ends when told, and leaves the process's signals alone: what it serves is closed after it."""

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

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Capture none."""
        yield

    def end(self) -> None:
        """Take no more requests and end once those that run are answered; told twice, end at once."""
        self.force_exit = self.should_exit
        self.should_exit = True

    def _leaving_quietly(self, app: ASGIApp) -> ASGIApp:
        """`app`, whose requests that outlast the end are told so instead of logged as failures of the server."""

        async def quiet(scope: Scope, receive: Receive, send: Send) -> None:
            begun = False

            async def watched(message: Message) -> None:
                nonlocal begun
                begun = True
                await send(message)

            try:
                await app(scope, receive, watched)
            except asyncio.CancelledError:
                if not self.should_exit:
                    raise
                if not begun:
                    await PlainTextResponse("The server is ending", status_code=503)(scope, receive, send)

        return quiet
