"""The ways to generate an answer, behind one interface; each failure has a named reason and leads to the next way."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, cast

from citemark.answering.state import Binding

Reason = Literal[
    "unsupported", "declined", "timeout", "malformed", "non_text", "unreachable", "server_error", "no_answer"
]
"""Why a way produced nothing. Nothing else is reported: the words of a client or a provider are never repeated."""

SamplingReason = Literal["unsupported", "declined", "timeout", "malformed", "non_text"]
"""The reasons that the fixed text of a result may name."""

WayName = Literal["client_sampling", "provider", "extractive"]

Pinned: TypeAlias = Callable[[], Awaitable[str]]
"""Returns the sealed state of a call, which is created only when it is needed."""

# The preferences in a request to a client's model: fluent sentences, a capable model rather than a quick one.
TEMPERATURE = 0.7
INTELLIGENCE_PRIORITY = 0.8
SPEED_PRIORITY = 0.5


@dataclass(frozen=True, slots=True)
class Completion:
    """A request to a model: one user message, and how to answer it; `hint` names a model or is empty."""

    prompt: str
    max_tokens: int
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Generated:
    """What a model wrote, unchecked; `model` and `stop_reason` are what its host reports."""

    text: str
    model: str | None = None
    stop_reason: str | None = None


class NotGenerated(Exception):
    """A way produced nothing that could be an answer.

    For the log, `origin` is the server that was asked (scheme, host and port) and `what` says what went wrong, in our
    own words; both are empty if nothing is known beyond the reason.
    """

    def __init__(self, reason: Reason, *, origin: str = "", what: str = "") -> None:
        super().__init__(reason)
        self.reason: Reason = reason
        self.origin = origin
        self.what = what


class Way(Protocol):
    """One way to generate an answer."""

    @property
    def name(self) -> WayName:
        """The name of this way in a result."""
        ...

    async def generate(self, asked: Completion) -> Generated:
        """Generate the words of an answer.

        Raises:
            NotGenerated: this way produced none.
        """
        ...


class ClientModel(Protocol):
    """The model of the client that made a call, however the client's protocol allows it to be asked."""

    @property
    def binding(self) -> Binding:
        """The call for which a state of it is valid."""
        ...

    @property
    def carried(self) -> str | None:
        """The sealed state of the previous round, or None in the first round."""
        ...

    async def generate(self, asked: Completion, pin: Pinned) -> Generated:
        """Generate the words of an answer; if the protocol needs another round, `pin` returns the state to carry over.

        Raises:
            NotGenerated: the client has no model, or its model produced nothing.
        """
        ...


@dataclass(frozen=True, slots=True)
class ClientSampling:
    """The client's model as a way to generate an answer."""

    client: ClientModel
    pin: Pinned

    @property
    def name(self) -> WayName:
        """The name of this way in a result."""
        return "client_sampling"

    async def generate(self, asked: Completion) -> Generated:
        """Ask the client."""
        return await self.client.generate(asked, self.pin)


@dataclass(frozen=True, slots=True)
class Failure:
    """A way that was tried, and why it produced nothing."""

    way: WayName
    reason: Reason

    @property
    def sampling_reason(self) -> SamplingReason:
        """The reason in the words of the fixed text, which has none for a server that fails or cannot be reached."""
        others = {"unreachable", "server_error", "no_answer"}
        return "declined" if self.reason in others else cast("SamplingReason", self.reason)


@dataclass(frozen=True, slots=True)
class Tried:
    """The outcome of trying the ways: the first one that produced something, and the failures before it."""

    way: WayName | None
    generated: Generated | None
    failures: tuple[Failure, ...]


async def first_that_works(ways: Sequence[Way], asked: Completion) -> Tried:
    """Ask one way after the other until one produces words."""
    failures: list[Failure] = []
    for way in ways:
        try:
            generated = await way.generate(asked)
            if not generated.text.strip():
                raise NotGenerated("malformed")  # noqa: TRY301 - an empty answer is as good as none
        except NotGenerated as error:
            failures.append(Failure(way.name, error.reason))
            _log_failure(way.name, error)
        else:
            return Tried(way.name, generated, tuple(failures))
    return Tried(None, None, tuple(failures))


def _log_failure(way: WayName, error: NotGenerated) -> None:
    import structlog  # noqa: PLC0415 - costs a third of a second that a server need not pay before its first failure

    log = structlog.get_logger(__name__)
    # A client without a model is the normal case and not worth a warning.
    level = log.info if error.reason == "unsupported" and not error.origin else log.warning
    level("not_generated", way=way, origin=error.origin, reason=error.reason, what=error.what, action="answer")
