"""architecture.getView: one view with what it shows, or the list of views."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from citemark.features.archimate.results.model_listings import view_page_out, views_out
from citemark.features.archimate.results.model_parts import (
    bounded,
    headline,
    relationship_lines,
    render_parts,
)
from citemark.features.archimate.services.keys import MODEL_LISTING
from citemark.features.archimate.services.requests import PartList, PartRef, ViewRequest
from citemark.features.archimate.tools.schemas_in import Cursor, ModelIn, PageSize
from citemark.model.architecture import VIEW
from citemark.results.common_parts import document_of, with_remarks
from citemark.text.escaping import marked
from citemark.tools.paged_replies import fitting
from citemark.tools.registry import ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_in import Name

if TYPE_CHECKING:
    from citemark.services.responses import ResponseMeta


class GetViewIn(ModelIn):
    """Arguments of getView."""

    view: Annotated[Name | None, Field(description="Id or name")] = None
    cursor: Cursor = None
    page_size: PageSize = 50


async def get_view(call: ToolCall, asked: GetViewIn) -> ToolReply:
    """Return a page of what a view shows; if no view is named, a page of views."""
    query_scope = asked.query_scope()
    if asked.view is None:
        return await _all(call, PartList(query_scope, VIEW, (), asked.page_size, asked.cursor))
    request = ViewRequest(PartRef(query_scope, VIEW, asked.view), asked.page_size, asked.cursor)
    listing = call.services.get(MODEL_LISTING)
    page = await listing.view(call.caller, request)

    text, cut = bounded(page.text)
    page_meta = replace(page.meta, partial=True, limit_reason="byte_cap") if cut else page.meta

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        parts = page.elements[:kept]
        links = page.links[: max(0, kept - len(page.elements))]
        out = view_page_out(page, text, parts, links, meta)
        lines = [f"View: {headline(page.card.part)}", *marked(text), f"[{document_of([page.card.citation])}]"]
        lines += ["", "Elements:", *(f"- {headline(card.part)}" for card in parts)] if parts else []
        lines += ["", "Relationships:", *relationship_lines(links)] if links else []
        return ToolReply(out, with_remarks(lines, meta))

    rows = len(page.elements) + len(page.links)
    return await fitting(call, page_meta, rows, build, lambda kept: listing.cursor(call.caller, request, page, kept))


async def _all(call: ToolCall, request: PartList) -> ToolReply:
    listing = call.services.get(MODEL_LISTING)
    page = await listing.parts(call.caller, request)

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        views = page.parts[:kept]
        return ToolReply(views_out(views, page.total, meta), render_parts("view", views, page.total, meta))

    return await fitting(
        call, page.meta, len(page.parts), build, lambda kept: listing.cursor(call.caller, request, page, kept)
    )
