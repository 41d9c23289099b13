"""From request to response: log, latency, faults, maintenance, login, and the responsible part."""

import asyncio
import re
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Protocol
from urllib.parse import parse_qsl, unquote

from starlette.requests import Request
from starlette.types import Receive, Scope, Send
from tests.nextcloud.areas import area_of
from tests.nextcloud.authentication import COOKIE, admit
from tests.nextcloud.clock import http_date
from tests.nextcloud.fault_delivery import deliver, status_of
from tests.nextcloud.faults import Busy, Delay, Effect, Faults, Instead, Status
from tests.nextcloud.log import Log, Seen
from tests.nextcloud.messages import ServerRequest, ServerResponse, html_answer
from tests.nextcloud.world import World

DAV = b"/remote.php/"
_SCRIPTS = re.compile(r"/(?:index\.php|remote\.php|ocs|status\.php|\.well-known)(?:/|$)")


class Drop(Protocol):
    """Ends the connection of a request."""

    def __call__(self, scope: Scope, *, hard: bool) -> None: ...


class Rendezvous:
    """Lets `before` requests pass, then holds the others until `requests` of them are in progress together."""

    def __init__(self, requests: int, before: int) -> None:
        self._before = before
        self._missing = requests
        self._complete = asyncio.Event()

    async def meet(self) -> None:
        """Wait for the others."""
        if self._before:
            self._before -= 1
            return
        self._missing -= 1
        if self._missing <= 0:
            self._complete.set()
        await self._complete.wait()


class App:
    """The ASGI application over one world."""

    def __init__(self, world: World, faults: Faults, log: Log, drop: Drop) -> None:
        self.world = world
        self.faults = faults
        self.log = log
        self.latency = 0.0
        self.rendezvous: Rendezvous | None = None
        self.workers: asyncio.Semaphore | None = None
        self.folder = ""
        self.rewrites = True
        self._drop = drop
        self._at_work: Counter[Busy] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        ask = below(await _ask_of(request), self.folder)
        started = time.monotonic()
        query = unquote(request.url.query)
        line = f"{ask.method} {unquote(ask.path)}" + (f"?{query}" if query else "")
        with self._working(self.faults.of(line)) as effect:
            late = self.latency + (effect.seconds if isinstance(effect, Delay) else 0)
            async with self.workers or nullcontext():
                await asyncio.sleep(late)
            if self.rendezvous is not None:
                await self.rendezvous.meet()
            user, answer = self._answer(ask) if self._exists(ask) else ("", html_answer(404, "Not Found"))
            if "xml" in answer.headers.get("content-type", ""):
                answer.body = answer.body.replace(DAV, self.folder.encode() + DAV)
            if user and (pause := self.world.throttle.pause(ask.client)):
                await asyncio.sleep(pause)
            if isinstance(effect, Instead):
                answer = ServerResponse(*effect.make(line))
            answer.headers["date"] = http_date(self.world.clock.now())
            took = time.monotonic() - started
            status = status_of(effect, answer)
            self.log.seen.append(
                Seen(ask.method, unquote(ask.path), query, ask.headers, ask.body, user, status, started, took)
            )
            await self._send(effect, answer, scope, send)

    def _exists(self, ask: ServerRequest) -> bool:
        """Whether the web server finds a file for a path: without rewriting, pages exist behind index.php alone."""
        return ask.path != "" and (self.rewrites or bool(_SCRIPTS.match(ask.path)))

    @contextmanager
    def _working(self, effect: Effect | None) -> Generator[Effect | None, None, None]:
        """What happens to a request that is being answered: one too many for a busy part is refused."""
        if not isinstance(effect, Busy):
            yield effect
            return
        self._at_work[effect] += 1
        try:
            yield Status(effect.code) if self._at_work[effect] > effect.most else None
        finally:
            self._at_work[effect] -= 1

    async def _send(self, effect: Effect | None, answer: ServerResponse, scope: Scope, send: Send) -> None:
        await deliver(effect, answer, send, lambda hard: self._drop(scope, hard=hard), head=scope["method"] == "HEAD")

    def _answer(self, ask: ServerRequest) -> tuple[str, ServerResponse]:
        """The account's id ("" for none) and its answer."""
        area = area_of(ask)
        with self.world.lock:
            if self.world.maintenance and area.name != "status":
                return "", area.maintained(ask)
            admitted = admit(self.world, area, ask)
            if isinstance(admitted, ServerResponse):
                return "", admitted
            answer = area.serve(self.world, admitted)
            if admitted.user:
                cookie = f"{COOKIE}={self.world.session_of(admitted.user)}; path=/; HttpOnly; SameSite=Lax"
                answer.headers["set-cookie"] = cookie
            return admitted.user, answer


def below(ask: ServerRequest, folder: str) -> ServerRequest:
    """A request as the server in a folder sees it; without a path if it is outside."""
    if not folder:
        return ask
    path = ask.path.removeprefix(folder) if ask.path.startswith(f"{folder}/") else ""
    body = ask.body.replace(folder.encode() + DAV, DAV)
    return replace(ask, path=path, base=f"{ask.base}{folder}", body=body, folder=folder)


async def _ask_of(request: Request) -> ServerRequest:
    raw: bytes = request.scope.get("raw_path") or request.url.path.encode()
    return ServerRequest(
        request.method,
        raw.decode("latin-1").partition("?")[0],
        dict(parse_qsl(request.url.query, keep_blank_values=True)),
        {name.lower(): value for name, value in request.headers.items()},
        await request.body(),
        str(request.base_url).rstrip("/"),
        request.client.host if request.client else "127.0.0.1",
    )
