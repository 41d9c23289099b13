"""Requests to one server: no cookies, no redirects to elsewhere, answers of bounded size, errors in plain words."""

import asyncio
import ssl
from collections.abc import Mapping
from http import HTTPStatus
from http.cookiejar import CookieJar, DefaultCookiePolicy
from urllib.parse import urljoin, urlsplit

import httpx2

from citemark import __version__
from citemark.model.errors import ConfigurationError, FatalSourceError, RetriableSourceError
from citemark.remote.proxies import check_proxies
from citemark.sources.nextcloud.responses import MOST_BYTES, HttpResponse, ResponseTooLarge

_CONNECT = 10.0
_SILENCE = 60.0
_WHOLE = 600.0
_MOST_CONNECTIONS = 32
_MOST_REDIRECTS = 5
_LONGEST_SHOWN = 200
_MOVED = frozenset({301, 302, 303, 307, 308})
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


class CertificateError(RetriableSourceError):
    """The server's certificate is signed by nobody known."""


class CrossOriginRedirect(RetriableSourceError):
    """The server redirects to another one, which gets nothing."""

    def __init__(self, url: str, target: str) -> None:
        self.target = target
        super().__init__(
            f"{url} redirects to {target}, which is another server: nothing was sent there. If the Nextcloud has "
            "moved, add it by its new address."
        )


class HttpTransport:
    """Connections to one server."""

    def __init__(self, server: str, *, ca: str | None = None, agent: str = "") -> None:
        """Take the server's address without a slash at its end, and a file of certificates to trust besides."""
        self.server = server
        self._ca = ca
        self._agent = agent or f"Citemark/{__version__}"
        self._origin = _origin_of(server)
        self._client: httpx2.AsyncClient | None = None

    @property
    def connected(self) -> bool:
        """Whether connections are kept."""
        return self._client is not None

    async def close(self) -> None:
        """Close the connections; another request opens new ones."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.aclose()

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
        """One answer, whatever its status; redirects on the same server are followed with the same method.

        Raises:
            RetriableSourceError: there was no whole answer.
            AnswerTooLarge: it is larger than `most_bytes`.
            FatalSourceError: no request can be made with this configuration.
        """
        url = path if "://" in path else f"{self.server}{path}"
        if _origin_of(url) != self._origin:
            raise CrossOriginRedirect(self.server, url)
        asked = dict(params) if params is not None else None
        for _ in range(_MOST_REDIRECTS):
            reply = await self._try(method, url, headers or {}, asked, content, most_bytes)
            target = reply.headers.get("location")
            if reply.status not in _MOVED or not target:
                return reply
            target = _joined(reply.url, target)
            if _origin_of(target) != self._origin:
                raise CrossOriginRedirect(url, target)
            url, asked = target, None
            if reply.status == HTTPStatus.SEE_OTHER:
                method, content = "GET", None
        raise RetriableSourceError(f"{self.server}{path} is redirected in a circle.")

    async def _try(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        params: Mapping[str, str] | None,
        content: bytes | None,
        most_bytes: int,
    ) -> HttpResponse:
        try:
            async with asyncio.timeout(_WHOLE):
                return await self._exchange(method, url, headers, params, content, most_bytes)
        except ConfigurationError as error:
            raise FatalSourceError(error.message) from None
        except (TimeoutError, httpx2.TimeoutException):
            raise RetriableSourceError(f"{self.server} did not answer in time.", reason="timeout") from None
        except httpx2.InvalidURL as error:
            raise FatalSourceError(f"{url!r} is no address: {error}") from None
        except UnicodeError:
            raise RetriableSourceError(f"{self.server} wants back what no header of a request can hold.") from None
        except httpx2.RequestError as error:
            distrust = _certificate_error(error)
            if distrust is not None:
                raise CertificateError(
                    f"The certificate of {self.server} cannot be verified: {distrust.verify_message}. Where the server "
                    "signs its own, name the file of its certificate authority with --ca."
                ) from None
            what = str(error) or type(error).__name__
            raise RetriableSourceError(
                f"{self.server} cannot be reached, or broke off: {what}.", reason=type(error).__name__
            ) from None

    async def _exchange(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        params: Mapping[str, str] | None,
        content: bytes | None,
        most_bytes: int,
    ) -> HttpResponse:
        client = self._opened()
        request = client.build_request(method, url, headers=dict(headers), params=params, content=content)
        response = await client.send(request, stream=True)
        try:
            body = bytearray()
            async for part in response.aiter_bytes():
                body += part
                if len(body) > most_bytes:
                    raise ResponseTooLarge(
                        f"The answer of {response.url} is larger than {most_bytes / (1 << 20):.3g} MiB."
                    )
        finally:
            await response.aclose()
        return HttpResponse(response.status_code, dict(response.headers.items()), bytes(body), str(response.url))

    def _opened(self) -> httpx2.AsyncClient:
        if self._client is None:
            # A proxy of the environment is for what lies outside this machine.
            proxied = urlsplit(self.server).hostname not in _LOCAL
            if proxied:
                check_proxies()
            self._client = httpx2.AsyncClient(
                # With the cookies of one account's session, another account would get the first one's data.
                cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
                headers={"User-Agent": self._agent},
                timeout=httpx2.Timeout(_SILENCE, connect=_CONNECT, pool=None),
                limits=httpx2.Limits(max_connections=_MOST_CONNECTIONS, max_keepalive_connections=_MOST_CONNECTIONS),
                follow_redirects=False,
                trust_env=proxied,
                verify=self._trusted() if self._ca else self.server.startswith("https:"),
            )
        return self._client

    def _trusted(self) -> ssl.SSLContext:
        """The certificates of the system and those of the file.

        Raises:
            FatalSourceError: the file cannot be read.
        """
        context = ssl.create_default_context()
        # What a server signed for itself seldom has every extension that is asked for of a public authority.
        context.verify_flags &= ~getattr(ssl, "VERIFY_X509_STRICT", 0)
        try:
            context.load_verify_locations(cafile=self._ca)
        except (OSError, ssl.SSLError) as error:
            raise FatalSourceError(f"The certificates in {self._ca!r} cannot be read: {error}.") from None
        return context


def server_address(typed: str) -> str:
    """The base address of a Nextcloud as somebody typed or copied it: https unless said otherwise, no page of it.

    Raises:
        ConfigurationError: it is no address, or has a password in it.
    """
    text = typed.strip()
    text = text if "://" in text else f"https://{text}"
    # What may hold a password is not repeated.
    shown = "The address given" if "@" in text else repr(typed)
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        why = "its parts cannot be told apart; leave name and password out of it" if "@" in text else error
        raise ConfigurationError(f"{shown} is no address: {why}.") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ConfigurationError(f"{shown} is no address of a Nextcloud; give one such as https://cloud.example.org.")
    if parts.username is not None or parts.password is not None:
        raise ConfigurationError("Leave name and password out of the address; use --user, or log in by the link.")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    path = parts.path
    for page in ("/index.php", "/apps/", "/login", "/remote.php", "/status.php", "/s/", "/f/"):
        path = path.partition(page)[0]
    return f"{parts.scheme}://{host}{f':{port}' if port else ''}{path.rstrip('/')}"


def _joined(url: str, target: str) -> str:
    """Where a redirect leads.

    Raises:
        RetriableSourceError: it is no address.
    """
    try:
        return urljoin(url, target)
    except ValueError:
        raise RetriableSourceError(f"{url} redirects to {target[:_LONGEST_SHOWN]!r}, which is no address.") from None


def _origin_of(url: str) -> tuple[str, str, int]:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "", "", 0
    return parts.scheme, parts.hostname or "", port or {"http": 80, "https": 443}.get(parts.scheme, 0)


def _certificate_error(error: BaseException | None) -> ssl.SSLCertVerificationError | None:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return error
        error = error.__cause__ or error.__context__
    return None
