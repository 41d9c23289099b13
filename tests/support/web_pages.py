"""The pages for a browser over an open app, in the test's own process."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx2
from starlette.applications import Starlette
from starlette.types import ASGIApp
from tests.support.patience import HANG_SECONDS

from citemark.app.compose import App
from citemark.app.serve_web import web_pages
from citemark.identity.token_claims import TokenReader
from citemark.services.bundle import Services
from citemark.services.people.call_limits import CallLimits, LimitSettings
from citemark.settings import Settings
from citemark.tools.http_guards import AllowedHosts, HostGuard
from citemark.web.routes import Pages

BASE = "http://127.0.0.1:8765"
OWNER = "the-token-of-the-owner"


@dataclass(frozen=True, slots=True)
class OpenedIndex:
    """An index that is open already."""

    opened: App

    async def services(self) -> Services:
        return self.opened.services

    async def app(self) -> App:
        return self.opened


def pages_over(
    app: App,
    reader: TokenReader | None = None,
    *,
    base: str = BASE,
    rate: int = 6000,
    settings: Settings | None = None,
) -> Pages:
    limits = CallLimits(LimitSettings(8, 4, 256, rate))
    return web_pages(settings or app.settings, OpenedIndex(app), limits, OWNER, reader, base)


def guarded(pages: Pages, host: str = "127.0.0.1") -> ASGIApp:
    """The pages as the server has them, behind its check of Host and Origin."""
    return HostGuard(Starlette(routes=pages.routes()), AllowedHosts(frozenset({host})))


@asynccontextmanager
async def browsing(pages: Pages, token: str | None = None, base: str = BASE) -> AsyncGenerator[httpx2.AsyncClient]:
    """A client that keeps cookies, signed in with a token if one is given."""
    transport = httpx2.ASGITransport(guarded(pages, urlsplit(base).hostname or ""))
    html = {"accept": "text/html"}
    async with httpx2.AsyncClient(transport=transport, base_url=base, headers=html, timeout=HANG_SECONDS) as client:
        if token is not None:
            assert (await client.post("/sign_in", data={"token": token})).status_code == 303
        yield client
