"""Why a graph tool has nothing to show."""

from dataclasses import replace
from typing import TYPE_CHECKING

from citemark.model.scope import RequestScope
from citemark.services.empty import EmptyResult
from citemark.tools.registry import ToolCall

if TYPE_CHECKING:
    from citemark.services.responses import ResponseMeta


async def explained(call: ToolCall, scope: RequestScope, meta: "ResponseMeta", nothing: EmptyResult) -> "ResponseMeta":
    """The metadata of a result without rows, with the reason; `nothing` if all sources of the scope could be read."""
    catalog = call.services.catalog
    empty = await catalog.explain_absence(call.caller, scope, nothing, meta.withheld_unverified)
    return replace(meta, empty=empty)
