"""Logging in to Nextcloud accounts, with a password or by a link, and storing the credentials that the server gives."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Protocol

import structlog

from citemark.features.nextcloud.source.account import AccountSettings
from citemark.features.nextcloud.source.client import Credential
from citemark.features.nextcloud.source.http_transport import HttpTransport
from citemark.features.nextcloud.source.login import (
    POLL_SECONDS,
    LoginFlow,
    LoginGrant,
    VerifiedAccount,
    begin_login,
    check_account,
    find_server,
    poll_once,
    revoke_app_password,
    wait_for_grant,
)
from citemark.features.nextcloud.store.accounts import AccountStore
from citemark.model.errors import CitemarkError, FatalSourceError, InvalidArgument, SourceError
from citemark.model.scope import Principal
from citemark.model.sources import NewSource, Source
from citemark.store.sources import SourceStore

_REVOKE_SECONDS = 10.0
"""An unreachable server must not hold up what has been recorded, nor a login for longer than its recording may take."""

_log = structlog.get_logger(__name__)


class TransportFactory(Protocol):
    """Makes the HTTP transport to a server."""

    def __call__(self, server: str, *, ca: str | None, named: bool, whose: str = "") -> HttpTransport:
        """A transport that also trusts the certificates in `ca`; with `named`, it names this machine and `whose`."""
        ...


class PasswordStore(Protocol):
    """Keeps the password of one account, encrypted."""

    async def current(self) -> Credential:
        """The password to use now, and the login that it belongs to.

        Raises:
            FatalSourceError: there is none, it was refused, or it cannot be decrypted here.
        """
        ...

    async def keep(self, login: str, password: str) -> None:
        """Store the password in place of the previous one.

        Raises:
            ConfigurationError: there is no key to encrypt it with.
        """
        ...


class AccountLogins:
    """Finds servers, logs in, and records accounts as sources that their owner alone may read."""

    def __init__(
        self,
        sources: SourceStore,
        accounts: AccountStore,
        passwords: Callable[[Source], PasswordStore],
        transports: TransportFactory,
    ) -> None:
        self._sources = sources
        self._accounts = accounts
        self._passwords = passwords
        self._transports = transports

    async def server_at(self, typed: str, ca: str | None) -> str:
        """The base address of the Nextcloud at an address that a person typed.

        Raises:
            SourceError: there is no Nextcloud, or it cannot be reached or trusted.
        """
        return await find_server(typed, lambda address: self._transports(address, ca=ca, named=False))

    async def with_password(self, server: str, ca: str | None, user: str, password: str) -> VerifiedAccount:
        """Log in with a user name and a password, tried once.

        Raises:
            InvalidArgument: the server does not accept them.
            SourceError: it cannot be reached, or answers unexpectedly.
        """
        async with self._transport(server, ca) as transport:
            return await check_account(transport, user, password)

    async def by_link(
        self, server: str, ca: str | None, show: Callable[[str], Awaitable[None]], *, every: float = POLL_SECONDS
    ) -> VerifiedAccount:
        """Log in by a link, which `show` shows to the person; waits until they have agreed in a browser.

        The Nextcloud is asked again `every` so many seconds.

        Raises:
            FatalSourceError: they did not agree in time.
            SourceError: the server offers no such login, cannot be reached, or answers unexpectedly.
        """
        async with self._transport(server, ca) as transport:
            flow = await begin_login(transport)
            await show(flow.link)
            grant = await wait_for_grant(transport, flow, every=every)
            return replace(await check_account(transport, grant.login, grant.password), issued=True)

    async def begin(self, server: str, whose: str) -> LoginFlow:
        """Begin a login by a link; the Nextcloud shows the person who opens it `whose` login it is.

        Raises:
            SourceError: the server offers no such login, cannot be reached, or answers unexpectedly.
        """
        async with self._transport(server, None, whose) as transport:
            return await begin_login(transport)

    async def granted(self, server: str, flow: LoginFlow) -> LoginGrant | None:
        """The login that a person agreed to; None until they have. The server returns it only once.

        Raises:
            SourceError: the server cannot be reached, or answers unexpectedly.
        """
        async with self._transport(server, None) as transport:
            return await poll_once(transport, flow)

    async def with_grant(self, server: str, grant: LoginGrant) -> VerifiedAccount:
        """The account that a person agreed to.

        Raises:
            InvalidArgument: the server does not accept the credentials that it gave.
            SourceError: it cannot be reached, or answers unexpectedly.
        """
        async with self._transport(server, None) as transport:
            return await check_account(transport, grant.login, grant.password)

    async def revoke(self, server: str, grant: LoginGrant, ca: str | None = None) -> None:
        """Have the server forget a password that is no longer needed here.

        Raises:
            SourceError: the server cannot be reached, or answers unexpectedly.
        """
        async with self._transport(server, ca) as transport:
            await revoke_app_password(transport, Credential(grant.login, grant.password))

    async def record(
        self, account: VerifiedAccount, new: NewSource, owner: Principal | None = None, *, named: bool = False
    ) -> Source:
        """Record an account as a source, with its password: change the existing source, or add `new`.

        It belongs to `owner`, by default the person at this machine, and nobody else may read it. An existing source
        keeps what `new` does not set, and its name unless it was `named` by the person.

        Raises:
            InvalidArgument: another source has that name, or the existing one has another language.
            ConfigurationError: there is no key to encrypt the password with; no source is left behind.
        """
        owner = owner or Principal.local()
        existing = await self.recorded(account, owner)
        if existing is not None:
            source = await self._change(existing, new, named=named)
            await self._replace_password(source, account)
            return source
        source = await self._sources.add(new, grantee=f"user:{owner.subject}", reason="the account was added here")
        try:
            await self._keep(source, account)
        except CitemarkError:
            await self._sources.remove(source.source_id)
            raise
        return source

    async def _change(self, existing: Source, new: NewSource, *, named: bool) -> Source:
        """The existing source of an account, changed and recorded as `new` says."""
        source = _relabelled(existing, new, named=named)
        if source != existing:
            await self._sources.change(source)
        changes: Mapping[str, Any] = {**new.config, "sync": True}
        await self._accounts.switch(source, changes)
        return replace(source, config={**source.config, **changes})

    async def _replace_password(self, source: Source, account: VerifiedAccount) -> None:
        """Store a new password, and have the server forget the earlier one, which nothing uses any more."""
        try:
            earlier = await self._passwords(source).current()
        except FatalSourceError:
            earlier = None
        await self._keep(source, account)
        if earlier is None or earlier.password == account.password:
            return
        try:
            async with (
                asyncio.timeout(_REVOKE_SECONDS),
                self._transport(account.server, AccountSettings.from_config(source.config).ca) as transport,
            ):
                await revoke_app_password(transport, earlier)
        except (SourceError, TimeoutError) as error:
            reason = "it did not answer in time" if isinstance(error, TimeoutError) else error.message
            _log.warning("earlier_password_not_revoked", source=source.name, reason=reason, action="login")

    async def account_named(self, name: str) -> tuple[Source, AccountSettings]:
        """The account with this name.

        Raises:
            InvalidArgument: there is no source of that name, or it is not an account.
        """
        source = await self._sources.named(Principal.local().tenant, name)
        settings = AccountSettings.of(source)
        if settings is None:
            raise InvalidArgument(f"{name!r} is not a Nextcloud account and needs no login.", name=name)
        return source, settings

    async def renew(self, source: Source, account: VerifiedAccount) -> None:
        """Store the new password of an account whose password was revoked.

        Raises:
            InvalidArgument: the login belongs to another user.
        """
        user = AccountSettings.from_config(source.config).account.user
        if account.user != user:
            raise InvalidArgument(
                f"{source.name!r} is the account of {user!r}, and this login is for {account.user!r}; add that one "
                "as another source."
            )
        await self._keep(source, account)

    async def _keep(self, source: Source, account: VerifiedAccount) -> None:
        await self._passwords(source).keep(account.login, account.password)

    async def recorded(self, account: VerifiedAccount, owner: Principal) -> Source | None:
        """The source of an account that a person has added already."""
        identity = (account.server, account.user)
        matches = (
            source
            for source in await self._accounts.owned(owner)
            if (source.config.get("server"), source.config.get("user")) == identity
        )
        return next(matches, None)

    @asynccontextmanager
    async def _transport(self, server: str, ca: str | None, whose: str = "") -> AsyncGenerator[HttpTransport, None]:
        transport = self._transports(server, ca=ca, named=True, whose=whose)
        try:
            yield transport
        finally:
            await transport.close()


def _relabelled(source: Source, new: NewSource, *, named: bool) -> Source:
    """A source with the labels that `new` sets.

    Raises:
        InvalidArgument: `new` sets another language, in which the texts of the source would have to be read again.
    """
    unset = NewSource(source.name, source.kind, {})
    languages = {(each.language, each.detects_language) for each in (source, unset)}
    if (new.language, new.detects_language) not in languages:
        raise InvalidArgument(
            f"{source.name!r} was added with another --language; to change it, `citemark remove` the account and add "
            "it again.",
            name=source.name,
        )
    return replace(
        source.renamed(new.name) if named and new.name != source.name else source,
        labels=new.labels.or_else(source.labels),
    )
