"""A model served over OpenAI's chat protocol: by OpenAI, Ollama, vLLM, LiteLLM, llama.cpp and others."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, cast

import structlog

from citemark.answering.streamed import StreamedAnswer
from citemark.answering.ways import WayName
from citemark.model.completions import TEMPERATURE, Completion, Generated, NotGenerated, Reason
from citemark.model.errors import ConfigurationError
from citemark.remote.addresses import checked_key, checked_url, exposes_key, origin_of, with_version
from citemark.remote.connections import BodyTooLarge, DeadlineExceeded, Unreachable
from citemark.remote.json_api import JsonApi, JsonResponse
from citemark.settings import Settings
from citemark.text.reasoning import without_reasoning

_PATH = "/chat/completions"
_MOST_BYTES = 4 * 1024 * 1024
"""A hundred times the longest answer that is asked for."""

_MOST_AT_ONCE = 32
"""The most requests in flight: more than the calls that a server answers at the same time, so that none waits here."""

_STOPS = {"stop": "endTurn", "length": "maxTokens"}
"""The protocol's words for why a model stopped, in those of MCP."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ChatModel:
    """The model to ask and the server to ask for it; `url` is the base address, usually ending in /v1."""

    url: str
    model: str
    key: str | None


def chat_model_of(settings: Settings) -> ChatModel | None:
    """The chat model that the settings name, or None if they name none.

    Raises:
        ConfigurationError: one of the settings is missing or malformed.
    """
    if not settings.answer_url:
        return None  # a key alone may belong to a file with an address that is not trusted here
    if not settings.answer_model:
        raise ConfigurationError("answer_model is missing: set it to the model to ask answer_url for.")
    url = checked_url(settings.answer_url.strip().rstrip("/"), "answer_url", "answer_api_key").removesuffix(_PATH)
    secret = settings.answer_api_key
    key = None if secret is None else checked_key(secret.get_secret_value(), "answer_api_key")
    if key and exposes_key(url):
        raise ConfigurationError("answer_url must be https: the key and the documents would cross a network in clear.")
    return ChatModel(with_version(url), settings.answer_model, key)


class Provider:
    """Asks a chat model."""

    def __init__(self, model: ChatModel, timeout: float) -> None:
        """Prepare to ask `model`, without a request yet; `timeout` is the number of seconds for one answer."""
        self._model = model
        self._timeout = timeout
        self._api = JsonApi(model.url, _MOST_AT_ONCE)

    @property
    def name(self) -> WayName:
        """The name of this way in a result."""
        return "provider"

    async def close(self) -> None:
        """Close the connections."""
        await self._api.close()

    async def generate(self, asked: Completion) -> Generated:
        """Ask for one answer; the model is asked to stream it only if somebody reads along.

        Raises:
            NotGenerated: there is no answer, for whatever reason.
        """
        body: dict[str, Any] = {
            "model": self._model.model,
            "messages": [{"role": "user", "content": asked.prompt}],
            "max_tokens": asked.max_tokens,
            "temperature": TEMPERATURE,
        }
        streamed = None
        if asked.wrote is not None:
            streamed, body["stream"] = StreamedAnswer(asked.wrote), True
        response = await self._ask(body, streamed)
        if response.status == HTTPStatus.BAD_REQUEST:
            # Reasoning models accept the token limit under another name, and no temperature.
            body["max_completion_tokens"] = body.pop("max_tokens")
            del body["temperature"]
            _log.info("retry", action="retry", what="without temperature", origin=origin_of(self._model.url), attempt=1)
            response = await self._ask(body, streamed)
        if response.status == HTTPStatus.BAD_REQUEST and body.pop("stream", False):
            _log.info("retry", action="retry", what="without stream", origin=origin_of(self._model.url), attempt=2)
            response = await self._ask(body, None)
        if not response.ok:
            raise self._failed(_reason_of(response.status), f"HTTP {response.status}")
        if streamed is not None and response.is_stream:
            return self._put_together(streamed)
        return self._read(response.content)

    async def _ask(self, body: dict[str, Any], streamed: StreamedAnswer | None) -> JsonResponse:
        headers = {"Authorization": f"Bearer {self._model.key}"} if self._model.key else {}
        url = self._model.url + _PATH
        try:
            if streamed is None:
                return await self._api.post(url, headers, body, deadline=self._timeout, most_bytes=_MOST_BYTES)
            return await self._api.post(
                url, headers, body, deadline=self._timeout, most_bytes=_MOST_BYTES, arrived=streamed.take
            )
        except DeadlineExceeded:
            raise self._failed("timeout", "timeout") from None
        except Unreachable as error:
            raise self._failed("unreachable", type(error.__cause__ or error).__name__) from None
        except BodyTooLarge:
            raise self._failed("malformed", "answer too long") from None

    def _read(self, content: Any) -> Generated:
        response = _mapping(content)
        choices = response.get("choices")
        first = _mapping(cast("list[Any]", choices)[0]) if isinstance(choices, list) and choices else {}
        message = _mapping(first.get("message"))
        text = _text(message.get("content"))
        if text is None:
            if message.get("refusal") or first.get("finish_reason") == "content_filter":
                raise self._failed("declined", "refusal")
            parts = message.get("content")
            raise self._failed("non_text" if isinstance(parts, list) and parts else "malformed", "no text")
        text = without_reasoning(text)
        if not text:
            raise self._failed("malformed", "reasoning only")
        stop, model = first.get("finish_reason"), response.get("model")
        return Generated(
            text=text,
            model=model if isinstance(model, str) and model else self._model.model,
            stop_reason=_STOPS.get(stop, stop) if isinstance(stop, str) else None,
        )

    def _put_together(self, streamed: StreamedAnswer) -> Generated:
        if streamed.failed:
            raise self._failed("server_error", "error in the stream")
        if streamed.stopped == "content_filter":
            raise self._failed("declined", "refusal")
        if streamed.stopped is None:
            raise self._failed("malformed", "stream without an end")
        if not streamed.text:
            raise self._failed("malformed", "no text")
        stop = _STOPS.get(streamed.stopped, streamed.stopped)
        return Generated(streamed.text, streamed.model or self._model.model, stop)

    def _failed(self, reason: Reason, what: str) -> NotGenerated:
        return NotGenerated(reason, origin=origin_of(self._model.url), what=what)


_REASONS: dict[int, Reason] = {
    HTTPStatus.UNAUTHORIZED: "declined",
    HTTPStatus.PAYMENT_REQUIRED: "declined",
    HTTPStatus.FORBIDDEN: "declined",
    HTTPStatus.TOO_MANY_REQUESTS: "declined",
    HTTPStatus.REQUEST_TIMEOUT: "timeout",
    HTTPStatus.GATEWAY_TIMEOUT: "timeout",
}


def _reason_of(status: int) -> Reason:
    """What a status other than success means: 5xx is a failure of the server, not a missing interface."""
    default: Reason = "server_error" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "unsupported"
    return _REASONS.get(status, default)


def _mapping(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _text(content: Any) -> str | None:
    """The words of a message: a string, or the text parts of a list; None if there is no text."""
    if isinstance(content, list):
        parts = [_mapping(part).get("text") for part in cast("list[Any]", content)]
        content = "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) and content.strip() else None
