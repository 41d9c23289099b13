"""Elements of models by the names that people call them by."""

from citemark.features.archimate.services.model_queries import ModelListingService
from citemark.features.archimate.services.requests import PartRef, QueryScope
from citemark.model.architecture import ELEMENT
from citemark.model.scope import ReadContext, RequestScope
from citemark.services.named_documents import NamedDocument
from citemark.services.requests import Caller


class NamedElements:
    """Finds the element that a name means."""

    def __init__(self, models: ModelListingService) -> None:
        self._models = models

    async def named(
        self, caller: Caller, name: str, source: str | None, scope: RequestScope, read_context: ReadContext
    ) -> NamedDocument:
        """The element with a name or an id, in one model if that is given.

        Raises:
            InvalidArgument: no element has this id or name, or several do.
            ScopeViolation, BackendUnavailable.
        """
        ref = PartRef(QueryScope(source, scope, read_context), ELEMENT, name, source)
        card = (await self._models.element(caller, ref, relationships=False)).card
        return NamedDocument(card.citation.source, ELEMENT, card.part.native_id)
