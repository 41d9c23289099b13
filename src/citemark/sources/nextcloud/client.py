"""One account's client: its credential, its share of the server's patience, and second tries."""

import asyncio
import base64
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Protocol, TypeVar

import stamina

from citemark.model.errors import RetriableSourceError
from citemark.sources.foreground import foreground_waiting
from citemark.sources.nextcloud.http_transport import CertificateError, CrossOriginRedirect, HttpTransport
from citemark.sources.nextcloud.rate_limiter import RateLimiter, StatusReport
from citemark.sources.nextcloud.responses import (
    MOST_BYTES,
    HttpResponse,
    MaintenanceMode,
    ResponseTooLarge,
    check_response,
)
from citemark.sources.nextcloud.scan_limits import MIB, RequestLimitReached, ScanLimitReached, count_request


@dataclass(frozen=True, slots=True)
class Credential:
    """A login name with its app password; a renewed one is of another generation."""

    login: str
    password: str = field(repr=False)
    generation: int = 0

    @property
    def header(self) -> str:
        """The value of `Authorization`. Notes and Deck take nothing but Basic."""
        return f"Basic {base64.b64encode(f'{self.login}:{self.password}'.encode()).decode()}"


class Credentials(Protocol):
    """Keeps the credential of one account."""

    async def current(self) -> Credential:
        """The one to use now.

        Raises:
            FatalSourceError: there is none, or the server refused it and nobody has renewed it since.
        """
        ...

    async def refuse(self, credential: Credential) -> None:
        """The server did not take it: nobody uses it again, in whatever process and however often restarted."""
        ...


_REPEATABLE = frozenset({"GET", "HEAD", "OPTIONS", "PROPFIND", "REPORT", "SEARCH"})
_FINAL = (MaintenanceMode, CertificateError, CrossOriginRedirect, RequestLimitReached)
_ATTEMPTS = 3
_LONGEST_WAIT = 5.0
_ALL_TRIES = 30.0


class AccountClient:
    """Asks one server as one account. After a first 401 it asks nothing more until the credential is renewed."""

    def __init__(
        self, transport: HttpTransport, credentials: Credentials, rate_limiter: RateLimiter, *, login: str, user: str
    ) -> None:
        self.server = transport.server
        self.login = login
        self.user = user
        self._transport = transport
        self._credentials = credentials
        self._rate_limiter = rate_limiter
        self._proven: int | None = None
        self._proving = asyncio.Lock()
        self.large = asyncio.Lock()
        self._asking = 0
        self._retired = False

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    async def retire(self) -> None:
        """Keep no connections from now on: another client took over.

        Whoever still works with this one finishes; its connections last no longer than its requests.
        """
        self._retired = True
        await self._close_unused()

    @property
    def connected(self) -> bool:
        """Whether it keeps connections."""
        return self._transport.connected

    async def _close_unused(self) -> None:
        if self._retired and not self._asking:
            await self._transport.close()

    async def send(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, str] | None = None,
        content: bytes | None = None,
        most_bytes: int = MOST_BYTES,
    ) -> HttpResponse:
        """One answer that an app has to judge; what only reads is tried again where that may help.

        Raises:
            FatalSourceError: the credential is not accepted (any more).
            RetriableSourceError: no usable answer, for now.
            AnswerTooLarge: the answer is larger than `most_bytes`.
        """

        async def once() -> HttpResponse:
            count_request()
            return await self._once(method, path, headers or {}, params, content, most_bytes)

        if method not in _REPEATABLE:
            return await once()
        trying = stamina.AsyncRetryingCaller(
            attempts=2 if foreground_waiting() else _ATTEMPTS,
            timeout=_ALL_TRIES,
            wait_initial=0.1,
            wait_max=2.0,
            wait_jitter=0.2,
        )

        def again(error: Exception) -> bool | float:
            if isinstance(error, RetriableSourceError):
                error.details.setdefault("origin", self.server)
            return _again(error)

        return await trying(again, once)

    async def _once(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        params: Mapping[str, str] | None,
        content: bytes | None,
        most_bytes: int,
    ) -> HttpResponse:
        async def ask(credential: Credential, report_status: StatusReport) -> HttpResponse:
            sent = {**headers, "Authorization": credential.header}
            self._asking += 1
            try:
                reply = await self._transport.send(
                    method, path, headers=sent, params=params, content=content, most_bytes=most_bytes
                )
            finally:
                self._asking -= 1
                await self._close_unused()
            report_status(reply.status)
            if reply.status == HTTPStatus.UNAUTHORIZED:
                await self._credentials.refuse(credential)
                await self._credentials.current()  # which says how to renew it
                raise RetriableSourceError(f"The password of {credential.login!r} was renewed a moment ago.")
            check_response(reply, method)
            self._proven = credential.generation
            return reply

        if (await self._credentials.current()).generation != self._proven:
            # A wrong password is tried once, however many documents wait: failures slow the whole address down.
            async with self._proving:
                credential = await self._credentials.current()
                if credential.generation != self._proven:
                    async with self._rate_limiter.slot() as report_status:
                        return await ask(credential, report_status)
        async with self._rate_limiter.slot() as report_status:
            return await ask(await self._credentials.current(), report_status)


def _again(error: Exception) -> bool | float:
    if not isinstance(error, RetriableSourceError) or isinstance(error, _FINAL):
        return False
    if error.retry_after is None:
        return True
    # A longer rest is for the queue to keep, which holds no lane and no lease meanwhile.
    return error.retry_after if error.retry_after <= _LONGEST_WAIT else False


_MOST_SMALL = 16 * MIB
"""Bytes of an answer that is read beside others; what is larger is asked for again, alone."""

T = TypeVar("T")


class Client(Protocol):
    """Asks one server as one account. `server` is its address without a slash at its end."""

    server: str
    login: str
    user: str
    large: asyncio.Lock
    """Held by whoever has a large answer: one at a time for each account."""

    async def send(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, str] | None = None,
        content: bytes | None = None,
        most_bytes: int = MOST_BYTES,
    ) -> HttpResponse:
        """One answer of at most `most_bytes`; `path` begins with a slash.

        Raises:
            FatalSourceError: the credentials are not accepted (any more).
            RetriableSourceError: the server does not answer, or not as it should, for now.
            SkippableSourceError: the answer is larger than `most_bytes`.
        """
        ...


async def request_large(
    client: Client,
    use: Callable[[HttpResponse], Awaitable[T]],
    method: str,
    path: str,
    *,
    most_bytes: int,
    headers: Mapping[str, str] | None = None,
    params: Mapping[str, str] | None = None,
    content: bytes | None = None,
) -> T:
    """What `use` makes of an answer that may be large, such as a listing.

    Raises:
        TooMuch: it has more than `most_bytes`.
        SourceError: as of `Client.send`, or of `use`.
    """
    try:
        small = min(most_bytes, _MOST_SMALL)
        reply = await client.send(method, path, headers=headers, params=params, content=content, most_bytes=small)
    except ResponseTooLarge:
        async with client.large:
            return await use(await _large(client, method, path, most_bytes, headers, params, content))
    return await use(reply)


async def _large(
    client: Client,
    method: str,
    path: str,
    most_bytes: int,
    headers: Mapping[str, str] | None,
    params: Mapping[str, str] | None,
    content: bytes | None,
) -> HttpResponse:
    try:
        return await client.send(method, path, headers=headers, params=params, content=content, most_bytes=most_bytes)
    except ResponseTooLarge:
        what = f"The server's answer to {method} has more than {most_bytes / MIB:.3g} MiB"
        raise ScanLimitReached(what, "MAX_ANSWER_MIB") from None
