"""What differs between two states of models, for every tool that compares them."""

from dataclasses import dataclass

from citemark.features.archimate.results.model_changes import model_changes_out, model_changes_text
from citemark.features.archimate.services.model_diff import ModelChanges, ModelDiffService
from citemark.results.model_changes import DiffBaselinesOut
from citemark.services.requests import Caller, DiffRequest
from citemark.services.responses import ResponseMeta


@dataclass(frozen=True, slots=True)
class ComparedPage:
    """A page of differences, and the call that asked for it."""

    service: ModelDiffService
    caller: Caller
    request: DiffRequest
    model: str | None
    changes: ModelChanges

    @property
    def meta(self) -> ResponseMeta:
        """The metadata of the whole page."""
        return self.changes.meta

    @property
    def count(self) -> int:
        """The number of elements and relationships."""
        return len(self.changes.rows)

    def out(self, kept: int, meta: ResponseMeta) -> DiffBaselinesOut:
        """The first rows as a result."""
        return model_changes_out(self.changes, kept, meta)

    def text(self, kept: int, meta: ResponseMeta) -> str:
        """The first rows as text."""
        return model_changes_text(self.changes, kept, meta)

    async def cursor(self, kept: int) -> str | None:
        """The cursor to what follows the first rows; None at the end."""
        return await self.service.cursor(self.caller, self.request, self.model, self.changes, kept)


class ComparedPages:
    """Opens such pages."""

    def __init__(self, service: ModelDiffService) -> None:
        self._service = service

    async def page(self, caller: Caller, request: DiffRequest, model: str | None) -> ComparedPage:
        """What differs between two states of all models, or of the one with a name.

        Raises:
            UnknownCursor, InvalidArgument, ScopeViolation, BackendUnavailable.
        """
        changes = await self._service.models(caller, request, model)
        return ComparedPage(self._service, caller, request, model, changes)
