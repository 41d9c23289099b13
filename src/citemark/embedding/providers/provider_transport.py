"""Sends one request to a provider; its errors say what went wrong and what to do about it."""

from http import HTTPStatus
from typing import Any, assert_never

from citemark.embedding.contract import (
    BadAnswer,
    EmbeddingFailed,
    ProviderBroken,
    ProviderRefused,
    ProviderSlow,
    ProviderUnavailable,
    RateLimited,
    RequestRefused,
)
from citemark.embedding.providers.dialects import Call
from citemark.embedding.providers.recipe import Recipe
from citemark.remote.connections import BodyTooLarge, DeadlineExceeded, InvalidUrl, Unreachable, retry_after
from citemark.remote.json_api import JsonApi, JsonResponse, words_of_error

_MOST_BYTES = 64 * 1024 * 1024
"""Most bytes of an answer: 32 vectors of 4,096 dimensions as JSON take about 3 MiB."""

_LONGEST_QUOTE = 300
"""Most characters quoted from a provider's own message, which may repeat a whole text."""

_NO_CREDIT = frozenset({"insufficient_quota", "billing_not_active", "billing_hard_limit_reached"})


class ProviderTransport:
    """Sends requests over kept connections, inside one event loop."""

    def __init__(self, recipe: Recipe, key: str | None, most_at_once: int) -> None:
        self._recipe = recipe
        self._key = key
        self._api = JsonApi(recipe.url, most_at_once)

    async def close(self) -> None:
        """Close the connections."""
        await self._api.close()

    async def send(self, call: Call, deadline: float) -> Any:
        """Send a request and return the parsed JSON of the response.

        The response must be complete within `deadline` seconds, counted from the first byte sent to the last received.

        Raises:
            EmbeddingFailed: the class says whether to try again.
        """
        try:
            answer = await self._api.post(call.url, call.headers, call.body, deadline=deadline, most_bytes=_MOST_BYTES)
        except DeadlineExceeded:
            raise ProviderSlow(
                f"{self._name} did not answer within {deadline:g} seconds. If it is only slow, raise "
                "embedding_timeout; else see whether it is running.",
                "timeout",
            ) from None
        except InvalidUrl as error:
            raise ProviderRefused(f"embedding_url is not an address: {error}", "invalid URL") from None
        except Unreachable as error:
            raise ProviderUnavailable(
                f"{self._name} cannot be reached ({error}). See whether it is running and embedding_url is right.",
                type(error.__cause__ or error).__name__,
            ) from None
        except BodyTooLarge:
            raise BadAnswer(
                f"{self._name} answers with more than {_MOST_BYTES >> 20} MiB.", "answer too long"
            ) from None
        return self._content(answer)

    @property
    def key(self) -> str | None:
        """The provider's key, for the headers of a call."""
        return self._key

    @property
    def _name(self) -> str:
        return f"The embedding provider at {self._recipe.origin}"

    def _content(self, answer: JsonResponse) -> Any:
        if not answer.ok:
            raise self._failure(answer)
        if answer.is_page:
            raise BadAnswer(
                f"{self._name} answers with a web page. embedding_url must name the API and not its web interface; "
                "behind a proxy that asks for a login, it must be let through.",
                "web page",
            )
        if answer.content is None:
            raise BadAnswer(f"{self._name} answers with something that is not JSON; see embedding_url.", "no JSON")
        return answer.content

    def _failure(self, answer: JsonResponse) -> EmbeddingFailed:  # noqa: PLR0911 - one per meaning
        status = answer.status
        message, code = words_of_error(answer.content)
        quote = f' It says: "{self._cleaned(message)}"' if message else ""
        answered = f"{self._name} answers {status}.{quote}"
        summary = f"HTTP {status}"
        match status:
            case HTTPStatus.TOO_MANY_REQUESTS if code in _NO_CREDIT:
                return ProviderRefused(
                    f"{answered} Your account has no credit left: add some, then sync again.", summary
                )
            case HTTPStatus.TOO_MANY_REQUESTS:
                wait = retry_after(answer.headers)
                until = "for fewer requests" if wait is None else f"to wait {wait:.0f} seconds"
                return RateLimited(f"{answered} It asks {until}.", summary, wait)
            case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN:
                name = "embedding_api_key (environment: CITEMARK_EMBEDDING_API_KEY)"
                if self._key is None:
                    return ProviderRefused(f"{answered} It was sent no key: set {name}.", summary)
                allowed = f"whether the key may use the model {self._recipe.model!r}"
                return ProviderRefused(f"{answered} It does not accept the key: check {name}, and {allowed}.", summary)
            case HTTPStatus.NOT_FOUND | HTTPStatus.METHOD_NOT_ALLOWED | HTTPStatus.GONE:
                return ProviderRefused(f"{answered} {self._not_found()}", summary)
            case HTTPStatus.REQUEST_TIMEOUT | HTTPStatus.CONFLICT | HTTPStatus.TOO_EARLY:
                return ProviderBroken(answered, summary, retry_after(answer.headers))
            case _ if answer.redirects:
                target = answer.headers.get("location", "").partition("?")[0][:_LONGEST_QUOTE]
                return ProviderRefused(
                    f"{answered} It redirects to {target!r}: set embedding_url to where it is.", summary
                )
            case _ if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                return ProviderBroken(answered, summary, retry_after(answer.headers))
            case _:
                return RequestRefused(
                    f"{answered} Check embedding_model ({self._recipe.model!r}) and embedding_dimensions "
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
            case _:
                assert_never(self._recipe.provider)

    def _cleaned(self, message: str) -> str:
        """A provider's message on one line, shortened and without the key."""
        text = " ".join(message.split())
        if self._key:
            text = text.replace(self._key, "[key]")
        return text[:_LONGEST_QUOTE]
