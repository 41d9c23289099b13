"""One request to a provider, and what its outcome means."""

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

import httpx2

from citemark.embedding.failures import (
    BadAnswer,
    EmbeddingFailed,
    ProviderBroken,
    ProviderRefused,
    ProviderSlow,
    ProviderUnavailable,
    RateLimited,
    RequestRefused,
)
from citemark.embedding.providers.dialects import Call, words_of_error
from citemark.embedding.providers.recipe import Recipe

_MOST_BYTES = 64 * 1024 * 1024
_MOST_WORDS = 300
_CONNECT = 5.0
_NO_CREDIT = frozenset({"insufficient_quota", "billing_not_active", "billing_hard_limit_reached"})


class Wire:
    """Sends requests one by one; used inside one event loop."""

    def __init__(self, recipe: Recipe, key: str | None, most_at_once: int) -> None:
        self._recipe = recipe
        self._key = key
        self._most_at_once = most_at_once
        self._client: httpx2.AsyncClient | None = None

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()

    async def send(self, call: Call, deadline: float) -> Any:
        """The parsed answer, within `deadline` seconds from the first byte sent to the last received.

        Raises:
            EmbeddingFailed: in one of its kinds, which say whether to try again.
        """
        try:
            async with asyncio.timeout(deadline):
                return await self._exchange(call, deadline)
        except (TimeoutError, httpx2.ReadTimeout, httpx2.WriteTimeout):
            raise ProviderSlow(
                f"{self._name} did not answer within {deadline:g} seconds. If it is only slow, raise "
                "embedding_timeout; else see whether it is running.",
                "timeout",
            ) from None
        except httpx2.InvalidURL as error:
            raise ProviderRefused(f"embedding_url is no address: {error}", "invalid URL") from None
        except httpx2.RequestError as error:
            # Names and numbers of the operating system; a request error holds neither headers nor texts.
            what = str(error) or type(error).__name__
            raise ProviderUnavailable(
                f"{self._name} cannot be reached ({what}). See whether it is running and embedding_url is right.",
                type(error).__name__,
            ) from None

    @property
    def key(self) -> str | None:
        """The provider's key, for the headers of a call."""
        return self._key

    @property
    def _name(self) -> str:
        return f"The embedding provider at {self._recipe.origin}"

    async def _exchange(self, call: Call, deadline: float) -> Any:
        timeout = httpx2.Timeout(deadline, connect=min(_CONNECT, deadline))
        client = self._opened()
        request = client.build_request("POST", call.url, json=call.body, headers=call.headers, timeout=timeout)
        response = await client.send(request, stream=True)
        try:
            data = await self._read(response)
        finally:
            await response.aclose()
        if not response.is_success:
            raise self._failure(response, _parsed(data))
        if "html" in response.headers.get("content-type", ""):
            raise BadAnswer(
                f"{self._name} answers with a web page. embedding_url must name the API and not its web interface; "
                "behind a proxy that asks for a login, it must be let through.",
                "web page",
            )
        answer = _parsed(data)
        if answer is None:
            raise BadAnswer(f"{self._name} answers with something that is no JSON; see embedding_url.", "no JSON")
        return answer

    def _opened(self) -> httpx2.AsyncClient:
        if self._client is None:
            most = self._most_at_once
            self._client = httpx2.AsyncClient(
                limits=httpx2.Limits(max_connections=most, max_keepalive_connections=most),
                follow_redirects=False,
                # A proxy of the environment is for what lies outside this machine.
                trust_env=not self._recipe.local,
                # Reading the certificates takes a fifth of a second; no redirect can lead from http to https.
                verify=self._recipe.url.startswith("https:"),
            )
        return self._client

    async def _read(self, response: httpx2.Response) -> bytes:
        data = bytearray()
        async for part in response.aiter_bytes():
            data += part
            if len(data) > _MOST_BYTES:
                raise BadAnswer(f"{self._name} answers with more than {_MOST_BYTES >> 20} MiB.", "answer too long")
        return bytes(data)

    def _failure(self, response: httpx2.Response, answer: Any) -> EmbeddingFailed:  # noqa: PLR0911 - one per meaning
        status = response.status_code
        message, code = words_of_error(answer)
        said = f' It says: "{self._cleaned(message)}"' if message else ""
        told = f"{self._name} answers {status}.{said}"
        summary = f"HTTP {status}"
        match status:
            case HTTPStatus.TOO_MANY_REQUESTS if code in _NO_CREDIT:
                return ProviderRefused(f"{told} Your account has no credit left: add some, then sync again.", summary)
            case HTTPStatus.TOO_MANY_REQUESTS:
                patience = _retry_after(response.headers)
                until = "for fewer requests" if patience is None else f"to be left alone for {patience:.0f} seconds"
                return RateLimited(f"{told} It asks {until}.", summary, patience)
            case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN:
                name = "embedding_api_key (environment: CITEMARK_EMBEDDING_API_KEY)"
                if self._key is None:
                    return ProviderRefused(f"{told} It was sent no key: set {name}.", summary)
                allowed = f"whether the key may use the model {self._recipe.model!r}"
                return ProviderRefused(f"{told} It does not take the key: check {name}, and {allowed}.", summary)
            case HTTPStatus.NOT_FOUND | HTTPStatus.METHOD_NOT_ALLOWED | HTTPStatus.GONE:
                return ProviderRefused(f"{told} {self._not_found()}", summary)
            case HTTPStatus.REQUEST_TIMEOUT | HTTPStatus.CONFLICT | HTTPStatus.TOO_EARLY:
                return ProviderBroken(told, summary, _retry_after(response.headers))
            case _ if response.is_redirect or response.has_redirect_location:
                target = response.headers.get("location", "").partition("?")[0][:_MOST_WORDS]
                return ProviderRefused(f"{told} It redirects to {target!r}: set embedding_url to where it is.", summary)
            case _ if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                return ProviderBroken(told, summary, _retry_after(response.headers))
            case _:
                return RequestRefused(
                    f"{told} Check embedding_model ({self._recipe.model!r}) and embedding_dimensions "
                    f"({self._recipe.dimensions or 'not set'}).",
                    summary,
                )

    def _not_found(self) -> str:
        match self._recipe.provider:
            case "azure":
                return (
                    f"Check that embedding_url is the endpoint of the resource and that {self._recipe.model!r} is the "
                    "name of a deployment in it, not of a model."
                )
            case "cohere":
                return f"Check embedding_url and whether there is a model {self._recipe.model!r}."
            case "openai":
                return (
                    f"Check that embedding_url ({self._recipe.url}) is the base address, most often ending in /v1, and "
                    f"that the server has the model {self._recipe.model!r} (Ollama: `ollama pull` it first)."
                )

    def _cleaned(self, message: str) -> str:
        """A provider's words, short, on one line and without the key."""
        text = " ".join(message.split())
        if self._key:
            text = text.replace(self._key, "[key]")
        return text[:_MOST_WORDS]


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _retry_after(headers: Mapping[str, str]) -> float | None:
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
