"""The graph tools under the names of an older server: unknown ids are reported instead of refused."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from citemark.features.graph.results.graph_nodes import (
    EdgeOut,
    NodeOut,
    edge_lines,
    edge_out,
    node_line,
    node_out,
    nodes_text,
    numbers_of,
)
from citemark.features.graph.services.keys import EXPLORATION
from citemark.features.graph.services.requests import Direction, GraphScope, NodesRequest, PathsRequest, Relation
from citemark.features.graph.tools.legacy.shapes import LegacyOut, frame
from citemark.features.graph.tools.schemas import Cursor, Hops, Ids, PageSize, PerNode, Types
from citemark.results.common_parts import MAX_TITLE_CHARS, count, nothing, short, with_remarks
from citemark.results.shape import Strict
from citemark.services.empty import no_path, nothing_known, nothing_related
from citemark.tools.paged_replies import fitting
from citemark.tools.registry import ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_in import Name, Within

if TYPE_CHECKING:
    from citemark.services.responses import ResponseMeta


_ONE_PAGE = 100
"""Nodes in the only page of a tool without a cursor: as many as any list has."""

_NO_PAGES = (
    "there is more, and this older tool has no pages; ask for fewer ids, or call the graph tool that replaces it"
)


class DescribeIn(Strict):
    """Arguments of describe_nodes; `fields` are those of a node that are wanted, all without any."""

    node_ids: Ids
    fields: Types = ()


class ExpandIn(Strict):
    """Arguments of expand_neighbors."""

    node_ids: Ids
    rel_types: Types = ()
    direction: Direction = "both"
    max_hops: Hops = 1
    include_snippet: bool = False
    cursor: Cursor = None
    page_size: PageSize = 25


class PathsBetweenIn(Strict):
    """Arguments of get_paths_between."""

    a_ids: Ids
    b_ids: Ids
    rel_types: Types = ()
    max_hops: Annotated[int, Within(1, 5)] = 3
    max_paths: Annotated[int, Within(1, 50)] = 10
    cursor: Cursor = None


class ChildrenIn(Strict):
    """Arguments of list_children."""

    parent_id: Name
    cursor: Cursor = None
    page_size: PageSize = 50


class ParentsIn(Strict):
    """Arguments of list_parents."""

    section_ids: Ids


class EntitiesIn(Strict):
    """Arguments of get_entities_for_sections; `labels` are the kinds of entities that are wanted."""

    section_ids: Ids
    labels: Types = ()
    max_per_section: PerNode = 20


class SectionsIn(Strict):
    """Arguments of get_sections_for_entities."""

    entity_ids: Ids
    max_per: PerNode = 20


class NodesOut(LegacyOut):
    """Nodes, and the edges between them."""

    nodes: list[dict[str, Any]]
    edges: list[EdgeOut]
    total: int


class PathsOut(LegacyOut):
    """Paths as lists of node ids, and once each the nodes and edges that they are made of."""

    paths: list[list[str]]
    nodes: list[NodeOut]
    edges: list[EdgeOut]


async def describe_nodes(call: ToolCall, asked: DescribeIn) -> ToolReply:
    """Describe nodes."""
    request = NodesRequest(asked.node_ids, max_hops=0, page_size=len(asked.node_ids))
    return await _nodes(call, request, asked.fields, paged=False)


async def expand_neighbors(call: ToolCall, asked: ExpandIn) -> ToolReply:
    """List the nodes that are related to the given ones."""
    request = NodesRequest(
        asked.node_ids,
        rel_types=asked.rel_types,
        direction=asked.direction,
        max_hops=asked.max_hops,
        include_snippet=asked.include_snippet,
        page_size=asked.page_size,
        cursor=asked.cursor,
    )
    return await _nodes(call, request)


async def list_children(call: ToolCall, asked: ChildrenIn) -> ToolReply:
    """List what a node contains."""
    request = NodesRequest(
        (asked.parent_id,), relation=Relation.CHILDREN, page_size=asked.page_size, cursor=asked.cursor
    )
    return await _nodes(call, request)


async def list_parents(call: ToolCall, asked: ParentsIn) -> ToolReply:
    """List what contains the given sections."""
    request = NodesRequest(asked.section_ids, relation=Relation.PARENTS, page_size=_ONE_PAGE)
    return await _nodes(call, request, paged=False)


async def get_entities_for_sections(call: ToolCall, asked: EntitiesIn) -> ToolReply:
    """List the entities that sections mention."""
    request = NodesRequest(
        asked.section_ids,
        relation=Relation.ENTITIES,
        kinds=asked.labels,
        per_node=asked.max_per_section,
        page_size=_ONE_PAGE,
    )
    return await _nodes(call, request, paged=False)


async def get_sections_for_entities(call: ToolCall, asked: SectionsIn) -> ToolReply:
    """List the sections that mention entities."""
    request = NodesRequest(asked.entity_ids, relation=Relation.SECTIONS, per_node=asked.max_per, page_size=_ONE_PAGE)
    return await _nodes(call, request, paged=False)


async def _nodes(
    call: ToolCall, request: NodesRequest, fields: tuple[str, ...] = (), *, paged: bool = True
) -> ToolReply:
    """A reply with nodes, or with those that are known among the given ones; without `paged`, it has no cursor."""
    graph = call.services.get(EXPLORATION)
    known, unknown = await graph.known(call.caller, GraphScope(), request.node_ids)
    if not known:
        meta = await _unknown_meta(call)
        return ToolReply(
            NodesOut(nodes=[], edges=[], total=0, **frame(meta, _short(unknown))), _empty_text(unknown, meta)
        )
    request = replace(request, node_ids=known)
    page = await graph.nodes(call.caller, request)
    whole = page.meta
    if not page.nodes and request.cursor is None:
        whole = await call.services.catalog.explained(call.caller, request.graph_scope.scope, whole, nothing_related())
    if not paged and page.next_place is not None:
        whole = replace(whole, partial=True, limit_reason="page_size")

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        if not paged and meta.partial:
            meta = replace(meta, notes=(*meta.notes, _NO_PAGES))
        edges = page.edges_of(kept)
        out = NodesOut(
            nodes=[_chosen(node_out(card), fields) for card in page.nodes[:kept]],
            edges=[edge_out(card) for card in edges],
            total=page.total,
            **frame(meta, _short(unknown)),
        )
        return ToolReply(out, nodes_text(page, kept, meta, _not_found_lines(unknown)))

    async def cursor(kept: int) -> str | None:
        return await graph.cursor(call.caller, request, page, kept) if paged else None

    return await fitting(call, whole, len(page.nodes), build, cursor)


async def get_paths_between(call: ToolCall, asked: PathsBetweenIn) -> ToolReply:
    """List the paths between nodes."""
    graph = call.services.get(EXPLORATION)
    starts, no_starts = await graph.known(call.caller, GraphScope(), asked.a_ids)
    ends, no_ends = await graph.known(call.caller, GraphScope(), asked.b_ids)
    unknown = (*no_starts, *no_ends)
    if not starts or not ends:
        meta = await _unknown_meta(call)
        return ToolReply(
            PathsOut(paths=[], nodes=[], edges=[], **frame(meta, _short(unknown))), _empty_text(unknown, meta)
        )
    request = PathsRequest(
        starts, ends, GraphScope(), asked.rel_types, asked.max_hops, asked.max_paths, cursor=asked.cursor
    )
    page = await graph.paths(call.caller, request)
    page_meta = page.meta
    if not page.paths and asked.cursor is None:
        nothing_found = no_path(asked.max_hops, cut=page.meta.partial)
        page_meta = await call.services.catalog.explained(
            call.caller, request.graph_scope.scope, page.meta, nothing_found
        )

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        paths = page.paths[:kept]
        nodes, edges = page.parts_of(kept)
        numbers = numbers_of(nodes)
        lines = [f"{count(len(paths), 'path')}" if paths else nothing(meta), *_not_found_lines(unknown)]
        for card in nodes:
            lines += node_line(card, numbers[card.node], hops=False)
        lines += [" -> ".join(f"({numbers[node]})" for node in path.nodes) for path in paths]
        out = PathsOut(
            paths=[[page.nodes[node].node_id for node in path.nodes] for path in paths],
            nodes=[node_out(card, hops=False) for card in nodes],
            edges=[edge_out(card) for card in edges],
            **frame(meta, _short(unknown)),
        )
        return ToolReply(out, with_remarks([*lines, *edge_lines(edges, numbers)], meta))

    return await fitting(
        call, page_meta, len(page.paths), build, lambda kept: graph.cursor(call.caller, request, page, kept)
    )


def _chosen(node: NodeOut, fields: tuple[str, ...]) -> dict[str, Any]:
    """A node with the requested fields, or all fields if none were requested; its id is always included."""
    values = node.model_dump(mode="json", exclude_unset=True)
    return {name: value for name, value in values.items() if not fields or name in ("node_id", *fields)}


def _short(unknown: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(short(node_id, MAX_TITLE_CHARS) for node_id in unknown)


def _not_found_lines(unknown: tuple[str, ...]) -> list[str]:
    return [f"Not found: {', '.join(_short(unknown))}"] if unknown else []


async def _unknown_meta(call: ToolCall) -> "ResponseMeta":
    """The metadata of a result for ids none of which is known."""
    scope = GraphScope()
    return await call.services.catalog.explained(
        call.caller, scope.scope, await call.services.get(EXPLORATION).nothing(call.caller, scope), nothing_known()
    )


def _empty_text(unknown: tuple[str, ...], meta: "ResponseMeta") -> str:
    return with_remarks([*_not_found_lines(unknown), nothing(meta)], meta)
