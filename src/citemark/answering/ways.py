"""The ways to generate an answer, behind one interface; each failure has a named reason and leads to the next way."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, cast

from citemark.model.client_model import ClientModel, Pinned
from citemark.model.completions import Completion, Generated, NotGenerated, Reason

SamplingReason = Literal["unsupported", "declined", "timeout", "malformed", "non_text"]
"""The reasons that the fixed text of a result may name."""

WayName = Literal["client_sampling", "provider", "extractive"]


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
