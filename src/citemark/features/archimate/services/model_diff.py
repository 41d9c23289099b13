"""Which elements and relationships of models differ between two states."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from citemark.evidence.changed_places import ChangedPlace, changed_places
from citemark.features.archimate.services.responses import LinkCard, PartCard
from citemark.features.archimate.services.visible_models import ModelReader, OpenModels
from citemark.model.architecture import ARCHIMATE, ELEMENT, LinkFilter, PartFilter
from citemark.model.changes import ChangeCounts, ChangedDocument, ChangedLink, ChangeKind
from citemark.model.scope import ResolvedContext
from citemark.services.requests import Caller, DiffRequest
from citemark.services.responses import ResponseMeta
from citemark.services.state_pairs import StatePair, StatePairs
from citemark.store.changes import ChangeStore

_STATED_BY = 10
"""Rows read per relationship: one that ends at another relationship is stated by several elements."""

_ELEMENTS, _LINKS = 0, 1
"""Which of the two consecutive lists a page begins in."""

_Id = tuple[int, str]


@dataclass(frozen=True, slots=True)
class ElementChange:
    """An element that differs, with the first places where its text does."""

    row: ChangedDocument
    before: PartCard | None
    after: PartCard | None
    places: tuple[ChangedPlace, ...] = ()
    more_places: int = 0

    @property
    def change(self) -> ChangeKind:
        """Whether it was added, removed or changed."""
        return self.row.change


@dataclass(frozen=True, slots=True)
class LinkChange:
    """A relationship that differs."""

    row: ChangedLink
    before: LinkCard | None
    after: LinkCard | None

    @property
    def change(self) -> ChangeKind:
        """Whether it was added, removed or changed."""
        return self.row.change


@dataclass(frozen=True, slots=True)
class ModelChanges:
    """A page of elements, then of relationships, that differ; `last` is the row examined last, if more follow."""

    pair: StatePair
    elements: tuple[ElementChange, ...]
    links: tuple[LinkChange, ...]
    element_counts: ChangeCounts
    link_counts: ChangeCounts
    last: ChangedDocument | ChangedLink | None
    meta: ResponseMeta

    @property
    def rows(self) -> tuple[ChangedDocument | ChangedLink, ...]:
        """The rows of the changes, in order."""
        return (*(each.row for each in self.elements), *(each.row for each in self.links))


class ModelDiffService:
    """Compares the models of two states."""

    def __init__(self, pairs: StatePairs, changes: ChangeStore, reader: ModelReader) -> None:
        self._pairs = pairs
        self._changes = changes
        self._reader = reader

    async def models(self, caller: Caller, request: DiffRequest, model: str | None = None) -> ModelChanges:
        """A page of elements that differ and, after the last of them, of relationships; by source and id.

        Raises:
            UnknownCursor, InvalidArgument, ScopeViolation, BackendUnavailable.
        """
        if model is not None:
            await self._reader.require(caller, model, self._reader.scoping.apply(request.scope).project_id)
        request = of_models(request, model)
        pair, place = await self._pairs.open(caller, request)
        size = request.page_size
        in_links = place.kind == _LINKS
        elements, element_counts = await self._changes.documents(
            pair.allowed.ids,
            pair.moments,
            limit=1 if in_links else size + 1,
            after=None if in_links else place.key,
            doc_types=(ELEMENT,),
        )
        links, link_counts = await self._changes.links(
            pair.allowed.ids, pair.moments, limit=size + 1, after=place.key if in_links else None
        )
        if in_links:
            elements = []
        looked_at: list[ChangedDocument | ChangedLink] = [*elements, *links]
        last = looked_at[size - 1] if len(looked_at) > size else None
        kept = elements[:size], links[: max(0, size - len(elements))]
        old, new = self._opened(caller, pair, pair.before), self._opened(caller, pair, pair.after)
        parts, withheld_parts = await self._parts(old, new, kept[0])
        stated, withheld_links = await self._links(old, new, kept[1])
        total = element_counts.total + link_counts.total
        meta = pair.meta(caller, withheld_parts + withheld_links, total)
        return ModelChanges(pair, parts, stated, element_counts, link_counts, last, meta)

    async def cursor(
        self, caller: Caller, request: DiffRequest, model: str | None, page: ModelChanges, kept: int
    ) -> str | None:
        """The cursor after the first `kept` entries of a page; None at the end."""
        row = page.last if kept == len(page.rows) else page.rows[kept - 1]
        if row is None:
            return None
        kind = _LINKS if isinstance(row, ChangedLink) else _ELEMENTS
        return await self._pairs.cursor(caller, of_models(request, model), page.pair, kind, row.key)

    def _opened(self, caller: Caller, pair: StatePair, context: ResolvedContext) -> OpenModels:
        return OpenModels(self._reader, caller, replace(self._reader.scoping.project), pair.read_at(context), context)

    async def _parts(
        self, old: OpenModels, new: OpenModels, rows: Sequence[ChangedDocument]
    ) -> tuple[tuple[ElementChange, ...], int]:
        before, withheld_before = await self._part_cards(old, [row for row in rows if row.before is not None])
        after, withheld_after = await self._part_cards(new, [row for row in rows if row.after is not None])
        changes: list[ElementChange] = []
        for row in rows:
            cards = before.get((row.source_id, row.native_id)), after.get((row.source_id, row.native_id))
            if (cards[0] is None) is (row.before is None) and (cards[1] is None) is (row.after is None):
                changes.append(await self._with_places(row, *cards))
        return tuple(changes), min(max(withheld_before, withheld_after), len(rows) - len(changes))

    async def _part_cards(self, opened: OpenModels, rows: Sequence[ChangedDocument]) -> tuple[dict[_Id, PartCard], int]:
        ids = tuple(row.native_id for row in rows)
        if not ids:
            return {}, 0
        part_filter = PartFilter(ELEMENT, ids=ids)
        most = len(ids) * len(opened.allowed.sources)
        stored = await self._reader.models.parts(opened.allowed, opened.at, part_filter, limit=most)
        wanted_ids = {(row.source_id, row.native_id) for row in rows}
        shown = await opened.parts([part for part in stored if (part.source_id, part.native_id) in wanted_ids])
        return {(card.part.source_id, card.part.native_id): card for card in shown.cards}, shown.withheld

    async def _with_places(
        self, row: ChangedDocument, before: PartCard | None, after: PartCard | None
    ) -> ElementChange:
        if before is None or after is None:
            return ElementChange(row, before, after)
        bodies = [await self._reader.search.body(row.source_id, card.part.revision_id) for card in (before, after)]
        places, more = await asyncio.to_thread(changed_places, bodies[0] or "", bodies[1] or "")
        return ElementChange(row, before, after, places, more)

    async def _links(
        self, old: OpenModels, new: OpenModels, rows: Sequence[ChangedLink]
    ) -> tuple[tuple[LinkChange, ...], int]:
        before, withheld_before = await self._link_cards(old, [row for row in rows if row.change != "added"])
        after, withheld_after = await self._link_cards(new, [row for row in rows if row.change != "removed"])
        changes: list[LinkChange] = []
        for row in rows:
            cards = before.get((row.source_id, row.native_id)), after.get((row.source_id, row.native_id))
            if (cards[0] is None) is (row.change == "added") and (cards[1] is None) is (row.change == "removed"):
                changes.append(LinkChange(row, *cards))
        return tuple(changes), min(max(withheld_before, withheld_after), len(rows) - len(changes))

    async def _link_cards(self, opened: OpenModels, rows: Sequence[ChangedLink]) -> tuple[dict[_Id, LinkCard], int]:
        ids = tuple(row.native_id for row in rows)
        if not ids:
            return {}, 0
        most = len(ids) * _STATED_BY
        stored = await self._reader.models.links(opened.allowed, opened.at, LinkFilter(ids=ids), limit=most)
        wanted_ids = {(row.source_id, row.native_id) for row in rows}
        shown = await opened.links([link for link in stored if (link.source_id, link.native_id) in wanted_ids])
        return _by_id(shown.cards), shown.withheld


def of_models(request: DiffRequest, model: str | None) -> DiffRequest:
    """The request limited to models, or to one of them."""
    return replace(request, scope=replace(request.scope, kind=ARCHIMATE, source=model))


def _by_id(cards: Iterable[LinkCard]) -> dict[_Id, LinkCard]:
    found: dict[_Id, LinkCard] = {}
    for card in cards:
        found.setdefault((card.link.source_id, card.link.native_id), card)
    return found
