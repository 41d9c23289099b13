"""Further phrasings of a question by a model: a port, which the feature that has models write fills."""

from typing import TYPE_CHECKING, Protocol

from citemark.services.bundle import ServiceKey

if TYPE_CHECKING:  # a server starts before it loads what answers calls
    from citemark.model.client_model import ClientModel
    from citemark.services.requests import Caller


class Phrasings(Protocol):
    """What a model wrote for a question."""

    @property
    def also(self) -> tuple[str, ...]:
        """Further phrasings; empty if no model could be asked."""
        ...

    @property
    def note(self) -> str:
        """The note about them in a result; "" if there are none."""
        ...


class Rephrasing(Protocol):
    """Has questions phrased in other words."""

    @property
    def available(self) -> bool:
        """Whether there is a configured model."""
        ...

    async def phrase(self, caller: "Caller", question: str, client: "ClientModel | None" = None) -> Phrasings:
        """Other phrasings of a question, by the client's model or else the configured one.

        If the client's model has to be asked in another round, the exception that it raises for that passes through.
        """
        ...

    async def pinned(self, client: "ClientModel") -> tuple[str, ...] | None:
        """The phrasings that found what a call has pinned in an earlier round; None if it has pinned nothing.

        Raises:
            StateRefused: the state that the call carries was not sealed for it.
        """
        ...


REPHRASING: ServiceKey[Rephrasing] = ServiceKey("phrasings by a model")
