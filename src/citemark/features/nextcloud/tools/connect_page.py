"""The page where a person connects their Nextcloud: plain HTML without scripts, for one browser, for a limited time."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from html import escape
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from citemark.features.nextcloud.services.keys import ACCOUNT_SYNC, CONNECTING
from citemark.features.nextcloud.tools.sync_tools import CONNECT_PATH, path_prefix
from citemark.model.accounts import LoginState
from citemark.model.errors import CitemarkError
from citemark.model.scope import Principal
from citemark.services.bundle import Services

if TYPE_CHECKING:
    from citemark.features.nextcloud.services.connecting import OpenedPage
    from citemark.features.nextcloud.services.responses import AccountProgress

_COOKIE = "citemark_page"
_HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; form-action 'none'; base-uri 'none'",
    "referrer-policy": "no-referrer",  # the address of the page is a secret
    "x-content-type-options": "nosniff",
    "x-robots-tag": "noindex",
}
_SECONDS = 30.0
"""The time limit for serving a page, the same as for a call."""

_GONE = (
    "<p>This address is unknown, expired, or was opened in another browser. "
    "Ask your assistant to index your Nextcloud again for a new one.</p>"
)


def connect_route(services: Callable[[], Awaitable[Services]], resource: str | None) -> Route:
    """The route that serves the pages of the server that clients know as `resource`."""
    encrypted, prefix = (resource or "").startswith("https:"), path_prefix(resource)

    async def show(request: Request) -> Response:
        # Programs that check links before people open them must not use up the address.
        if request.method != "GET":
            return Response(status_code=405, headers={"allow": "GET", **_HEADERS})
        page: OpenedPage | None = None
        try:
            async with asyncio.timeout(_SECONDS):
                opened = await services()
                with opened.statements_within(_SECONDS):
                    page = await opened.get(CONNECTING).open_page(
                        request.path_params["code"], request.cookies.get(_COOKIE)
                    )
                    if page is None:
                        return _html(_GONE, 404)
                    answer = await _page(opened, page.principal)
        except (CitemarkError, TimeoutError):
            answer = _html("<p>The index is not available right now. Reload this page in a moment.</p>", 503)
        if page is not None:
            path = f"{prefix}{request.url.path}"
            answer.set_cookie(_COOKIE, page.browser, path=path, httponly=True, samesite="lax", secure=encrypted)
        return answer

    return Route(f"{CONNECT_PATH}/{{code}}", endpoint=show)


async def _page(opened: Services, principal: Principal) -> HTMLResponse:
    accounts = await opened.get(ACCOUNT_SYNC).progress(principal)
    login = await opened.get(CONNECTING).state(principal)
    return _html(_connected(accounts) + _login(login, principal.name))


def _html(body: str, status: int = 200) -> HTMLResponse:
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Citemark: your Nextcloud</title>'
    return HTMLResponse(f"{head}<h1>Your Nextcloud in Citemark</h1>{body}</html>", status, _HEADERS)


def _connected(accounts: "Sequence[AccountProgress]") -> str:
    if not accounts:
        return "<p>Nothing is connected.</p>"
    listed = "".join(
        f"<li>{escape(account.name)} ({escape(account.server)}): {escape(account.state)}, "
        f"{sum(app.indexed for app in account.apps)} documents</li>"
        for account in accounts
    )
    return (
        f"<p>Connected, for you alone:</p><ul>{listed}</ul>"
        "<p>To disconnect, ask your assistant to stop indexing your Nextcloud (<code>nc_disable_vector_sync</code>), "
        "which removes all that was indexed. Then delete the app password named Citemark in the settings of your "
        "Nextcloud, under Security.</p>"
    )


def _login(login: LoginState, name: str) -> str:
    if login.link is not None:
        return (
            f'<p><a href="{escape(login.link)}" rel="noreferrer">Log in to your Nextcloud and agree</a>, within 20 '
            f"minutes, then reload this page. What you agree to can be read by <b>{escape(name)}</b> here: if that is "
            "not you, close this page.</p>"
        )
    return "" if login.failure is None else f"<p>The last login failed: {escape(login.failure)}</p>"
