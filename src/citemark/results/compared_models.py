"""What differs between two states of a model, page by page: a port that the feature of models fills."""

from typing import TYPE_CHECKING, Protocol

from citemark.services.bundle import ServiceKey

if TYPE_CHECKING:  # declarations of features name the key before anything of this is loaded
    from citemark.results.model_changes import DiffBaselinesOut
    from citemark.services.requests import Caller, DiffRequest
    from citemark.services.responses import ResponseMeta


class ModelChangesPage(Protocol):
    """A page of elements, then of relationships, that differ. It can be shown in part: its first `kept` rows."""

    @property
    def meta(self) -> "ResponseMeta":
        """The metadata of the whole page."""
        ...

    @property
    def count(self) -> int:
        """The number of rows."""
        ...

    def out(self, kept: int, meta: "ResponseMeta") -> "DiffBaselinesOut":
        """The first rows as a result."""
        ...

    def text(self, kept: int, meta: "ResponseMeta") -> str:
        """The first rows as text."""
        ...

    async def cursor(self, kept: int) -> str | None:
        """The cursor to what follows the first rows; None at the end."""
        ...


class ComparedModels(Protocol):
    """Compares two states of the models that a caller may read."""

    async def page(self, caller: "Caller", request: "DiffRequest", model: str | None) -> ModelChangesPage:
        """What differs between two states of all models, or of the one with a name.

        Raises:
            UnknownCursor, InvalidArgument, ScopeViolation, BackendUnavailable.
        """
        ...


COMPARED_MODELS: ServiceKey[ComparedModels] = ServiceKey("the comparison of models for results")
