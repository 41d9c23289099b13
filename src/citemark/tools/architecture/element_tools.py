"""architecture.listElements, getElement and listRelationships."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from citemark.model.architecture import ELEMENT
from citemark.services.architecture.requests import LinkList, PartList, PartRef
from citemark.text.escaping import marked, one_line
from citemark.tools.architecture.model_lines import bounded, headline, relationship_lines, render_parts
from citemark.tools.architecture.schemas_in import (
    Cursor,
    Direction,
    ElementFilters,
    ElementFiltersIn,
    ModelIn,
    PageSize,
    RelationshipTypes,
)
from citemark.tools.architecture.schemas_out import (
    ElementOut,
    ModelOut,
    RelationshipOut,
    ViewOut,
    element_fields,
    element_out,
    relationship_out,
    view_out,
)
from citemark.tools.paged_replies import fitting
from citemark.tools.registry import ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_in import Name
from citemark.tools.schemas_out import count, document_of, meta_fields, nothing, with_remarks

if TYPE_CHECKING:
    from citemark.services.responses import ResponseMeta


class ListElementsIn(ModelIn):
    """Arguments of listElements."""

    filters: ElementFilters = Field(default_factory=ElementFiltersIn)
    cursor: Cursor = None
    page_size: PageSize = 25


class ListElementsOut(ModelOut):
    """Result of listElements."""

    elements: list[ElementOut]
    total: int


class GetElementIn(ModelIn):
    """Arguments of getElement."""

    element: Annotated[Name, Field(description="Its id, or its name.")]
    include_relationships: bool = True


class GetElementOut(ModelOut):
    """Result of getElement."""

    element: ElementOut
    text: str
    relationships: list[RelationshipOut]
    views: list[ViewOut]


async def list_elements(call: ToolCall, asked: ListElementsIn) -> ToolReply:
    """Return a page of elements, ordered by name."""
    request = PartList(asked.query_scope(), ELEMENT, asked.filters.value(), asked.page_size, asked.cursor)
    listing = call.services.model_listing
    page = await listing.parts(call.caller, request)

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        parts = page.parts[:kept]
        out = ListElementsOut(elements=[element_out(card) for card in parts], total=page.total, **meta_fields(meta))
        return ToolReply(out, render_parts("element", parts, page.total, meta))

    return await fitting(
        call, page.meta, len(page.parts), build, lambda kept: listing.cursor(call.caller, request, page, kept)
    )


async def get_element(call: ToolCall, asked: GetElementIn) -> ToolReply:
    """Return one element with its relationships and views, as many as fit."""
    ref = PartRef(asked.query_scope(), ELEMENT, asked.element)
    page = await call.services.model_listing.element(call.caller, ref, relationships=asked.include_relationships)

    text, cut = bounded(page.text)
    page_meta = replace(page.meta, partial=True, limit_reason="byte_cap") if cut else page.meta

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        links = page.links[:kept]
        views = page.views[: max(0, kept - len(page.links))]
        out = GetElementOut(
            element=ElementOut(**element_fields(page.card.part, page.card.citation)),
            text=text,
            relationships=[relationship_out(card) for card in links],
            views=[view_out(card) for card in views],
            **meta_fields(meta),
        )
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

    element: Annotated[Name | None, Field(description="Id or name. Omitted: of all elements.")] = None
    direction: Direction = "both"
    type: Annotated[RelationshipTypes, Field(description="Such as Serving.")] = Field(default_factory=tuple)
    cursor: Cursor = None
    page_size: PageSize = 25


class ListRelationshipsOut(ModelOut):
    """Result of listRelationships."""

    relationships: list[RelationshipOut]


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
    listing = call.services.model_listing
    page = await listing.links(call.caller, request)
    of = "" if page.of is None else f" of {headline(page.of.part)}"

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        links = page.links[:kept]
        out = ListRelationshipsOut(relationships=[relationship_out(card) for card in links], **meta_fields(meta))
        head = f"{count(len(links), 'relationship')}{of}"
        lines = relationship_lines(links) or [nothing(meta)]
        return ToolReply(out, with_remarks([head, *lines], meta))

    return await fitting(
        call, page.meta, len(page.links), build, lambda kept: listing.cursor(call.caller, request, page, kept)
    )
