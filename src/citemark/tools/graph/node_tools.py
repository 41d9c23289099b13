"""graph.expand, parents, children, entities_for_sections and sections_for_entities: what is related to some nodes."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from citemark.services.graph.requests import Direction, NodesRequest, Relation
from citemark.tools.graph.schemas import (
    Cursor,
    GraphIn,
    Hops,
    Ids,
    NodeIds,
    NodesOut,
    PageSize,
    Types,
    edge_lines,
    edge_out,
    node_line,
    node_out,
    numbers_of,
)
from citemark.tools.paged_replies import fitting
from citemark.tools.registry import ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_in import Within
from citemark.tools.schemas_out import count, meta_fields, remarks

if TYPE_CHECKING:
    from citemark.services.graph.responses import NodePage
    from citemark.services.responses import ResponseMeta

_PerNode = Annotated[int, Within(1, 100)]


class _PagedIn(GraphIn):
    """Arguments of a call whose result has pages."""

    include_snippet: bool = False
    cursor: Cursor = None
    page_size: PageSize = 25


class ExpandIn(_PagedIn):
    """Arguments of graph.expand."""

    node_ids: NodeIds
    rel_types: Annotated[Types, Field(description="Such as links_to, mentions, Serving.")] = ()
    direction: Direction = "both"
    max_hops: Hops = 1


class ContainmentIn(_PagedIn):
    """Arguments of graph.parents and graph.children."""

    lists_read_context = False
    node_ids: NodeIds
    max_hops: Hops = 1


class EntitiesIn(_PagedIn):
    """Arguments of graph.entities_for_sections."""

    lists_read_context = False
    section_ids: NodeIds
    kinds: Annotated[Types, Field(description="Such as term, code, person, element.")] = ()
    max_per_section: _PerNode = 20


class SectionsIn(_PagedIn):
    """Arguments of graph.sections_for_entities."""

    lists_read_context = False
    entity_ids: Annotated[Ids, Field(description="node_ids of entities, elements or pages.")]
    max_per_entity: _PerNode = 20


async def expand(call: ToolCall, asked: ExpandIn) -> ToolReply:
    """What lies around nodes."""
    request = NodesRequest(
        asked.node_ids,
        asked.graph_scope(),
        rel_types=asked.rel_types,
        direction=asked.direction,
        max_hops=asked.max_hops,
        include_snippet=asked.include_snippet,
        page_size=asked.page_size,
        cursor=asked.cursor,
    )
    return await _reply(call, request)


async def parents(call: ToolCall, asked: ContainmentIn) -> ToolReply:
    """What contains nodes."""
    return await _containment(call, asked, Relation.PARENTS)


async def children(call: ToolCall, asked: ContainmentIn) -> ToolReply:
    """What nodes contain."""
    return await _containment(call, asked, Relation.CHILDREN)


async def _containment(call: ToolCall, asked: ContainmentIn, relation: Relation) -> ToolReply:
    request = NodesRequest(
        asked.node_ids,
        asked.graph_scope(),
        relation,
        max_hops=asked.max_hops,
        include_snippet=asked.include_snippet,
        page_size=asked.page_size,
        cursor=asked.cursor,
    )
    return await _reply(call, request)


async def entities_for_sections(call: ToolCall, asked: EntitiesIn) -> ToolReply:
    """What sections speak of."""
    request = NodesRequest(
        asked.section_ids,
        asked.graph_scope(),
        Relation.ENTITIES,
        kinds=asked.kinds,
        per_node=asked.max_per_section,
        include_snippet=asked.include_snippet,
        page_size=asked.page_size,
        cursor=asked.cursor,
    )
    return await _reply(call, request)


async def sections_for_entities(call: ToolCall, asked: SectionsIn) -> ToolReply:
    """Which sections speak of entities."""
    request = NodesRequest(
        asked.entity_ids,
        asked.graph_scope(),
        Relation.SECTIONS,
        per_node=asked.max_per_entity,
        include_snippet=asked.include_snippet,
        page_size=asked.page_size,
        cursor=asked.cursor,
    )
    return await _reply(call, request)


async def _reply(call: ToolCall, request: NodesRequest) -> ToolReply:
    """A page of nodes, as many as fit."""
    graph = call.services.graph
    page = await graph.nodes(call.caller, request)

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        nodes, edges = page.nodes[:kept], page.edges_of(kept)
        out = NodesOut(
            nodes=[node_out(card) for card in nodes],
            edges=[edge_out(card) for card in edges],
            total=page.total,
            **meta_fields(meta),
        )
        return ToolReply(out, _text(page, kept, meta))

    return await fitting(
        call, page.meta, len(page.nodes), build, lambda kept: graph.cursor(call.caller, request, page, kept)
    )


def _text(page: "NodePage", kept: int, meta: "ResponseMeta") -> str:
    nodes = page.nodes[:kept]
    numbers = numbers_of(nodes)
    lines = [f"{len(nodes)} of {count(page.total, 'node')}"]
    for card in nodes:
        lines += node_line(card, numbers[card.node])
    return "\n".join([*lines, *edge_lines(page.edges_of(kept), numbers), *remarks(meta)])
