"""Golden questions about elements of models: a port, which the feature that has models fills."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from citemark.services.bundle import ServiceKey

if TYPE_CHECKING:  # declarations of features name the key before anything of this is loaded
    from citemark.services.requests import Caller


@dataclass(frozen=True, slots=True)
class FoundElement:
    """An element that a search found; `also` are the ids of others that say the same."""

    element_id: str
    name: str
    source: str
    text: str
    score: float
    also: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """All elements that it stands for."""
        return self.element_id, *self.also


@dataclass(frozen=True, slots=True)
class FoundElements:
    """What a search found, best first; `in_doubt`: whether the result says that it may not answer the question."""

    elements: tuple[FoundElement, ...]
    in_doubt: bool


class ElementQuestions(Protocol):
    """Asks for elements as an agent does."""

    async def find(
        self, caller: "Caller", question: str, also: Sequence[str], *, most: int, min_score: float | None = None
    ) -> FoundElements:
        """The elements that answer a question; with the score that agents ask with unless another one is given."""
        ...


ELEMENT_QUESTIONS: ServiceKey[ElementQuestions] = ServiceKey("questions about elements")
