"""One POST of JSON to a provider, read to the end within bounds."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, cast

import httpx2

from citemark.model.errors import ConfigurationError
from citemark.remote.addresses import is_local
from citemark.remote.proxies import check_proxies

_CONNECT = 5.0


class TooLong(Exception):
    """An answer has more bytes than it may."""


class NotInTime(Exception):
    """The last byte did not come before the deadline."""


class NotReached(Exception):
    """No answer came. The message holds names and numbers of the system, neither headers nor texts."""


class NoAddress(NotReached):
    """What was to be asked is no address."""


class BadProxy(NotReached):
    """The environment names a proxy that cannot be asked."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer; `content` is its parsed JSON, None where it is none."""

    status: int
    headers: Mapping[str, str]
    content: Any
    redirects: bool

    @property
    def ok(self) -> bool:
        """True for 2xx."""
        return 200 <= self.status < 300  # noqa: PLR2004 - the class of success

    @property
    def is_page(self) -> bool:
        """True for a web page, which no interface for programs answers with."""
        return "html" in self.headers.get("content-type", "")


class Exchange:
    """Sends requests one by one over kept connections; used inside one event loop."""

    def __init__(self, url: str, most_at_once: int) -> None:
        """Open nothing yet. `url` is the provider's base address."""
        self._url = url
        self._most_at_once = most_at_once
        self._client: httpx2.AsyncClient | None = None

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()

    async def post(
        self, url: str, headers: Mapping[str, str], body: Mapping[str, Any], *, deadline: float, most_bytes: int
    ) -> Answer:
        """The answer, within `deadline` seconds from the first byte sent to the last received.

        Raises:
            NotInTime, NotReached, TooLong.
        """
        try:
            async with asyncio.timeout(deadline):
                return await self._exchange(url, headers, body, deadline, most_bytes)
        except (TimeoutError, httpx2.ReadTimeout, httpx2.WriteTimeout):
            raise NotInTime from None
        except httpx2.InvalidURL as error:
            raise NoAddress(str(error)) from None
        except httpx2.RequestError as error:
            reached = NotReached(str(error) or type(error).__name__)
            raise reached from error

    async def _exchange(
        self, url: str, headers: Mapping[str, str], body: Mapping[str, Any], deadline: float, most_bytes: int
    ) -> Answer:
        timeout = httpx2.Timeout(deadline, connect=min(_CONNECT, deadline))
        client = self._opened()
        request = client.build_request("POST", url, json=body, headers=headers, timeout=timeout)
        response = await client.send(request, stream=True)
        try:
            data = await _read(response, most_bytes)
        finally:
            await response.aclose()
        redirects = response.is_redirect or response.has_redirect_location
        return Answer(response.status_code, response.headers, _parsed(data), redirects)

    def _opened(self) -> httpx2.AsyncClient:
        if self._client is None:
            # A proxy of the environment is for what lies outside this machine.
            proxied = not is_local(self._url)
            if proxied:
                try:
                    check_proxies()
                except ConfigurationError as error:
                    raise BadProxy(error.message) from None
            most = self._most_at_once
            self._client = httpx2.AsyncClient(
                limits=httpx2.Limits(max_connections=most, max_keepalive_connections=most),
                follow_redirects=False,
                trust_env=proxied,
                # Reading the certificates takes a fifth of a second; no redirect can lead from http to https.
                verify=self._url.startswith("https:"),
            )
        return self._client


def words_of_error(answer: Any) -> tuple[str, str]:
    """The message and the code of an error's body, as any of the providers writes it; empty where there is none."""
    if not isinstance(answer, dict):
        return "", ""
    whole = cast("dict[str, Any]", answer)
    inner = whole.get("error")
    body = cast("dict[str, Any]", inner) if isinstance(inner, dict) else whole
    words = (body.get(name) for name in ("message", "error", "detail"))
    message = next((said for said in words if isinstance(said, str)), "")
    return message, str(body.get("code") or body.get("type") or body.get("error_type") or "")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from `Retry-After` (seconds or a date, RFC 9110) or the finer `retry-after-ms`."""
    fine, given = headers.get("retry-after-ms", ""), headers.get("retry-after", "").strip()
    if fine.isdecimal():
        return int(fine) / 1000
    if given.isdecimal():
        return float(given)
    try:
        at = parsedate_to_datetime(given)
    except ValueError:
        return None
    at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return max(0.0, (at - datetime.now(UTC)).total_seconds())


async def _read(response: httpx2.Response, most_bytes: int) -> bytes:
    data = bytearray()
    async for part in response.aiter_bytes():
        data += part
        if len(data) > most_bytes:
            raise TooLong
    return bytes(data)


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
