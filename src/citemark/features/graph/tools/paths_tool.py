"""graph.paths: how nodes are connected."""

from typing import TYPE_CHECKING, Annotated

from citemark.features.graph.results.graph_nodes import (
    paths_out,
    paths_text,
)
from citemark.features.graph.services.keys import EXPLORATION
from citemark.features.graph.services.requests import PathsRequest
from citemark.features.graph.tools.schemas import Cursor, GraphIn, NodeIds, PageSize, Types
from citemark.services.empty import no_path
from citemark.tools.paged_replies import fitting
from citemark.tools.registry import ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_in import Within

if TYPE_CHECKING:
    from citemark.services.responses import ResponseMeta


class PathsIn(GraphIn):
    """Arguments of graph.paths."""

    from_ids: NodeIds
    to_ids: NodeIds
    rel_types: Types = ()
    max_hops: Annotated[int, Within(1, 5)] = 3
    max_paths: Annotated[int, Within(1, 50)] = 10
    cursor: Cursor = None
    page_size: PageSize = 25


async def paths(call: ToolCall, asked: PathsIn) -> ToolReply:
    """List the paths between nodes, as many as fit."""
    request = PathsRequest(
        asked.from_ids,
        asked.to_ids,
        asked.graph_scope(),
        asked.rel_types,
        asked.max_hops,
        asked.max_paths,
        asked.page_size,
        asked.cursor,
    )
    graph = call.services.get(EXPLORATION)
    page = await graph.paths(call.caller, request)
    page_meta = page.meta
    if not page.paths and asked.cursor is None:
        nothing_found = no_path(asked.max_hops, cut=page.meta.partial)
        page_meta = await call.services.catalog.explained(
            call.caller, request.graph_scope.scope, page.meta, nothing_found
        )

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        nodes, _ = page.parts_of(kept)
        return ToolReply(paths_out(page, meta, kept), paths_text(page, page.paths[:kept], nodes, meta))

    return await fitting(
        call, page_meta, len(page.paths), build, lambda kept: graph.cursor(call.caller, request, page, kept)
    )
