"""The ways to generate an answer behind one port, and their order: each failure has a name and leads to the next."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, cast

from citemark.answering.state import Binding

Reason = Literal["unsupported", "declined", "timeout", "malformed", "non_text", "unreachable", "server_error"]
"""Why a way gave nothing. The only thing that is said of it: words of a client or a provider are never repeated."""

SamplingReason = Literal["unsupported", "declined", "timeout", "malformed", "non_text"]
"""The reasons that the fixed text of a result may name."""

WayName = Literal["client_sampling", "provider", "extractive"]

Pinned: TypeAlias = Callable[[], Awaitable[str]]
"""Gives the sealed state of a call, made only where it is needed."""

# What a client's model is asked with: fluent sentences, a capable model before a quick one.
TEMPERATURE = 0.7
INTELLIGENCE_PRIORITY = 0.8
SPEED_PRIORITY = 0.5


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model is asked: one message of the user, and how to answer it. `hint` names a model, or nothing."""

    prompt: str
    max_tokens: int
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Generated:
    """What a model wrote, unchecked. `model` and `stop_reason` are what its host says of it."""

    text: str
    model: str | None = None
    stop_reason: str | None = None


class NotGenerated(Exception):
    """A way gave nothing that could be an answer.

    For the log, `origin` is who was asked (scheme, host and port) and `what` went wrong, in words of our own; both are
    empty where nothing is known beyond the reason.
    """

    def __init__(self, reason: Reason, *, origin: str = "", what: str = "") -> None:
        super().__init__(reason)
        self.reason: Reason = reason
        self.origin = origin
        self.what = what


class Way(Protocol):
    """One way to generate."""

    @property
    def name(self) -> WayName:
        """How the result names it."""
        ...

    async def generate(self, asked: Completion) -> Generated:
        """The words of an answer.

        Raises:
            NotGenerated: none are to be had in this way.
        """
        ...


class ClientModel(Protocol):
    """The model of the client that made a call, in whichever way its protocol lets it be asked."""

    @property
    def binding(self) -> Binding:
        """The call that a state of it is good for."""
        ...

    @property
    def carried(self) -> str | None:
        """The sealed state of the round before; None in the first one."""
        ...

    async def generate(self, asked: Completion, pin: Pinned) -> Generated:
        """The words of an answer. Where the protocol asks by another round, `pin` gives the state to carry over.

        Raises:
            NotGenerated: the client has no model, or it gave nothing.
        """
        ...


@dataclass(frozen=True, slots=True)
class ClientSampling:
    """The client's model as a way."""

    client: ClientModel
    pin: Pinned

    @property
    def name(self) -> WayName:
        """As the result names it."""
        return "client_sampling"

    async def generate(self, asked: Completion) -> Generated:
        """Ask the client."""
        return await self.client.generate(asked, self.pin)


@dataclass(frozen=True, slots=True)
class Failure:
    """A way that was tried, and why it gave nothing."""

    way: WayName
    reason: Reason

    @property
    def sampling_reason(self) -> SamplingReason:
        """The reason in the words of the fixed text, which knows none for a server that fails or cannot be reached."""
        return "declined" if self.reason in {"unreachable", "server_error"} else cast("SamplingReason", self.reason)


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of the ways: the first that gave something, after those that did not."""

    way: WayName | None
    generated: Generated | None
    failures: tuple[Failure, ...]


async def first_that_works(ways: Sequence[Way], asked: Completion) -> Tried:
    """Ask one way after the other until one gives words."""
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
    # A client without a model is the rule and not worth a warning.
    level = log.info if error.reason == "unsupported" and not error.origin else log.warning
    level("not_generated", way=way, origin=error.origin, reason=error.reason, what=error.what, action="answer")
