"""One account's connection to its server, as the apps use it."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from citemark.model.errors import RetriableSourceError, SkippableSourceError
from citemark.sources.nextcloud.scan_limits import MIB, ScanLimitReached

MOST_BYTES = 32 * MIB
"""Of the answer to a request that is about one thing."""

_MOST_SMALL = 16 * MIB
"""Bytes of an answer that is read beside others; what is larger is asked for again, alone."""

_MOST_VALUES = 2_000_000
"""Values in one JSON text, commas in its words counted as well: parsed they take some 150 MB at most."""

T = TypeVar("T")


class ResponseTooLarge(SkippableSourceError):
    """An answer has more bytes than were asked for."""


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """An answer that an app has to judge; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str

    def json(self) -> Any:
        """The body as JSON.

        Raises:
            RetriableSourceError: it is none, as when an answer broke off.
            SkippableSourceError: it holds more values than any listing does.
        """
        if sum(map(self.body.count, (b",", b":", b"[", b"{"))) > _MOST_VALUES:
            raise SkippableSourceError(f"The answer of {self.url} holds more than {_MOST_VALUES:,} values.")
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            raise RetriableSourceError(f"The answer of {self.url} is no JSON; it is asked again later.") from None

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode("utf-8", "replace")


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
