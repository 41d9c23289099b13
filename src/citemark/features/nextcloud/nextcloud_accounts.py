"""Accounts on Nextcloud servers: their connectors, and the rate limiter that accounts of one server share."""

import asyncio
import platform
from dataclasses import replace
from urllib.parse import quote, urlsplit

import structlog

from citemark import __version__
from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.nextcloud.credentials import (
    CredentialCipher,
    LentCredentials,
    LoginFlowCipher,
    StoredCredentials,
    rotate_key,
)
from citemark.features.nextcloud.services.account_login import AccountLogins
from citemark.features.nextcloud.services.connecting import AccountConnecting
from citemark.features.nextcloud.services.login_polling import LoginPolling
from citemark.features.nextcloud.source.account import AccountSettings
from citemark.features.nextcloud.source.client import AccountClient
from citemark.features.nextcloud.source.connector import nextcloud_connector
from citemark.features.nextcloud.source.http_transport import HttpTransport
from citemark.features.nextcloud.source.login import VerifiedAccount, revoke_app_password
from citemark.features.nextcloud.source.rate_limiter import RateLimiter
from citemark.features.nextcloud.source.scan_limits import MIB, ScanLimits
from citemark.features.nextcloud.store.accounts import AccountStore
from citemark.features.nextcloud.store.pending_logins import PendingLoginStore
from citemark.model.clock import Clock
from citemark.model.errors import CitemarkError, RetriableSourceError
from citemark.model.ids import SourceId
from citemark.model.sources import Source
from citemark.remote.connections import HttpRequest
from citemark.settings import Settings
from citemark.sources.contract import Connector, foreground
from citemark.sources.trial_state import TrialState
from citemark.store.stores import Stores

_REVOKE_SECONDS = 30.0
"""An unreachable server must not prevent the removal of its account."""

_TRY_SECONDS = 10.0
"""How long a person waits to hear whether their password is accepted again."""

_WHOAMI = "/ocs/v2.php/cloud/user?format=json"
"""The cheapest request that needs a password."""

_MAINTENANCE = "its Nextcloud is in maintenance; ask again when it is back."

_RATE = 100.0
"""Requests per second to one server at most, from one process."""

_LONGEST_PERSON = 64
"""Characters of a person's name that the consent page of a Nextcloud shows."""

_PLAIN = "".join(letter for letter in map(chr, range(0x20, 0x7F)) if letter != "%")
_CUT = "..."
_log = structlog.get_logger(__name__)


class NextcloudAccounts:
    """The Nextcloud accounts of one process."""

    def __init__(self, settings: Settings, stores: Stores, clock: Clock) -> None:
        self._settings = settings
        self._stores = stores
        self._cipher = CredentialCipher(settings)
        self._clock = clock
        self._rate_limiter: dict[str, RateLimiter] = {}
        self._clients: dict[SourceId, AccountClient] = {}
        self._retiring: set[asyncio.Task[None]] = set()
        pending, cipher = stores.of(PendingLoginStore), LoginFlowCipher(self._cipher)
        self.connecting = AccountConnecting(settings.nextcloud_url, self.logins, pending, cipher, clock)
        self.polling = LoginPolling(self.logins, pending, cipher, stores.ledger.wake, self.connecting.renews, clock)

    def connector(self, source: Source, parsers: ParserPool, *, trial: bool = False, login: object = None) -> Connector:
        """The connector of an account; an earlier one, for another configuration, keeps no connections from now on.

        With `trial`, its scans leave no state behind. `login`: the account to log in to, instead of what is stored.

        Raises:
            ConfigurationError: its configuration is not acceptable.
        """
        max_bytes = self._settings.max_file_mib * 1024 * 1024
        settings = AccountSettings.from_config(
            source.config, max_file_bytes=max_bytes, limits=_limits_of(self._settings)
        )
        account = settings.account
        rate_limiter = self._limiter_of(account.server)
        credentials = LentCredentials(login) if isinstance(login, VerifiedAccount) else self.credentials(source)
        transport = HttpTransport(account.server, ca=settings.ca)
        client = AccountClient(transport, credentials, rate_limiter, login=account.login, user=account.user)
        earlier_client = self._clients.get(source.source_id)
        if earlier_client is not None:
            task = asyncio.create_task(earlier_client.retire())
            self._retiring.add(task)
            task.add_done_callback(self._retiring.discard)
        self._clients[source.source_id] = client
        state = self._stores.scan_state(source.source_id)
        connector = nextcloud_connector(settings, client, TrialState(state) if trial else state, parsers)
        return replace(
            connector,
            overloaded=lambda: rate_limiter.overloaded,
            trouble=lambda: self.trouble(source),
        )

    def credentials(self, source: Source) -> StoredCredentials:
        """The stored credentials of a source."""
        return self._credentials_of(source)

    def _credentials_of(self, source: Source, *, asked: bool = False) -> StoredCredentials:
        return StoredCredentials(
            source.source_id, source.name, self._stores.secrets, self._cipher, self._clock, asked=asked
        )

    async def try_again(self, source: Source) -> None:
        """Ask a server once whether it accepts a password again that it refused; the index then knows.

        Nothing is sent if the tries of a day are used up. If it is accepted, a scan begins soon. Never raises.
        """
        try:
            settings = AccountSettings.from_config(source.config)
            transport = HttpTransport(settings.account.server, ca=settings.ca)
            client = AccountClient(
                transport,
                self._credentials_of(source, asked=True),
                self._limiter_of(settings.account.server),
                login=settings.account.login,
                user=settings.account.user,
            )
            try:
                async with asyncio.timeout(_TRY_SECONDS):
                    with foreground():
                        await client.send(HttpRequest("GET", _WHOAMI, headers={"OCS-APIRequest": "true"}))
                await self._stores.ledger.wake(source.source_id)
            finally:
                await client.close()
        except (CitemarkError, TimeoutError) as error:
            _log.info("login_still_refused", source=source.name, reason=type(error).__name__, action="login")

    def trouble(self, source: Source) -> str:
        """That the server of an account has just said that it is in maintenance, as a sentence; "" if it did not."""
        limiter = self._limiter_of(str(source.config.get("server", "")))
        return _MAINTENANCE if limiter.in_maintenance else ""

    async def rotate_key(self) -> int:
        """Re-encrypt all passwords with a new key; return their number.

        Raises:
            ConfigurationError: there is no usable key, or it cannot be replaced.
        """
        return await rotate_key(self._stores.secrets, self._cipher)

    def logins(self) -> AccountLogins:
        """The service that logs in to accounts and records them."""
        return AccountLogins(
            self._stores.sources,
            self._stores.of(AccountStore, self._stores.sources),
            self.credentials,
            _login_transport,
        )

    async def revoke_app_password(self, source: Source) -> None:
        """Have the server revoke the password that a source logs in with.

        Raises:
            SourceError: the password is not known here, or the server did not revoke it in time.
        """
        settings = AccountSettings.from_config(source.config)
        credential = await self.credentials(source).current()
        transport = HttpTransport(settings.account.server, ca=settings.ca)
        try:
            async with asyncio.timeout(_REVOKE_SECONDS):
                await revoke_app_password(transport, credential)
        except TimeoutError:
            raise RetriableSourceError(f"{settings.account.server} did not answer in time.") from None
        finally:
            await transport.close()

    async def close(self) -> None:
        """Close all connections."""
        await self.polling.close()
        await asyncio.gather(*self._retiring)
        for client in self._clients.values():
            await client.close()
        self._clients.clear()

    def renews(self, server: str) -> bool:
        """Whether people get links here to log in to a server again."""
        return self.connecting.renews(server)

    def _limiter_of(self, server: str) -> RateLimiter:
        host = urlsplit(server).netloc
        if host not in self._rate_limiter:
            self._rate_limiter[host] = RateLimiter(
                parallel=self._settings.nextcloud_parallel, rate=_RATE, clock=self._clock
            )
        return self._rate_limiter[host]


def _login_transport(server: str, *, ca: str | None, named: bool, whose: str = "") -> HttpTransport:
    """A transport for logging in; if `named`, the server names the app password after this machine and `whose`."""
    host = platform.node().encode("ascii", "ignore").decode() or "this machine"
    person = _shown(whose)
    agent = f"Citemark {__version__} on {host}" + (f" for {person}" if person else "")
    return HttpTransport(server, ca=ca, agent=agent if named else "")


def _shown(person: str) -> str:
    """A name for a header, which takes only ASCII: other letters are percent-encoded, and a cut is marked."""
    encoded = quote(person, safe=_PLAIN)
    return encoded if len(encoded) <= _LONGEST_PERSON else encoded[: _LONGEST_PERSON - len(_CUT)] + _CUT


def _limits_of(settings: Settings) -> ScanLimits:
    return ScanLimits(
        answer_bytes=settings.nextcloud_max_answer_mib * MIB,
        entries=settings.nextcloud_max_entries,
        documents=settings.nextcloud_max_documents,
        folders=settings.nextcloud_max_folders,
        depth=settings.nextcloud_max_depth,
        pages=settings.nextcloud_max_pages,
        requests=settings.nextcloud_max_requests,
    )
