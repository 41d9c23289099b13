"""The words of a chat model as they come: server-sent events of OpenAI's protocol, put together."""

import codecs
import json
from collections.abc import Callable
from typing import Any, cast

from citemark.text.reasoning import without_reasoning

_MARK = "data:"


class StreamedAnswer:
    """Takes the body of a response in parts, and tells whoever reads along the text so far, without its reasoning.

    Attributes:
        model: the name that the server gave, or None.
        stopped: the protocol's word for why the model stopped; None if the body ended before it did.
        failed: whether the server reported an error after the response had begun.
    """

    def __init__(self, wrote: Callable[[str], None]) -> None:
        """Tell `wrote` the text so far after each part that has more of it."""
        self.model: str | None = None
        self.stopped: str | None = None
        self.failed = False
        self._text = ""
        self._wrote = wrote
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._begun = ""

    @property
    def text(self) -> str:
        """What was written so far, without reasoning."""
        return without_reasoning(_whole(self._text))

    def take(self, part: bytes) -> None:
        """Take the next part of the body, which may end anywhere."""
        before = self._text
        *lines, self._begun = (self._begun + self._decoder.decode(part)).split("\n")
        for line in lines:
            if line.startswith(_MARK):
                self._take_event(line.removeprefix(_MARK).strip())
        if self._text != before:
            self._wrote(self.text)

    def _take_event(self, data: str) -> None:
        try:
            event = _mapping(json.loads(data))
        except (ValueError, RecursionError):  # the mark of the end is no JSON
            return
        self.failed = self.failed or bool(event.get("error"))
        model = event.get("model")
        self.model = _whole(model) if isinstance(model, str) and model else self.model
        choices = event.get("choices")
        first = _mapping(cast("list[Any]", choices)[0]) if isinstance(choices, list) and choices else {}
        words, stopped = _mapping(first.get("delta")).get("content"), first.get("finish_reason")
        self._text += words if isinstance(words, str) else ""
        self.stopped = stopped if isinstance(stopped, str) else self.stopped


def _whole(text: str) -> str:
    """A text in which both halves of a character that came apart are joined, and a half without the other is gone."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")


def _mapping(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
