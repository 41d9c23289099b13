"""Each person connects a Nextcloud of their own: a link to log in by, the wait for it, and the page that tells both."""

import asyncio
import hashlib
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import structlog
from cachetools import LRUCache, TTLCache

from citemark.model.accounts import APPS, NEXTCLOUD
from citemark.model.errors import BackendUnavailable, CitemarkError
from citemark.model.ids import SourceId
from citemark.model.scope import Principal
from citemark.model.sources import NewSource

if TYPE_CHECKING:
    from citemark.services.accounts.account_login import AccountLogins
    from citemark.sources.nextcloud.login import VerifiedAccount

LIFETIME = 20 * 60.0
"""Seconds that a link and the address of a page are good for: as long as a Nextcloud waits."""

_EVERY = 3.0
"""Seconds between two questions whether somebody has agreed: with `_MOST_LOGINS` some 20 requests a second."""

_MOST_LOGINS = 64
"""People who may be logging in at a time."""

_MOST_PAGES = 1024
"""Pages and failures that are remembered at a time."""

_LONGEST_LINK = 2000

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Login:
    """A login in progress; `link` is there once the server gave one.

    While it is `recording`, it is not interrupted: no account is left without its password.
    """

    link: asyncio.Future[str]
    task: asyncio.Task[None]
    apps: Sequence[str] | None
    recording: bool = False

    async def end(self) -> None:
        """Stop waiting for the person."""
        if not self.recording:
            self.task.cancel()
        await asyncio.wait([self.task])


@dataclass(slots=True)
class _Page:
    """A page of one person; `browser` is the secret of the only browser that may open it again."""

    principal: Principal
    browser: str | None = None


@dataclass(frozen=True, slots=True)
class LoginInvitation:
    """What a person needs in order to connect an account: the link, and the code of their page."""

    link: str
    page: str


@dataclass(frozen=True, slots=True)
class OpenedPage:
    """A page that may be shown: whose it is, and the secret that the browser keeps."""

    principal: Principal
    browser: str


@dataclass(slots=True)
class AccountConnecting:
    """Logs people in to the one Nextcloud that the owner of the server allows.

    An account belongs to whoever asked for the link. What is in progress is kept in this process.
    """

    url: str | None
    logins: "Callable[[], AccountLogins]"
    wake: Callable[[SourceId], Awaitable[None]]
    every: float = _EVERY
    seconds: Callable[[], float] = time.monotonic
    _running: dict[str, _Login] = field(default_factory=dict[str, _Login])
    _pages: "TTLCache[str, _Page]" = field(init=False)
    _failures: LRUCache[str, str] = field(default_factory=lambda: LRUCache[str, str](_MOST_PAGES))

    def __post_init__(self) -> None:
        self._pages = TTLCache(_MOST_PAGES, LIFETIME, timer=self.seconds)

    @property
    def offered(self) -> bool:
        """Whether people can connect an account themselves."""
        return self.url is not None

    def renews(self, server: str) -> bool:
        """Whether a login here can be one to that server."""
        return self.url is not None and urlsplit(self.url).hostname == urlsplit(server).hostname

    async def begin(self, principal: Principal, apps: Sequence[str] | None = None) -> LoginInvitation:
        """The link for a person to log in by; the same one while they have not.

        Raises:
            BackendUnavailable: too many people are logging in.
            SourceError: the Nextcloud cannot be reached, or answers unexpectedly.
        """
        login = self._running.get(principal.key)
        if login is None:
            if len(self._running) >= _MOST_LOGINS:
                raise BackendUnavailable("Too many people are logging in; try again in a few minutes.", retry_after=60)
            self._failures.pop(principal.key, None)
            link = asyncio.get_running_loop().create_future()
            login = _Login(link, asyncio.create_task(self._connect(principal, link)), apps)
            self._running[principal.key] = login
        login.apps = apps or login.apps
        link = await asyncio.shield(login.link)
        return LoginInvitation(link, self._page_of(principal))

    def link_of(self, principal: Principal) -> str | None:
        """The link that waits for a person; None where none does."""
        login = self._running.get(principal.key)
        return login.link.result() if login is not None and _has_link(login) else None

    def failure_of(self, principal: Principal) -> str | None:
        """Why a person's last login came to nothing; None where it did not."""
        return self._failures.get(principal.key)

    async def give_up(self, principal: Principal) -> bool:
        """End a person's login; whether there was one."""
        login = self._running.get(principal.key)
        if login is None:
            return False
        await login.end()
        self._running.pop(principal.key, None)  # a task that had not begun did not do so itself
        return True

    def open_page(self, code: str, browser: str | None) -> OpenedPage | None:
        """The page of a code, for the first browser that opens it; None for any other, and for unknown codes."""
        page = self._pages.get(code)
        if page is None:
            return None
        if page.browser is None:
            page.browser = secrets.token_urlsafe(32)
        elif browser is None or not secrets.compare_digest(page.browser.encode(), browser.encode()):
            return None
        return OpenedPage(page.principal, page.browser)

    async def close(self) -> None:
        """End all logins."""
        await asyncio.gather(*(login.end() for login in list(self._running.values())))

    def _page_of(self, principal: Principal) -> str:
        for code, page in list(self._pages.items()):
            if page.principal.key == principal.key:
                self._pages.pop(code, None)
        code = secrets.token_urlsafe(32)
        self._pages[code] = _Page(principal)
        return code

    async def _connect(self, principal: Principal, link: asyncio.Future[str]) -> None:
        try:
            async with asyncio.timeout(LIFETIME):
                await self._recorded(principal, link)
        except (CitemarkError, TimeoutError) as error:
            told = error.message if isinstance(error, CitemarkError) else "Nobody agreed to the login in time."
            _log.info("login_failed", principal=principal.key, reason=told, action="connect")
            if link.done():
                self._failures[principal.key] = told
            else:
                link.set_exception(error if isinstance(error, CitemarkError) else BackendUnavailable(told))
        finally:
            if not link.done():
                link.set_exception(BackendUnavailable("The login was given up; ask again."))
            if not link.cancelled():
                link.exception()  # nobody may be waiting for it any more
            own = self._running.get(principal.key)
            if own is not None and own.link is link:
                del self._running[principal.key]

    async def _recorded(self, principal: Principal, link: asyncio.Future[str]) -> None:
        assert self.url is not None  # noqa: S101 - asked before
        logins = self.logins()
        server = await logins.server_at(self.url, None)

        async def show(given: str) -> None:
            link.set_result(_checked(given, server))

        account = await logins.by_link(server, None, show, whose=_shown(principal), every=self.every)
        login = self._running[principal.key]
        login.recording = True
        source = await logins.record(account, _source_of(account, principal, login.apps), principal)
        await self.wake(source.source_id)
        _log.info("account_connected", principal=principal.key, action="connect")


def _has_link(login: _Login) -> bool:
    return login.link.done() and not login.link.cancelled() and login.link.exception() is None


def _shown(principal: Principal) -> str:
    """Who asks, as the Nextcloud shows it to whoever agrees: nobody should agree to somebody else's."""
    return principal.subject.rpartition(" ")[2]


def _checked(link: str, server: str) -> str:
    """A link that a person may be sent to.

    Raises:
        BackendUnavailable: it leads elsewhere, or is no plain address.
    """
    plain = link.isascii() and link.isprintable() and not set(link) & set(" \"'<>`") and len(link) <= _LONGEST_LINK
    if not plain or urlsplit(link).hostname != urlsplit(server).hostname:
        raise BackendUnavailable("The Nextcloud answered with a link to another place; tell the owner of this server.")
    return link


def _source_of(account: "VerifiedAccount", principal: Principal, apps: Sequence[str] | None) -> NewSource:
    """The source of an account. Its name tells nobody whether another person has connected the same account."""
    name = f"{account.user}@{urlsplit(account.server).netloc}"
    if principal.key != Principal.local().key:
        name += f"-{hashlib.sha256(principal.key.encode()).hexdigest()[:12]}"
    config = {"server": account.server, "login": account.login, "user": account.user}
    chosen = {"apps": [app for app in APPS if app in apps]} if apps else {}
    return NewSource(name=name, kind=NEXTCLOUD, config={**config, **chosen}, keep_history=False)
