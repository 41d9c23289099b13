"""JSON APIs of providers: one POST, and what the providers' responses have in common."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from citemark.remote.connections import Connections, HttpRequest, Timeouts

_CONNECT = 5.0
"""Seconds for making a connection: a provider that takes longer is down, and a question has 8 seconds in total."""

_HALF = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
"""Code points that may be half a character: answers of models can end in one when they are cut off."""


@dataclass(frozen=True, slots=True)
class JsonResponse:
    """A response; `content` is its parsed JSON, or None if it is not JSON."""

    status: int
    headers: Mapping[str, str]
    content: Any
    redirects: bool

    @property
    def ok(self) -> bool:
        """True for 2xx."""
        return 200 <= self.status < 300  # noqa: PLR2004 - the class of success

    @property
    def is_stream(self) -> bool:
        """True for server-sent events."""
        return self.headers.get("content-type", "").lower().startswith("text/event-stream")

    @property
    def is_page(self) -> bool:
        """True for a web page, which no API responds with."""
        return "html" in self.headers.get("content-type", "")


class JsonApi:
    """Sends JSON to one provider over persistent connections, for use inside one event loop."""

    def __init__(self, url: str, most_at_once: int) -> None:
        """Prepare the client without connecting; `url` is the provider's base address."""
        self._connections = Connections(url, most=most_at_once)

    async def close(self) -> None:
        """Close the connections."""
        await self._connections.close()

    async def post(
        self,
        url: str,
        headers: Mapping[str, str],
        body: Mapping[str, Any],
        *,
        deadline: float,
        most_bytes: int,
        arrived: Callable[[bytes], None] = lambda _: None,
    ) -> JsonResponse:
        """Post JSON and read the response, within `deadline` seconds from the first byte sent to the last received.

        `arrived` gets each part of its body as it comes.

        Raises:
            DeadlineExceeded, Unreachable, BodyTooLarge.
        """
        timeouts = Timeouts(min(_CONNECT, deadline), deadline, deadline)
        request = HttpRequest("POST", url, headers, json=body, most_bytes=most_bytes)
        response = await self._connections.send(request, timeouts, arrived)
        return JsonResponse(response.status, response.headers, _parsed(response.body), response.redirects)


def words_of_error(answer: Any) -> tuple[str, str]:
    """Return the message and the code of an error body in any provider's format; "" where missing."""
    if not isinstance(answer, dict):
        return "", ""
    whole = cast("dict[str, Any]", answer)
    inner = whole.get("error")
    body = cast("dict[str, Any]", inner) if isinstance(inner, dict) else whole
    words = (body.get(name) for name in ("message", "error", "detail"))
    message = next((word for word in words if isinstance(word, str)), "")
    return message, str(body.get("code") or body.get("type") or body.get("error_type") or "")


def _parsed(data: bytes) -> Any:
    try:
        text = data.decode(json.detect_encoding(data), "surrogatepass")
        content = json.loads(text)
        if _HALF.search(text):
            content = json.loads(json.dumps(content, ensure_ascii=False).encode("utf-8", "ignore"))
    except (ValueError, RecursionError):
        return None
    return content
