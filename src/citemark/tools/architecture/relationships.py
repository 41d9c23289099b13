"""listRelationships."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from citemark.evidence.architecture.requests import LinkList
from citemark.tools.architecture.answering import ModelOut, RelationshipOut, fitting, relationship_out
from citemark.tools.architecture.asking import Cursor, Direction, ModelIn, PageSize, RelationshipTypes
from citemark.tools.architecture.rendering import headline, relationship_lines
from citemark.tools.registry import Call
from citemark.tools.render import count, remarks
from citemark.tools.reply import Reply
from citemark.tools.response_meta import meta_fields
from citemark.tools.values import Name

if TYPE_CHECKING:
    from citemark.evidence.results import ResponseMeta


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


async def list_relationships(call: Call, asked: ListRelationshipsIn) -> Reply:
    """A page of relationships by type."""
    request = LinkList(
        query_scope=asked.query_scope(),
        element=asked.element,
        types=asked.type,
        outgoing=asked.direction != "incoming",
        incoming=asked.direction != "outgoing",
        page_size=asked.page_size,
        cursor=asked.cursor,
    )
    listing = call.desk.architecture.listing
    page = await listing.links(call.caller, request)
    of = "" if page.of is None else f" of {headline(page.of.part)}"

    def build(kept: int, meta: "ResponseMeta") -> Reply:
        links = page.links[:kept]
        out = ListRelationshipsOut(relationships=[relationship_out(card) for card in links], **meta_fields(meta))
        head = f"{count(len(links), 'relationship')}{of}"
        return Reply(out, "\n".join([head, *relationship_lines(links), *remarks(meta)]))

    return await fitting(
        call, page.meta, len(page.links), build, lambda kept: listing.cursor(call.caller, request, page, kept)
    )
