"""architecture.listElements, getElement and listRelationships."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from citemark.features.archimate.results.model_listings import (
    element_page_out,
    elements_out,
    relationships_out,
)
from citemark.features.archimate.results.model_parts import (
    bounded,
    headline,
    relationship_lines,
    render_parts,
)
from citemark.features.archimate.services.keys import MODEL_LISTING
from citemark.features.archimate.services.requests import LinkList, PartList, PartRef
from citemark.features.archimate.tools.schemas_in import (
    Cursor,
    Direction,
    ElementFilters,
    ElementFiltersIn,
    ModelIn,
    PageSize,
    RelationshipTypes,
)
from citemark.model.architecture import ELEMENT
from citemark.results.common_parts import count, document_of, nothing, with_remarks
from citemark.text.escaping import marked, one_line
from citemark.tools.paged_replies import fitting
from citemark.tools.registry import ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_in import Name

if TYPE_CHECKING:
    from citemark.services.responses import ResponseMeta


class ListElementsIn(ModelIn):
    """Arguments of listElements."""

    filters: ElementFilters = Field(default_factory=ElementFiltersIn)
    cursor: Cursor = None
    page_size: PageSize = 25


class GetElementIn(ModelIn):
    """Arguments of getElement."""

    element: Annotated[Name, Field(description="Id or name")]
    include_relationships: bool = True


async def list_elements(call: ToolCall, asked: ListElementsIn) -> ToolReply:
    """Return a page of elements, ordered by name."""
    request = PartList(asked.query_scope(), ELEMENT, asked.filters.value(), asked.page_size, asked.cursor)
    listing = call.services.get(MODEL_LISTING)
    page = await listing.parts(call.caller, request)

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        parts = page.parts[:kept]
        return ToolReply(elements_out(parts, page.total, meta), render_parts("element", parts, page.total, meta))

    return await fitting(
        call, page.meta, len(page.parts), build, lambda kept: listing.cursor(call.caller, request, page, kept)
    )


async def get_element(call: ToolCall, asked: GetElementIn) -> ToolReply:
    """Return one element with its relationships and views, as many as fit."""
    ref = PartRef(asked.query_scope(), ELEMENT, asked.element)
    page = await call.services.get(MODEL_LISTING).element(call.caller, ref, relationships=asked.include_relationships)

    text, cut = bounded(page.text)
    page_meta = replace(page.meta, partial=True, limit_reason="byte_cap") if cut else page.meta

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        links = page.links[:kept]
        views = page.views[: max(0, kept - len(page.links))]
        out = element_page_out(page.card, text, links, views, meta)
        lines = [f"Element: {headline(page.card.part)}", *marked(text), f"[{document_of([page.card.citation])}]"]
        if links:
            lines += ["", "Relationships:", *relationship_lines(links)]
        if views:
            lines += ["", f"Shown in: {', '.join(one_line(card.part.name) for card in views)}"]
        return ToolReply(out, with_remarks(lines, meta, cut=meta.limit_reason == "byte_cap"))

    async def no_cursor(_: int) -> None:
        return None

    rows = len(page.links) + len(page.views)
    return await fitting(call, page_meta, rows, build, no_cursor, least=0)


class ListRelationshipsIn(ModelIn):
    """Arguments of listRelationships."""

    element: Annotated[Name | None, Field(description="Id or name")] = None
    direction: Direction = "both"
    type: Annotated[RelationshipTypes, Field(description="Serving ...")] = Field(default_factory=tuple)
    cursor: Cursor = None
    page_size: PageSize = 25


async def list_relationships(call: ToolCall, asked: ListRelationshipsIn) -> ToolReply:
    """Return a page of relationships, ordered by type."""
    request = LinkList(
        query_scope=asked.query_scope(),
        element=asked.element,
        types=asked.type,
        outgoing=asked.direction != "incoming",
        incoming=asked.direction != "outgoing",
        page_size=asked.page_size,
        cursor=asked.cursor,
    )
    listing = call.services.get(MODEL_LISTING)
    page = await listing.links(call.caller, request)
    of = "" if page.of is None else f" of {headline(page.of.part)}"

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        links = page.links[:kept]
        out = relationships_out(links, meta)
        head = f"{count(len(links), 'relationship')}{of}"
        lines = relationship_lines(links) or [nothing(meta)]
        return ToolReply(out, with_remarks([head, *lines], meta))

    return await fitting(
        call, page.meta, len(page.links), build, lambda kept: listing.cursor(call.caller, request, page, kept)
    )
