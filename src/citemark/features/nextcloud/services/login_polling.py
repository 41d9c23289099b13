"""Asks a Nextcloud whether people have agreed to their logins, and records the accounts of those who have."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

import structlog

from citemark.model.accounts import NEXTCLOUD, PendingLogin
from citemark.model.clock import Clock
from citemark.model.errors import (
    BackendUnavailable,
    CitemarkError,
    ConfigurationError,
    InvalidArgument,
    RetriableSourceError,
    SourceError,
)
from citemark.model.ids import SourceId
from citemark.model.scope import Principal
from citemark.model.sources import NewSource

if TYPE_CHECKING:
    from citemark.features.nextcloud.services.account_login import AccountLogins
    from citemark.features.nextcloud.source.login import LoginFlow, LoginGrant, VerifiedAccount
    from citemark.features.nextcloud.store.pending_logins import PendingLoginStore

_EVERY = 3.0
"""Seconds between two polls of one login: a person who has agreed expects the result that soon."""

_CLAIM = timedelta(minutes=1)
"""How long a login is left to the server that polls it; after that, another one takes it over."""

_POLL_SECONDS = 45.0
"""A poll that takes longer is abandoned, before the claim lapses. So is checking the account of a login that was agreed
to, before `store.pending_logins` takes the server that checks it for dead."""

_log = structlog.get_logger(__name__)


class FlowCipher(Protocol):
    """Encrypts what a password can be fetched with, so that every server of the index can read it, but nobody else."""

    def seal(self, server: str, flow: "LoginFlow") -> bytes:
        """Encrypt a login to a server.

        Raises:
            ConfigurationError: there is no usable key.
        """
        ...

    def unseal(self, sealed: bytes) -> "tuple[str, LoginFlow]":
        """The server and the login.

        Raises:
            ConfigurationError: it was encrypted with another key, or there is no usable key.
        """
        ...


@dataclass(slots=True)
class LoginPolling:
    """Finishes the logins of an index; several servers do so concurrently, but only one at a time polls a given login.

    `allowed` returns whether people may still log in at a server: the owner may have named another Nextcloud since.
    """

    logins: "Callable[[], AccountLogins]"
    store: "PendingLoginStore"
    cipher: FlowCipher
    wake: Callable[[SourceId], Awaitable[None]]
    allowed: Callable[[str], bool]
    clock: Clock
    every: float = _EVERY
    check_seconds: float = _POLL_SECONDS
    _recording: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    async def run(self) -> None:
        """Ask about every login whenever it is due, until cancelled."""
        while True:
            try:
                await self.poll()
            except BackendUnavailable as error:
                _log.warning("waiting_for_database", reason=error.message, action="logins")
            await asyncio.sleep(self.every)

    async def poll(self) -> None:
        """Ask once about every login that is due.

        Raises:
            BackendUnavailable: the database cannot be asked.
        """
        now = self.clock()
        due = await self.store.claim(now, now + _CLAIM)
        await asyncio.gather(*(self._ask_alone(login) for login in due))

    async def close(self) -> None:
        """Wait for the accounts that are being recorded, so that none is left without its password."""
        if self._recording:
            await asyncio.wait(self._recording)

    async def _ask_alone(self, login: PendingLogin) -> None:
        """Ask about one login; an unexpected error in it ends neither other logins nor the server's background work."""
        try:
            await self._ask(login)
        except BackendUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - what a Nextcloud answers must not stop the others
            _log.exception("login_failed_unexpectedly", principal=login.principal.key, action="connect")
            await self.store.fail(login, f"It failed unexpectedly ({type(error).__name__}); see the server's log.")

    async def _ask(self, login: PendingLogin) -> None:
        """Ask about one login, and record the account where the person has agreed."""
        try:
            server, flow = self._flow(login)
            async with asyncio.timeout(_POLL_SECONDS):
                grant = await self.logins().granted(server, flow)
        except (RetriableSourceError, TimeoutError) as error:
            after = (error.retry_after if isinstance(error, RetriableSourceError) else None) or 0.0
            await self._ask_again(login, max(self.every, after))
        except CitemarkError as error:
            await self._fail(login, error)
        else:
            if grant is None:
                await self._ask_again(login, self.every)
            else:
                await self._record_uninterrupted(login, server, grant)

    def _flow(self, login: PendingLogin) -> "tuple[str, LoginFlow]":
        try:
            server, flow = self.cipher.unseal(login.flow)
        except ConfigurationError as error:
            raise ConfigurationError(f"{error.message} Ask for a new link.") from None
        if not self.allowed(server):
            raise ConfigurationError("People log in to another Nextcloud here now; ask for a new link.")
        return server, flow

    async def _record_uninterrupted(self, login: PendingLogin, server: str, grant: "LoginGrant") -> None:
        recording = asyncio.create_task(self._record(login, server, grant))
        self._recording.add(recording)
        recording.add_done_callback(self._recording.discard)
        await asyncio.shield(recording)

    async def _record(self, login: PendingLogin, server: str, grant: "LoginGrant") -> None:
        """Make the account a source of the person who asked for the link, unless they gave the login up."""
        try:
            taken = await self.store.take(login, self.clock())
        except BackendUnavailable:
            await self._revoke(login, server, grant)  # nobody else can fetch the grant again
            raise
        if taken is None:
            await self._revoke(login, server, grant)
            return
        account = None
        try:
            account = await self._checked(login, server, grant)
            if account is None:
                return
            new = _source_of(account, taken.principal, taken.apps)
            source = await self.logins().record(account, new, taken.principal)
            await self.wake(source.source_id)
        except CitemarkError as error:
            if account is None or isinstance(error, (InvalidArgument, ConfigurationError)):
                await self._revoke(login, server, grant)  # after other errors, it may already have been stored
            await self._fail(login, error)
            return
        await self.store.done(login)
        _log.info("account_connected", principal=login.principal.key, action="connect")

    async def _checked(self, login: PendingLogin, server: str, grant: "LoginGrant") -> "VerifiedAccount | None":
        """The account that a person agreed to; None if the server is so slow that they may have given the login up."""
        try:
            async with asyncio.timeout(self.check_seconds):
                return await self.logins().with_grant(server, grant)
        except TimeoutError:
            try:
                await self._fail(login, RetriableSourceError(f"{server} did not answer in time; ask for a new link."))
            finally:
                await self._revoke(login, server, grant)
            return None

    async def _revoke(self, login: PendingLogin, server: str, grant: "LoginGrant") -> None:
        """Have the server forget a password that nobody will use, if it can be asked to."""
        try:
            async with asyncio.timeout(_POLL_SECONDS):
                await self.logins().revoke(server, grant)
        except (SourceError, TimeoutError):
            _log.warning("password_not_revoked", principal=login.principal.key, action="connect")

    async def _ask_again(self, login: PendingLogin, seconds: float) -> None:
        await self.store.ask_again(login, self.clock() + timedelta(seconds=seconds))

    async def _fail(self, login: PendingLogin, error: CitemarkError) -> None:
        _log.info("login_failed", principal=login.principal.key, reason=error.message, action="connect")
        await self.store.fail(login, error.message)


def _source_of(account: "VerifiedAccount", principal: Principal, apps: Sequence[str] | None) -> NewSource:
    """The source of an account. Its name does not reveal whether another person has connected the same account."""
    name = f"{account.user}@{urlsplit(account.server).netloc}"
    if principal.key != Principal.local().key:
        name += f"-{hashlib.sha256(principal.key.encode()).hexdigest()[:12]}"
    config = {"server": account.server, "login": account.login, "user": account.user}
    chosen = {"apps": list(apps)} if apps else {}
    return NewSource(name=name, kind=NEXTCLOUD, config={**config, **chosen}, keep_history=False)
