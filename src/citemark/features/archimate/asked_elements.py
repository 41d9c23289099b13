"""Golden questions about the elements of models."""

from collections.abc import Sequence
from dataclasses import replace

from citemark.evaluation.found_elements import FoundElement, FoundElements
from citemark.features.archimate.services.requests import ElementSearch, QueryScope
from citemark.features.archimate.services.search import ElementSearchService
from citemark.services.requests import Caller


class AskedElements:
    """Asks the search for elements."""

    def __init__(self, search: ElementSearchService) -> None:
        self._search = search

    async def find(
        self, caller: Caller, question: str, also: Sequence[str], *, most: int, min_score: float | None = None
    ) -> FoundElements:
        """The elements that answer a question; with the score that agents ask with unless another one is given."""
        asked = ElementSearch(QueryScope(), question, top_k=most, page_size=most, also=tuple(also))
        if min_score is not None:
            asked = replace(asked, min_score=min_score)
        page = await self._search.page(caller, asked)
        found = (
            FoundElement(
                hit.part.native_id, hit.part.name, hit.citation.source, hit.context, hit.score, tuple(hit.also)
            )
            for hit in page.hits
        )
        return FoundElements(tuple(found), bool(page.meta.told or page.meta.doubt))
