"""The HTTP client of one account: its credential, its share of the server's capacity, and retries."""

import asyncio
import base64
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from http import HTTPStatus
from typing import Protocol, TypeVar

import stamina

from citemark.features.nextcloud.source.http_responses import (
    MAINTENANCE_SECONDS,
    MaintenanceMode,
    ResponseTooLarge,
    check_response,
)
from citemark.features.nextcloud.source.http_transport import (
    CertificateError,
    CrossOriginRedirect,
    HttpTransport,
    SlowResponse,
)
from citemark.features.nextcloud.source.rate_limiter import RateLimiter, StatusReport
from citemark.features.nextcloud.source.scan_limits import MIB, RequestLimitReached, ScanLimitReached, count_request
from citemark.features.nextcloud.source.turns import Turns
from citemark.model.errors import RetriableSourceError
from citemark.remote.connections import HttpRequest, HttpResponse
from citemark.sources.contract import foreground_waiting

_MOST_SMALL = 16 * MIB
"""Bytes of a response that is read alongside others; a larger one is requested again, alone."""

T = TypeVar("T")
_REPEATABLE = frozenset({"GET", "HEAD", "OPTIONS", "PROPFIND", "REPORT", "SEARCH"})
"""Methods that change nothing, so that a second request does no harm."""

_FINAL = (MaintenanceMode, CertificateError, CrossOriginRedirect, RequestLimitReached, SlowResponse)
"""Retriable errors that a second try within seconds would meet again."""

_ATTEMPTS = 3
"""Tries of a background request; two of one that a person waits for."""

_LONGEST_WAIT = 5.0
"""The longest `Retry-After`, in seconds, that is waited for here; a longer one is left to the indexer's queue."""

_ALL_TRIES = 30.0
"""Seconds for all tries together, so that a failing server does not hold a worker."""


class Attempt(StrEnum):
    """Why a refused credential is tried again: its time has come, or its person asks."""

    DUE = "due"
    ASKED = "asked"


@dataclass(frozen=True, slots=True)
class Credential:
    """A login name with its app password; each renewal has another `generation`.

    `attempt`: the server refused it before, and this is the one try that may show whether it still does.
    """

    login: str
    password: str = field(repr=False)
    generation: int = 0
    attempt: Attempt | None = None

    @property
    def header(self) -> str:
        """The value of `Authorization`. Basic, because the Notes and Deck apps accept nothing else."""
        return f"Basic {base64.b64encode(f'{self.login}:{self.password}'.encode()).decode()}"


class Credentials(Protocol):
    """Stores the credential of one account."""

    async def current(self) -> Credential:
        """Return the credential to use now. One with an `attempt` is for one request, whose outcome is reported.

        Raises:
            FatalSourceError: no password is stored, or the server refused it and no try is due.
        """
        ...

    async def refuse(self, credential: Credential) -> None:
        """Record that the server refused a credential: no process uses it before the next try, even after a restart."""
        ...

    async def tried(self, credential: Credential, *, accepted: bool) -> None:
        """Record that an attempt was not refused: the server accepts the credential, or said nothing about it."""
        ...


class Client(Protocol):
    """The interface of an account's client that the apps use. `server` is its address without a trailing slash.

    Attributes:
        server: base address.
        login: name to log in with.
        user: id of the user, which may differ from the login name.
        large: a lock held while a large response is in memory, so that there is one per account at a time.
    """

    server: str
    login: str
    user: str
    large: asyncio.Lock

    async def send(self, request: HttpRequest, *, turn: str | None = None) -> HttpResponse:
        """Send a request, with the credential, and return a response that says something about the request.

        Args:
            request: the request.
            turn: what the server may lock for the request; after a 423 requests with the same one go one at a time.

        Raises:
            FatalSourceError: the credential is not accepted (any more).
            RetriableSourceError: the server does not answer, or not as it should, for now.
            ResponseTooLarge: the body is larger than the request allows.
        """
        ...


class _Burst:
    """Requests that are under way together, or wait for their turn: the first one goes ahead of the others alone.

    A password that was revoked is then refused once, however many requests there are. `accepted` is the generation of
    the credential that the server has accepted since the burst began.
    """

    def __init__(self) -> None:
        self.accepted: int | None = None
        self.first = asyncio.Lock()
        self._requests = 0

    @contextmanager
    def joined(self) -> Generator[None]:
        """Be one of its requests during the block; when none is left, another burst begins."""
        self._requests += 1
        try:
            yield
        finally:
            self._requests -= 1
            if not self._requests:
                self.accepted = None


class AccountClient:
    """Sends requests to one server as one account. After a first 401 it sends none until a try of it is due."""

    def __init__(
        self, transport: HttpTransport, credentials: Credentials, rate_limiter: RateLimiter, *, login: str, user: str
    ) -> None:
        self.server = transport.server
        self.login = login
        self.user = user
        self._transport = transport
        self._credentials = credentials
        self._rate_limiter = rate_limiter
        self._bursts = {waiting: _Burst() for waiting in (False, True)}
        self._turns = Turns()
        self.large = asyncio.Lock()
        self._in_flight = 0
        self._retired = False

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    async def retire(self) -> None:
        """Keep no connections from now on, because another client took over.

        Work in progress with this client can finish; each connection then lasts no longer than its request.
        """
        self._retired = True
        await self._close_unused()

    @property
    def connected(self) -> bool:
        """Whether connections are open."""
        return self._transport.connected

    async def _close_unused(self) -> None:
        if self._retired and not self._in_flight:
            await self._transport.close()

    async def send(self, request: HttpRequest, *, turn: str | None = None) -> HttpResponse:
        """Send a request as `Client.send`; methods that only read are tried again where that may help.

        Raises:
            FatalSourceError: the credential is not accepted (any more).
            RetriableSourceError: no usable response for now.
            ResponseTooLarge: the body is larger than the request allows.
        """

        async def once() -> HttpResponse:
            count_request()
            if self._rate_limiter.in_maintenance:
                raise self._maintenance()
            async with self._turns.taking(turn) as check_turn:
                return await self._once(request, check_turn)

        if request.method not in _REPEATABLE:
            return await once()
        retrying = stamina.AsyncRetryingCaller(
            attempts=2 if foreground_waiting() else _ATTEMPTS,
            timeout=_ALL_TRIES,
            wait_initial=0.1,
            wait_max=2.0,
            wait_jitter=0.2,
        )

        def should_retry(error: Exception) -> bool | float:
            if isinstance(error, RetriableSourceError):
                error.details.setdefault("origin", self.server)
            return _should_retry(error)

        return await retrying(should_retry, once)

    async def _once(self, request: HttpRequest, check_turn: Callable[[], None]) -> HttpResponse:
        burst = self._bursts[foreground_waiting()]

        async def send_with(credential: Credential, report_status: StatusReport) -> HttpResponse:
            sent = replace(request, headers={**request.headers, "Authorization": credential.header})
            self._in_flight += 1
            try:
                reply = await self._transport.send(sent)
            finally:
                self._in_flight -= 1
                await self._close_unused()
            report_status(reply.status)
            if reply.status == HTTPStatus.UNAUTHORIZED:
                burst.accepted = None
                await self._credentials.refuse(credential)
                await self._credentials.current()  # which says what happens next
                raise RetriableSourceError(f"The password of {credential.login!r} was renewed a moment ago.")
            self._check(reply, request.method)
            burst.accepted = credential.generation
            return reply

        async def in_turn(*, alone: bool) -> HttpResponse | None:
            """Send once there is a slot; None if it is not `alone` and the credential must first be proven again.

            What held before the wait for the slot may be over: another request was refused, or met maintenance.
            """
            async with self._rate_limiter.slot() as report_status:
                check_turn()
                if self._rate_limiter.in_maintenance:
                    raise self._maintenance()
                credential = await self._credentials.current()
                if not alone and credential.attempt is None and credential.generation != burst.accepted:
                    burst.accepted = None
                    return None
                return await self._try(credential, lambda: send_with(credential, report_status))

        reply: HttpResponse | None = None
        with burst.joined():
            while reply is None:
                if burst.accepted is not None:
                    reply = await in_turn(alone=False)
                    continue
                async with burst.first:
                    if burst.accepted is None:
                        reply = await in_turn(alone=True)
        return reply

    def _maintenance(self) -> MaintenanceMode:
        return MaintenanceMode(f"The Nextcloud at {self.server} is in maintenance.", MAINTENANCE_SECONDS)

    def _check(self, reply: HttpResponse, method: str) -> None:
        try:
            check_response(reply, method)
        except MaintenanceMode:
            self._rate_limiter.note_maintenance()
            raise

    async def _try(self, credential: Credential, request: Callable[[], Awaitable[HttpResponse]]) -> HttpResponse:
        """Send a request, and report what it says about a credential that was refused before."""
        if credential.attempt is None:
            return await request()
        try:
            reply = await request()
        except RetriableSourceError:
            await self._credentials.tried(credential, accepted=False)
            raise
        await self._credentials.tried(credential, accepted=True)
        return reply


def _should_retry(error: Exception) -> bool | float:
    if not isinstance(error, RetriableSourceError) or isinstance(error, _FINAL):
        return False
    if error.retry_after is None:
        return True
    # A longer wait is left to the queue, which holds neither a slot of the rate limiter nor a lease in the meantime.
    return error.retry_after if error.retry_after <= _LONGEST_WAIT else False


async def request_large(client: Client, request: HttpRequest, use: Callable[[HttpResponse], Awaitable[T]]) -> T:
    """Send a request whose response may be large, such as a listing, and process the response.

    It is first read with a small limit. If it does not fit, it is requested again while no other large response of the
    account is in memory.

    Args:
        client: of the account.
        request: with the upper bound of the response's body.
        use: processes the response.

    Returns:
        What `use` returns.

    Raises:
        ScanLimitReached: the response is larger than the request allows.
        SourceError: as raised by `Client.send` or `use`.
    """
    try:
        reply = await client.send(replace(request, most_bytes=min(request.most_bytes, _MOST_SMALL)))
    except ResponseTooLarge:
        async with client.large:
            return await use(await _large(client, request))
    return await use(reply)


async def _large(client: Client, request: HttpRequest) -> HttpResponse:
    try:
        return await client.send(request)
    except ResponseTooLarge:
        what = f"The server's answer to {request.method} has more than {request.most_bytes / MIB:.3g} MiB"
        raise ScanLimitReached(what, "MAX_ANSWER_MIB") from None
