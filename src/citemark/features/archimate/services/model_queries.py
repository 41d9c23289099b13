"""Queries over what a model states: its elements, one element, its relationships, its views."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b
from typing import Any

from citemark.features.archimate.services.requests import ElementSearch, LinkList, PartList, PartRef, ViewRequest
from citemark.features.archimate.services.responses import (
    ElementPage,
    LinkCard,
    LinkPage,
    PartCard,
    PartPage,
    ViewPage,
)
from citemark.features.archimate.services.visible_models import ModelReader, OpenModels, fill
from citemark.model.architecture import ELEMENT, VIEW, LinkFilter, LinkKey, PartFilter, PartKey, StoredLink, StoredPart
from citemark.model.candidates import StoredChunk
from citemark.model.errors import BackendUnavailable, InvalidArgument, UnknownCursor
from citemark.model.ids import SourceId
from citemark.model.layouts import Layout, layout_of
from citemark.services.empty import no_part, no_relationship
from citemark.services.handles import Handles
from citemark.services.requests import Caller

ListingRequest = ElementSearch | PartList | LinkList | ViewRequest


def digest_of(request: ListingRequest) -> str:
    """A digest that is equal for the same question, whatever the page size and the cursor."""
    question = repr(replace(request, cursor=None, page_size=0))
    return blake2b(question.encode(), digest_size=16, person=b"model-list").hexdigest()


class Cursors:
    """Mints and reads the cursors of lists that are read from the model again, in the state of their first page."""

    def __init__(self, handles: Handles) -> None:
        self._handles = handles

    async def keep(self, caller: Caller, request: ListingRequest, at: datetime, after: Sequence[str | int]) -> str:
        """A cursor for what follows the key `after`, whose last part is a source id, in the state of `at`."""
        state = {"at": at.isoformat(), "after": json.dumps(list(after))}
        return await self._handles.keep_place(caller, digest_of(request), SourceId(int(after[-1])), state)

    async def find(self, caller: Caller, request: ListingRequest) -> tuple[datetime | None, Any]:
        """The moment and the key in the request's cursor; neither if there is no cursor.

        Raises:
            UnknownCursor: it is malformed, expired, or of another caller or question.
        """
        if request.cursor is None:
            return None, None
        state = await self._handles.place(caller, digest_of(request), request.cursor)
        try:
            return datetime.fromisoformat(state["at"]), tuple(json.loads(state["after"]))
        except (KeyError, TypeError, ValueError):
            raise UnknownCursor from None


_LINKS_OF_ELEMENT = 100
"""The most relationships on the page of an element, since a hub has thousands."""

_VIEWS_OF_ELEMENT = 50
"""The most views that are listed as showing an element."""

_MORE_VIEWS = (
    f"more views show this element than the {_VIEWS_OF_ELEMENT} listed; "
    "architecture_getView without view lists all views"
)
_MORE_LINKS = (
    f"the element has more than {_LINKS_OF_ELEMENT} relationships; architecture_listRelationships with this element "
    "lists all of them"
)

_SUGGESTED = 5
"""The most names suggested if one is unknown."""


class ModelListingService:
    """Answers structured questions; everything shown is vouched for by its source at the moment of the question."""

    def __init__(self, reader: ModelReader, cursors: Cursors) -> None:
        self._reader = reader
        self._cursors = cursors

    async def parts(self, caller: Caller, request: PartList) -> PartPage:
        """One page of elements or views, by name.

        Raises:
            UnknownCursor, InvalidArgument, ScopeViolation, BackendUnavailable.
        """
        at, after = await self._cursors.find(caller, request)
        opened = await self._reader.read(caller, request.query_scope, at, request.metadata)
        part_filter = PartFilter(request.doc_type, opened.metadata)

        async def fetch(key: PartKey | None, limit: int) -> list[StoredPart]:
            return await self._reader.models.parts(opened.allowed, opened.at, part_filter, limit=limit, after=key)

        shown = await fill(fetch, opened.parts, request.page_size, after)
        total = await self._reader.models.count(opened.allowed, opened.at, part_filter)
        empty = None
        if not shown.cards and request.cursor is None:
            nothing = no_part(_noun(request.doc_type), filtered=bool(request.metadata))
            empty = await opened.explain_absence(nothing, shown.withheld)
        return PartPage(shown.cards, total, shown.last, opened.meta(withheld=shown.withheld, empty=empty))

    async def links(self, caller: Caller, request: LinkList) -> LinkPage:
        """One page of relationships, by type and id.

        Raises:
            UnknownCursor, InvalidArgument, ScopeViolation, BackendUnavailable.
        """
        at, after = await self._cursors.find(caller, request)
        opened = await self._reader.read(caller, request.query_scope, at)
        element: PartCard | None = None
        link_filter = LinkFilter(types=request.types, outgoing=request.outgoing, incoming=request.incoming)
        if request.element is not None:
            element = await self._one(opened, PartRef(request.query_scope, ELEMENT, request.element, request.source))
            link_filter = replace(link_filter, part=(element.part.source_id, element.part.native_id))

        async def fetch(key: LinkKey | None, limit: int) -> list[StoredLink]:
            return await self._reader.models.links(opened.allowed, opened.at, link_filter, limit=limit, after=key)

        shown = await fill(fetch, opened.links, request.page_size, after)
        empty = None
        if not shown.cards and request.cursor is None:
            nothing = no_relationship(filtered=link_filter != LinkFilter())
            empty = await opened.explain_absence(nothing, shown.withheld)
        return LinkPage(shown.cards, shown.last, opened.meta(withheld=shown.withheld, empty=empty), element)

    async def element(self, caller: Caller, ref: PartRef, *, relationships: bool) -> ElementPage:
        """One element with its text, the first views that show it and, if requested, its first relationships.

        Raises:
            InvalidArgument: no element has this id or name, or several do.
            ScopeViolation, BackendUnavailable.
        """
        opened = await self._reader.read(caller, ref.query_scope)
        card = await self._one(opened, ref)
        text, withheld = await self._text(opened, card)
        links: Sequence[LinkCard] = ()
        more_links = False
        if relationships:
            link_filter = LinkFilter(part=(card.part.source_id, card.part.native_id))
            rows = await self._reader.models.links(opened.allowed, opened.at, link_filter, limit=_LINKS_OF_ELEMENT + 1)
            more_links = len(rows) > _LINKS_OF_ELEMENT
            shown = await opened.links(rows[:_LINKS_OF_ELEMENT])
            links, withheld = shown.cards, withheld + shown.withheld
        showing = await self._reader.models.showing(opened.allowed, opened.at, card.part, limit=_VIEWS_OF_ELEMENT + 1)
        more_views = len(showing) > _VIEWS_OF_ELEMENT
        views = await opened.parts(showing[:_VIEWS_OF_ELEMENT])
        meta = opened.meta(
            withheld=withheld + views.withheld,
            reason="page_size" if more_links or more_views else "none",
            notes=((_MORE_LINKS,) if more_links else ()) + ((_MORE_VIEWS,) if more_views else ()),
        )
        return ElementPage(card, text, tuple(links), more_links, views.cards, meta)

    async def view(self, caller: Caller, request: ViewRequest) -> ViewPage:
        """One view and a page of what it shows: its elements in the order of the drawing, then its relationships.

        Raises:
            InvalidArgument: no view has this id or name, or several do.
            UnknownCursor, ScopeViolation, BackendUnavailable.
        """
        at, after = await self._cursors.find(caller, request)
        opened = await self._reader.read(caller, request.ref.query_scope, at)
        card = await self._one(opened, request.ref)
        text, withheld = await self._text(opened, card)
        layout = layout_of(await self._reader.models.layout(opened.allowed, card.part) if text else "")
        parts, links = await self._shown_in(opened, card.part, layout)
        total = len(parts) + len(links)
        start = 0 if after is None else int(after[0])
        end = min(start + request.page_size, total)
        some_parts = await opened.parts(parts[start:end])
        some_links = await opened.links(links[max(0, start - len(parts)) : max(0, end - len(parts))])
        shown = [*(each.part for each in some_parts.cards), *(each.link for each in some_links.cards)]
        order = {id(row): position for position, row in enumerate([*parts, *links], start=1)}
        return ViewPage(
            card=card,
            text=text,
            layout=layout,
            elements=some_parts.cards,
            links=some_links.cards,
            places=tuple(order[id(row)] for row in shown),
            end=end,
            total=total,
            meta=opened.meta(withheld=withheld + some_parts.withheld + some_links.withheld),
        )

    async def cursor(
        self, caller: Caller, request: ListingRequest, page: PartPage | LinkPage | ViewPage, kept: int
    ) -> str | None:
        """The cursor for what follows the first `kept` rows of a page; None at the end of the list."""
        key = page.after(kept)
        if key is None:
            return None
        return await self._cursors.keep(caller, request, page.meta.read_context.moment, key)

    async def _shown_in(
        self, opened: OpenModels, view: StoredPart, layout: Layout
    ) -> tuple[list[StoredPart], list[StoredLink]]:
        """The elements and relationships of a layout, each once, in its order."""
        models = self._reader.models
        ids = dict.fromkeys(node.refers_to for node in layout.nodes if node.kind == "element" and node.refers_to)
        lines = dict.fromkeys(line.relationship_id for line in layout.connections if line.relationship_id)
        parts: dict[str, StoredPart] = {}
        links: dict[str, StoredLink] = {}
        if ids:
            found = await models.parts(opened.allowed, opened.at, PartFilter(ids=tuple(ids)), limit=10 * len(ids))
            parts = {part.native_id: part for part in found if part.source_id == view.source_id}
        if lines:
            stated = await models.links(opened.allowed, opened.at, LinkFilter(ids=tuple(lines)), limit=10 * len(lines))
            links = {link.native_id: link for link in stated if link.source_id == view.source_id}
        return [parts[each] for each in ids if each in parts], [links[each] for each in lines if each in links]

    async def _one(self, opened: OpenModels, ref: PartRef) -> PartCard:
        """The one part that a reference means: the one with this id, or else with this name.

        Raises:
            InvalidArgument: there is no such part, or several; the message lists candidates.
            BackendUnavailable: its source cannot confirm it now.
        """
        noun = _noun(ref.doc_type)
        part_filter = PartFilter(ref.doc_type, ids=(ref.wanted,), names=(ref.wanted,))
        rows = await self._reader.models.parts(opened.allowed, opened.at, part_filter, limit=50)
        if ref.source is not None:
            rows = [row for row in rows if _source_of(opened, row) == ref.source]
        rows = [row for row in rows if row.native_id == ref.wanted] or rows
        rows = [
            row for row in rows if row.name.lower() == ref.wanted.lower()
        ] or rows  # before names in other languages
        if not rows:
            raise InvalidArgument(
                f"There is no {noun} {ref.wanted[:80]!r} by id or name{opened.allowed.reading.so_far}"
                f"{await self._near(opened, ref)}.",
                wanted=ref.wanted[:80],
            )
        if len(rows) > 1:
            named = [f"{row.native_id} ({row.type or noun} in {_source_of(opened, row)})" for row in rows[:10]]
            raise InvalidArgument(
                f"Several have the name {ref.wanted[:80]!r}: {', '.join(named)}. Give the id of one, "
                "and its source where ids repeat.",
                wanted=ref.wanted[:80],
            )
        shown = await opened.parts(rows)
        if not shown.cards:
            if shown.withheld:
                raise BackendUnavailable(f"The {noun}'s source cannot confirm it right now; try again in a moment.")
            raise InvalidArgument(f"There is no {noun} {ref.wanted[:80]!r} any more.", wanted=ref.wanted[:80])
        return shown.cards[0]

    async def _near(self, opened: OpenModels, ref: PartRef) -> str:
        """The end of a message about an unknown name: names that contain it, or its first word."""
        words = ref.wanted.split()
        for text in dict.fromkeys((ref.wanted, *words[:1])):
            part_filter = PartFilter(ref.doc_type)
            found = await self._reader.models.named(opened.allowed, opened.at, text, part_filter, limit=_SUGGESTED)
            chunks = await opened.chunks(chunk_id for _, _, chunk_id in found)
            names = [f"{chunk.title!r} ({chunk.native_id})" for chunk, verdict in chunks.values() if verdict.shown]
            if names:
                return f"; near it are {', '.join(sorted(names))}"
        return "; search for it by words"

    async def _text(self, opened: OpenModels, card: PartCard) -> tuple[str, int]:
        """The whole text of a part, verified as a whole, and 0; "" and 1 withheld, if its source has another text."""
        part = card.part
        chunks = await self._reader.search.read(opened.allowed, [part.chunk_id])
        body = await self._reader.search.body(part.source_id, part.revision_id)
        chunk = chunks.get(part.chunk_id)
        if chunk is None or body is None:  # pragma: no cover - the model was indexed anew after the part was shown
            return "", 1
        whole: StoredChunk = replace(chunk, text=body)
        access = await self._reader.pipeline.access(opened.caller.principal, opened.allowed, [whole])
        return (body, 0) if access[whole.chunk_id].shown else ("", 1)


def _noun(doc_type: str) -> str:
    return "view" if doc_type == VIEW else "element"


def _source_of(opened: OpenModels, row: StoredPart) -> str:
    source = opened.allowed.source(row.source_id)
    return source.name if source is not None else ""
