"""How each person connects their own Nextcloud account: a link to log in with, and the page that shows it."""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from citemark.model.accounts import APPS, LoginState, PendingLogin
from citemark.model.clock import Clock
from citemark.model.errors import BackendUnavailable
from citemark.model.scope import Principal

if TYPE_CHECKING:
    from citemark.features.nextcloud.services.account_login import AccountLogins
    from citemark.features.nextcloud.services.login_polling import FlowCipher
    from citemark.features.nextcloud.store.pending_logins import PendingLoginStore

LIFETIME = timedelta(minutes=20)
"""How long a link and the address of a page are valid: as long as a Nextcloud waits."""

_MOST_LOGINS = 64
"""The most people who may be logging in at a time: polled every three seconds, they cause some 20 requests a second."""

_LONGEST_LINK = 2000

_GIVING_WAY_SECONDS = 0.1
"""Pause between two checks of whether an account has been recorded, which takes a second or two."""


@dataclass(frozen=True, slots=True)
class LoginInvitation:
    """The link and the code of the page with which a person connects an account."""

    link: str
    page: str


@dataclass(frozen=True, slots=True)
class OpenedPage:
    """A page that may be shown: whose it is, and the secret that the browser keeps."""

    principal: Principal
    browser: str


@dataclass(frozen=True, slots=True)
class AccountConnecting:
    """Gives people links to log in to the one Nextcloud that the owner of the server allows, and shows their state.

    An account belongs to the person who asked for the link. Logins and pages are in the database, so that any server of
    the index can show them and the `LoginPolling` of any server can finish them.
    """

    url: str | None
    logins: "Callable[[], AccountLogins]"
    store: "PendingLoginStore"
    cipher: "FlowCipher"
    clock: Clock

    @property
    def offered(self) -> bool:
        """Whether people can connect an account themselves."""
        return self.url is not None

    def renews(self, server: str) -> bool:
        """Whether a login here can renew one to that server."""
        return self.url is not None and urlsplit(self.url).hostname == urlsplit(server).hostname

    async def begin(self, principal: Principal, apps: Sequence[str] | None = None) -> LoginInvitation:
        """The link for a person to log in with; it stays the same until they have done so.

        Raises:
            BackendUnavailable: too many people are logging in.
            ConfigurationError: there is no key to encrypt the login with.
            SourceError: the Nextcloud cannot be reached, or answers unexpectedly.
        """
        chosen = tuple(app for app in APPS if app in apps) if apps else None
        waiting = await self.store.waiting(principal, self.clock())
        if waiting is None:
            waiting = await self._start_login(principal, chosen)
        elif chosen is not None:
            await self.store.choose_apps(waiting, chosen)
        code = secrets.token_urlsafe(32)
        await self.store.keep_page(principal, code, self.clock() + LIFETIME)
        return LoginInvitation(waiting.link, code)

    async def state(self, principal: Principal) -> LoginState:
        """The state of a person's login."""
        return await self.store.state(principal, self.clock())

    async def give_up(self, principal: Principal) -> bool:
        """End a person's login, and return whether there was one; if its account is being recorded, wait for that."""
        while True:
            gave_up = await self.store.give_up(principal, self.clock())
            if gave_up or await self.store.waiting(principal, self.clock()) is None:
                return gave_up
            await asyncio.sleep(_GIVING_WAY_SECONDS)

    async def open_page(self, code: str, browser: str | None) -> OpenedPage | None:
        """The page of a code, for the first browser that opens it; None for any other, and for unknown codes."""
        opened = await self.store.open_page(code, browser, secrets.token_urlsafe(32), self.clock())
        return None if opened is None else OpenedPage(*opened)

    async def _start_login(self, principal: Principal, apps: tuple[str, ...] | None) -> PendingLogin:
        assert self.url is not None  # noqa: S101 - asked before
        await self.store.forget(self.clock())
        if await self.store.count(self.clock()) >= _MOST_LOGINS:
            raise BackendUnavailable("Too many people are logging in; try again in a few minutes.", retry_after=60)
        logins = self.logins()
        server = await logins.server_at(self.url, None)
        # The Nextcloud shows it to the person who agrees: nobody should agree to another person's link.
        flow = await logins.begin(server, principal.name)
        sealed = self.cipher.seal(server, flow)
        login = PendingLogin(principal, _checked(flow.link, server), sealed, apps, self.clock() + LIFETIME)
        if await self.store.keep(login, self.clock()):
            return login
        first = await self.store.waiting(principal, self.clock())
        if first is None:
            raise BackendUnavailable("The login was given up; ask again.")
        return first


def _checked(link: str, server: str) -> str:
    """A link that a person may be sent to.

    Raises:
        BackendUnavailable: it leads elsewhere, or is not a plain address.
    """
    plain = link.isascii() and link.isprintable() and not set(link) & set(" \"'<>`") and len(link) <= _LONGEST_LINK
    if not plain or urlsplit(link).hostname != urlsplit(server).hostname:
        raise BackendUnavailable("The Nextcloud answered with a link to another place; tell the owner of this server.")
    return link
