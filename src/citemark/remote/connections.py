"""HTTP connections to one server: single requests, read to the end within limits, with one set of errors.

Providers of embeddings and answers (`remote/json_api.py`) and Nextcloud (`features/nextcloud/source/http_transport.py`)
build on it. No cookies are kept and no redirect is followed here; the certificate is always verified.
"""

import asyncio
import math
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any

import httpx2

from citemark.model.errors import ConfigurationError
from citemark.remote.addresses import is_local
from citemark.remote.proxies import check_proxies


class BodyTooLarge(Exception):
    """A response is larger than allowed; `url` is where it came from."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url


class DeadlineExceeded(Exception):
    """The last byte did not arrive in time."""


class ResponseTooSlow(DeadlineExceeded):
    """The response came more slowly than `Timeouts.least_rate`."""


class Unreachable(Exception):
    """No response arrived. The message contains names and numbers from the system, but no headers or texts.

    Its `__cause__` is the error of the HTTP library, if there is one.
    """


class ConnectTimedOut(Unreachable):
    """No connection was made in time."""


class InvalidUrl(Unreachable):
    """The URL is malformed."""


class InvalidProxy(Unreachable):
    """The environment names a proxy that cannot be used."""


class UntrustedCertificate(Unreachable):
    """The server's certificate cannot be verified; the message says why."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long a server may take, in seconds.

    Attributes:
        connect: for making a connection.
        silence: between two reads or writes.
        total: for the whole request.
        grace: for how long a body may come more slowly than `least_rate`; the head may take `silence` longer than this.
        least_rate: bytes of the body per second, on average since the head.
    """

    connect: float
    silence: float
    total: float
    grace: float = math.inf
    least_rate: float = 0.0

    def body_due(self, received: int) -> float:
        """Return the seconds after the head by which more than `received` bytes of the body must have arrived."""
        return max(self.grace, received / self.least_rate) if self.least_rate else math.inf


MOST_BODY_BYTES = 32 << 20
"""Of a response about a single thing."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request.

    Attributes:
        method: of HTTP or WebDAV.
        url: the whole address; where the server is known, a path below its address is enough.
        headers: besides those of all requests to the server.
        params: of the query.
        content: the body.
        json: the body, as a value.
        most_bytes: of the body of the response; of a larger one, the rest is not read.
    """

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    params: Mapping[str, str] | None = None
    content: bytes | None = None
    json: Any = None
    most_bytes: int = MOST_BODY_BYTES


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A response as it was received. Names in `headers` are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str
    redirects: bool = False

    @property
    def text(self) -> str:
        """The body as text; invalid bytes are replaced."""
        return self.body.decode("utf-8", "replace")


class Connections:
    """Persistent connections to one server, for use inside one event loop; the first request opens them."""

    def __init__(
        self,
        url: str,
        *,
        most: int,
        headers: Mapping[str, str] | None = None,
        trust: Callable[[], ssl.SSLContext] | None = None,
    ) -> None:
        """Prepare the connections without opening any.

        Args:
            url: base address of the server.
            most: the most connections at a time.
            headers: sent with every request.
            trust: creates the TLS context, in place of the system's certificates.
        """
        self._url = url
        self._most = most
        self._headers = dict(headers or {})
        self._trust = trust
        self._client: httpx2.AsyncClient | None = None

    @property
    def opened(self) -> bool:
        """Whether a request has opened connections that are not closed yet."""
        return self._client is not None

    async def close(self) -> None:
        """Close the connections; another request opens new ones."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.aclose()

    async def send(
        self, sent: HttpRequest, timeouts: Timeouts, arrived: Callable[[bytes], None] = lambda _: None
    ) -> HttpResponse:
        """Send one request and read the response to its end, whatever its status; `arrived` gets each part of its body.

        Raises:
            DeadlineExceeded: the server fell silent, or `timeouts.total` seconds passed.
            ResponseTooSlow: it did neither, but sent more slowly than `timeouts.least_rate`.
            Unreachable: connecting failed, or the connection broke; see the subclasses.
            BodyTooLarge: the body is larger than the request allows; the rest is not read.
        """
        timeout = httpx2.Timeout(timeouts.silence, connect=timeouts.connect, pool=None)
        # A timer, not a check at each part: a compressed body that trickles in yields no parts for a long time.
        pace = asyncio.timeout(timeouts.silence + timeouts.grace)
        try:
            async with asyncio.timeout(timeouts.total), pace:
                client = self._open()
                request = client.build_request(
                    sent.method,
                    sent.url,
                    headers=dict(sent.headers),
                    params=sent.params,
                    content=sent.content,
                    json=sent.json,
                    timeout=timeout,
                )
                return await _read(await client.send(request, stream=True), sent.most_bytes, timeouts, pace, arrived)
        except (TimeoutError, httpx2.ReadTimeout, httpx2.WriteTimeout):
            raise (ResponseTooSlow if pace.expired() else DeadlineExceeded) from None
        except httpx2.InvalidURL as error:
            raise InvalidUrl(str(error)) from None
        except httpx2.RequestError as error:
            raise _unreachable(error) from error

    def _open(self) -> httpx2.AsyncClient:
        if self._client is None:
            # A proxy from the environment is only for servers on other machines.
            proxied = not is_local(self._url)
            if proxied:
                try:
                    check_proxies()
                except ConfigurationError as error:
                    raise InvalidProxy(error.message) from None
            self._client = httpx2.AsyncClient(
                # With the cookies of one account's session, another account would get the first one's data.
                cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
                headers=self._headers,
                limits=httpx2.Limits(max_connections=self._most, max_keepalive_connections=self._most),
                follow_redirects=False,
                trust_env=proxied,
                # Reading the certificates takes a fifth of a second; no redirect can lead from http to https.
                verify=self._trust() if self._trust is not None else self._url.startswith("https:"),
            )
        return self._client


def retry_after(headers: Mapping[str, str], *, longest: float = math.inf) -> float | None:
    """Return the seconds that a server asks its client to wait, or None if it does not say.

    `retry-after-ms` (OpenAI) is more precise than `Retry-After` (RFC 9110, 10.2.3), which holds seconds or a date. A
    date is compared with the response's own `Date`, because the server's clock may differ from ours.

    Args:
        headers: the headers of the response.
        longest: upper bound of the result.
    """
    precise, value = headers.get("retry-after-ms", "").strip(), headers.get("retry-after", "").strip()
    if precise.isdecimal():
        return min(int(precise) / 1000, longest)
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        date = http_date(value)
        if date is None:
            return None
        seconds = (date - (http_date(headers.get("date")) or datetime.now(UTC))).total_seconds()
    seconds = min(max(seconds, 0.0), longest)
    return seconds if math.isfinite(seconds) else None


def http_date(value: str | None) -> datetime | None:
    """Parse a date of an HTTP header into UTC; None if it is missing or malformed."""
    try:
        date = parsedate_to_datetime(value or "")
        return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


async def _read(
    response: httpx2.Response,
    most_bytes: int,
    timeouts: Timeouts,
    pace: asyncio.Timeout,
    arrived: Callable[[bytes], None],
) -> HttpResponse:
    """Read a response to its end, and extend `pace` with each part that arrives.

    Raises:
        BodyTooLarge: the body is larger than `most_bytes`; the rest is not read.
    """
    body = bytearray()
    began = asyncio.get_running_loop().time()
    try:
        pace.reschedule(began + timeouts.body_due(0))
        async for part in response.aiter_bytes():
            body += part
            pace.reschedule(began + timeouts.body_due(len(body)))
            if len(body) > most_bytes:
                raise BodyTooLarge(str(response.url))
            arrived(part)
    finally:
        await response.aclose()
    redirects = response.is_redirect or response.has_redirect_location
    headers = dict(response.headers.items())
    return HttpResponse(response.status_code, headers, bytes(body), str(response.url), redirects)


def _unreachable(error: httpx2.RequestError) -> Unreachable:
    certificate_error = _certificate_error(error)
    if certificate_error is not None:
        return UntrustedCertificate(str(certificate_error.verify_message))
    message = str(error) or type(error).__name__
    return ConnectTimedOut(message) if isinstance(error, httpx2.TimeoutException) else Unreachable(message)


def _certificate_error(error: BaseException | None) -> ssl.SSLCertVerificationError | None:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return error
        error = error.__cause__ or error.__context__
    return None
