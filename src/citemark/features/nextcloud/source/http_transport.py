"""HTTP to one Nextcloud: redirects stay on its origin, responses have a bounded size, and errors say what to do."""

import ssl
from dataclasses import replace
from http import HTTPStatus
from urllib.parse import urljoin, urlsplit

from citemark import __version__
from citemark.features.nextcloud.source.http_responses import ResponseTooLarge
from citemark.model.errors import ConfigurationError, FatalSourceError, RetriableSourceError
from citemark.remote.connections import (
    BodyTooLarge,
    Connections,
    ConnectTimedOut,
    DeadlineExceeded,
    HttpRequest,
    HttpResponse,
    InvalidProxy,
    InvalidUrl,
    ResponseTooSlow,
    Timeouts,
    Unreachable,
    UntrustedCertificate,
)

_TIMEOUTS = Timeouts(connect=10.0, silence=60.0, total=600.0, grace=60.0, least_rate=1024.0)
"""A large listing may take a busy server most of a minute before its first byte, and minutes to arrive.

Even the slowest kind of link, GPRS, carries 4 KiB a second; a response at a quarter of that would hardly ever end.
"""

_SLOW_REST = 120.0
"""Seconds before a document that came too slowly is requested again: twice as long as it held up its account."""

_MOST_CONNECTIONS = 32
"""More than the rate limiter lets through at a time, so that it alone decides."""

_MOST_REDIRECTS = 5
"""Servers send at most two or three (http to https, a trailing slash); more is a circle."""

_LONGEST_SHOWN = 200
"""Characters of a malformed address that a message repeats."""

_MOVED = frozenset({301, 302, 303, 307, 308})


class CertificateError(RetriableSourceError):
    """The server's certificate is not signed by a trusted authority."""


class SlowResponse(RetriableSourceError):
    """The server sends so little that its response would hold up the account; an immediate second try would too."""


class CrossOriginRedirect(RetriableSourceError):
    """The server redirects to another origin, to which nothing is sent."""

    def __init__(self, url: str, target: str) -> None:
        self.target = target
        super().__init__(
            f"{url} redirects to {target}, which is another server: nothing was sent there. If the Nextcloud has "
            "moved, add it by its new address."
        )


class HttpTransport:
    """Sends requests to one server."""

    def __init__(self, server: str, *, ca: str | None = None, agent: str = "") -> None:
        """Prepare the transport without connecting.

        Args:
            server: base address without a slash at its end.
            ca: file of certificates to trust in addition to the system's.
            agent: name sent as `User-Agent`; app passwords of a login by link get this name.
        """
        self.server = server
        self._ca = ca
        self._origin = _origin_of(server)
        self._connections = Connections(
            server,
            most=_MOST_CONNECTIONS,
            headers={"User-Agent": agent or f"Citemark/{__version__}"},
            trust=self._trusted if ca else None,
        )

    @property
    def connected(self) -> bool:
        """Whether connections are open."""
        return self._connections.opened

    async def close(self) -> None:
        """Close the connections; another request opens new ones."""
        await self._connections.close()

    async def send(self, request: HttpRequest) -> HttpResponse:
        """Send a request and return the response, whatever its status.

        Redirects within the server's origin are followed with the same method; 303 turns it into GET. The request names
        a path below the server's address, beginning with a slash, or a URL of the same origin.

        Raises:
            CrossOriginRedirect: the server redirects to another origin; nothing was sent there.
            CertificateError: its certificate cannot be verified.
            SlowResponse: the response came too slowly.
            RetriableSourceError: no complete response arrived.
            ResponseTooLarge: its body is larger than the request allows.
            FatalSourceError: no request can be made with this configuration.
        """
        url = request.url if "://" in request.url else f"{self.server}{request.url}"
        if _origin_of(url) != self._origin:
            raise CrossOriginRedirect(self.server, url)
        sent = replace(request, url=url)
        for _ in range(_MOST_REDIRECTS):
            reply = await self._send_once(sent)
            target = reply.headers.get("location")
            if reply.status not in _MOVED or not target:
                return reply
            target = _joined(reply.url, target)
            if _origin_of(target) != self._origin:
                raise CrossOriginRedirect(sent.url, target)
            sent = replace(sent, url=target, params=None)
            if reply.status == HTTPStatus.SEE_OTHER:
                sent = replace(sent, method="GET", content=None)
        raise RetriableSourceError(f"{self.server}{request.url} is redirected in a circle.")

    async def _send_once(self, request: HttpRequest) -> HttpResponse:
        try:
            return await self._connections.send(request, _TIMEOUTS)
        except BodyTooLarge as error:
            raise ResponseTooLarge(
                f"The answer of {error.url} is larger than {request.most_bytes / (1 << 20):.3g} MiB."
            ) from None
        except UnicodeError:
            raise RetriableSourceError(f"{self.server} sent a value that no request header can contain.") from None
        except ResponseTooSlow:
            raise SlowResponse(
                f"{self.server} answers too slowly: less than {_TIMEOUTS.least_rate / 1024:.3g} KiB a second for "
                f"{_TIMEOUTS.grace:.0f} seconds.",
                _SLOW_REST,
                reason="timeout",
            ) from None
        except (DeadlineExceeded, ConnectTimedOut):
            raise RetriableSourceError(f"{self.server} did not answer in time.", reason="timeout") from None
        except InvalidUrl as error:
            raise FatalSourceError(f"{request.url!r} is not an address: {error}") from None
        except InvalidProxy as error:
            raise FatalSourceError(str(error)) from None
        except UntrustedCertificate as error:
            raise CertificateError(
                f"The certificate of {self.server} cannot be verified: {error}. Where the server signs its own, name "
                "the file of its certificate authority with --ca."
            ) from None
        except Unreachable as error:
            raise RetriableSourceError(
                f"{self.server} cannot be reached, or broke off: {error}.",
                reason=type(error.__cause__ or error).__name__,
            ) from None

    def _trusted(self) -> ssl.SSLContext:
        """Make a TLS context with the system's certificates and those of the file.

        Raises:
            FatalSourceError: the file cannot be read.
        """
        context = ssl.create_default_context()
        # Self-signed certificates rarely have all the extensions required of public authorities.
        context.verify_flags &= ~getattr(ssl, "VERIFY_X509_STRICT", 0)
        try:
            context.load_verify_locations(cafile=self._ca)
        except (OSError, ssl.SSLError) as error:
            raise FatalSourceError(f"The certificates in {self._ca!r} cannot be read: {error}.") from None
        return context


def server_address(typed: str) -> str:
    """Return the base address of a Nextcloud from one that a person typed or copied from the browser.

    The scheme defaults to https, and paths of pages are removed.

    Raises:
        ConfigurationError: it is not an address, or contains a password.
    """
    text = typed.strip()
    text = text if "://" in text else f"https://{text}"
    # An address that may contain a password is not repeated in messages.
    shown = "The address given" if "@" in text else repr(typed)
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        why = "its parts cannot be distinguished; leave name and password out of it" if "@" in text else error
        raise ConfigurationError(f"{shown} is not an address: {why}.") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ConfigurationError(
            f"{shown} is not the address of a Nextcloud; give one such as https://cloud.example.org."
        )
    if parts.username is not None or parts.password is not None:
        raise ConfigurationError("Leave name and password out of the address; use --user, or log in by the link.")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    path = parts.path
    for page in ("/index.php", "/apps/", "/login", "/remote.php", "/status.php", "/s/", "/f/"):
        path = path.partition(page)[0]
    return f"{parts.scheme}://{host}{f':{port}' if port else ''}{path.rstrip('/')}"


def _joined(url: str, target: str) -> str:
    """Resolve the target of a redirect.

    Raises:
        RetriableSourceError: it is not an address.
    """
    try:
        return urljoin(url, target)
    except ValueError:
        raise RetriableSourceError(
            f"{url} redirects to {target[:_LONGEST_SHOWN]!r}, which is not an address."
        ) from None


def _origin_of(url: str) -> tuple[str, str, int]:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "", "", 0
    return parts.scheme, parts.hostname or "", port or {"http": 80, "https": 443}.get(parts.scheme, 0)
