"""What a language model is asked for, and what it wrote."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Reason = Literal[
    "unsupported", "declined", "timeout", "malformed", "non_text", "unreachable", "server_error", "no_answer"
]
"""Why a model wrote nothing. Nothing else is reported: the words of a client or a provider are never repeated."""

# The preferences in a request to a client's model: fluent sentences, a capable model rather than a quick one.
TEMPERATURE = 0.7
INTELLIGENCE_PRIORITY = 0.8
SPEED_PRIORITY = 0.5


@dataclass(frozen=True, slots=True)
class Completion:
    """A request to a model: one user message, and how to answer it; `hint` names a model or is empty.

    `wrote` is told the text so far, unchecked, as often as a model that can be read along has more of it.
    """

    prompt: str
    max_tokens: int
    hint: str = ""
    wrote: Callable[[str], None] | None = None


@dataclass(frozen=True, slots=True)
class Generated:
    """What a model wrote, unchecked; `model` and `stop_reason` are what its host reports."""

    text: str
    model: str | None = None
    stop_reason: str | None = None


class NotGenerated(Exception):
    """A model or another way to an answer produced nothing that could be one.

    For the log, `origin` is the server that was asked (scheme, host and port) and `what` says what went wrong, in our
    own words; both are empty if nothing is known beyond the reason.
    """

    def __init__(self, reason: Reason, *, origin: str = "", what: str = "") -> None:
        super().__init__(reason)
        self.reason: Reason = reason
        self.origin = origin
        self.what = what
