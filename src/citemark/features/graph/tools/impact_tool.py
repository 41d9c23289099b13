"""graph.impact: what a change of an element or page touches, and what mentions any of that."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from citemark.features.graph.results.affected import impact_out, impact_text
from citemark.features.graph.services.keys import IMPACT
from citemark.features.graph.services.requests import ImpactRequest
from citemark.features.graph.tools.schemas import GraphIn, Hops
from citemark.features.graph.walks.expansion import MOST_HOPS
from citemark.tools.paged_replies import fitting
from citemark.tools.registry import ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_in import Name

if TYPE_CHECKING:
    from citemark.services.responses import ResponseMeta


class ImpactIn(GraphIn):
    """Arguments of graph.impact."""

    changed: Annotated[Name, Field(description="Name or id of an element, or a node_id")]
    model: Name | None = None
    # Accepted but not listed: its default is its cap.
    max_hops: SkipJsonSchema[Hops] = MOST_HOPS


async def impact(call: ToolCall, asked: ImpactIn) -> ToolReply:
    """List what depends on one thing, and what mentions any of that, as many as fit."""
    limits = asked.graph_scope()
    request = ImpactRequest(asked.changed, asked.model, limits.scope, limits.read_context, asked.max_hops)
    found = await call.services.get(IMPACT).of(call.caller, request)

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        return ToolReply(impact_out(found, meta, kept), impact_text(found, meta, kept))

    async def no_cursor(_: int) -> None:
        return None

    rows = len(found.dependents) + len(found.mentions)
    return await fitting(call, found.meta, rows, build, no_cursor, least=0)
