"""graph.paths: how nodes are connected."""

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from citemark.services.empty import no_path
from citemark.services.graph.requests import PathsRequest
from citemark.tools.graph.schemas import (
    Cursor,
    EdgeOut,
    GraphIn,
    NodeIds,
    NodeOut,
    PageSize,
    Types,
    edge_line,
    edge_out,
    node_line,
    node_out,
    numbers_of,
)
from citemark.tools.paged_replies import fitting
from citemark.tools.registry import ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schema import Strict
from citemark.tools.schemas_in import Within
from citemark.tools.schemas_out import ResponseMetaOut, count, meta_fields, nothing, with_remarks

if TYPE_CHECKING:
    from citemark.services.graph.responses import NodeCard, PathCard, PathPage
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


class PathOut(Strict):
    """A path: the nodes that it meets, and between each two the edge, by its place in `edges` (from 0)."""

    node_ids: list[str]
    edges: list[int]


class PathsOut(ResponseMetaOut):
    """Paths, the shortest first, and once each the nodes and edges that they are made of."""

    paths: list[PathOut]
    nodes: list[NodeOut] = Field(default_factory=list[NodeOut])
    edges: list[EdgeOut] = Field(default_factory=list[EdgeOut])
    total: int


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
    graph = call.services.graph
    page = await graph.paths(call.caller, request)
    page_meta = page.meta
    if not page.paths and asked.cursor is None:
        nothing_found = no_path(asked.max_hops, cut=page.meta.partial)
        page_meta = await call.services.catalog.explained(
            call.caller, request.graph_scope.scope, page.meta, nothing_found
        )

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        path_cards = page.paths[:kept]
        nodes, edges = page.parts_of(kept)
        edge_indices = {card.edge: index for index, card in enumerate(edges)}
        fields: dict[str, Any] = {
            "paths": [
                PathOut(
                    node_ids=[page.nodes[node].node_id for node in path.nodes],
                    edges=[edge_indices[card.edge] for card in path.edges],
                )
                for path in path_cards
            ],
            "nodes": [node_out(card, hops=False) for card in nodes],
            "edges": [edge_out(card) for card in edges],
            "total": page.total,
        }
        return ToolReply(PathsOut(**fields, **meta_fields(meta)), _text(page, path_cards, nodes, meta))

    return await fitting(
        call, page_meta, len(page.paths), build, lambda kept: graph.cursor(call.caller, request, page, kept)
    )


def _text(page: "PathPage", paths: "tuple[PathCard, ...]", nodes: "list[NodeCard]", meta: "ResponseMeta") -> str:
    numbers = numbers_of(nodes)
    lines = [f"{len(paths)} of {count(page.total, 'path')}" if paths else nothing(meta)]
    for card in nodes:
        lines += node_line(card, numbers[card.node], hops=False)
    written: set[str] = set()
    for number, path in enumerate(paths, start=1):
        lines += ["", f"Path {number}: {' '.join(f'({numbers[node]})' for node in path.nodes)}"]
        new = [line for card in path.edges if (line := edge_line(card, numbers)) not in written]
        written.update(new)
        lines += new
    return with_remarks(lines, meta)
