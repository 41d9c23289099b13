"""graph.expand, parents, children, entities_for_sections and sections_for_entities: what is related to given nodes."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from citemark.features.graph.results.graph_nodes import nodes_out, nodes_text
from citemark.features.graph.services.keys import EXPLORATION
from citemark.features.graph.services.requests import NodesRequest, Relation
from citemark.features.graph.tools.schemas import Cursor, GraphIn, Hops, Ids, NodeIds, PageSize, PerNode, Types
from citemark.services.empty import nothing_related
from citemark.tools.paged_replies import fitting
from citemark.tools.registry import ToolCall
from citemark.tools.reply import ToolReply

if TYPE_CHECKING:
    from citemark.services.responses import ResponseMeta


_CONTAINMENT: Mapping[str, Relation] = MappingProxyType({"up": Relation.PARENTS, "down": Relation.CHILDREN})
"""The directions of graph.expand that follow containment alone, as graph.parents and graph.children do."""

Kinds = Annotated[Types, Field(description="term ...")]


class _PagedIn(GraphIn):
    """Arguments of a call whose result has pages."""

    include_snippet: bool = False
    cursor: Cursor = None
    page_size: PageSize = 25

    def request(self, node_ids: tuple[str, ...], relation: Relation) -> NodesRequest:
        """A request for one page of what is related to the given nodes."""
        return NodesRequest(
            node_ids,
            self.graph_scope(),
            relation,
            include_snippet=self.include_snippet,
            page_size=self.page_size,
            cursor=self.cursor,
        )


class ExpandIn(_PagedIn):
    """Arguments of graph.expand."""

    node_ids: NodeIds
    rel_types: Annotated[Types, Field(description="links_to ...")] = ()
    direction: Literal["both", "outgoing", "incoming", "up", "down"] = "both"
    kinds: Kinds = ()
    max_hops: Hops = 1

    @model_validator(mode="after")
    def _containment_has_no_types(self) -> "ExpandIn":
        if self.direction in _CONTAINMENT and self.rel_types:
            raise PydanticCustomError("direction", "follows containment up or down: leave rel_types out")
        return self


class ContainmentIn(_PagedIn):
    """Arguments of graph.parents and graph.children."""

    node_ids: NodeIds
    max_hops: Hops = 1


class EntitiesIn(_PagedIn):
    """Arguments of graph.entities_for_sections."""

    section_ids: NodeIds
    kinds: Kinds = ()
    max_per_section: PerNode = 20


class SectionsIn(_PagedIn):
    """Arguments of graph.sections_for_entities."""

    entity_ids: Annotated[Ids, Field(description="node_ids")]
    max_per_entity: PerNode = 20


async def expand(call: ToolCall, asked: ExpandIn) -> ToolReply:
    """List the nodes that are related to the given ones."""
    relation = _CONTAINMENT.get(asked.direction, Relation.NEIGHBOURS)
    direction = "both" if asked.direction in _CONTAINMENT else asked.direction
    request = asked.request(asked.node_ids, relation)
    return await _reply(
        call,
        replace(request, rel_types=asked.rel_types, direction=direction, kinds=asked.kinds, max_hops=asked.max_hops),
    )


async def parents(call: ToolCall, asked: ContainmentIn) -> ToolReply:
    """List what contains the given nodes."""
    return await _reply(call, replace(asked.request(asked.node_ids, Relation.PARENTS), max_hops=asked.max_hops))


async def children(call: ToolCall, asked: ContainmentIn) -> ToolReply:
    """List what the given nodes contain."""
    return await _reply(call, replace(asked.request(asked.node_ids, Relation.CHILDREN), max_hops=asked.max_hops))


async def entities_for_sections(call: ToolCall, asked: EntitiesIn) -> ToolReply:
    """List the entities that sections mention."""
    request = asked.request(asked.section_ids, Relation.ENTITIES)
    return await _reply(call, replace(request, kinds=asked.kinds, per_node=asked.max_per_section))


async def sections_for_entities(call: ToolCall, asked: SectionsIn) -> ToolReply:
    """List the sections that mention entities."""
    request = asked.request(asked.entity_ids, Relation.SECTIONS)
    return await _reply(call, replace(request, per_node=asked.max_per_entity))


async def _reply(call: ToolCall, request: NodesRequest) -> ToolReply:
    """A page of nodes and the edges to them, as many as fit."""
    graph = call.services.get(EXPLORATION)
    page = await graph.nodes(call.caller, request)
    page_meta = page.meta
    if not page.edges and page.next_place is None and request.cursor is None:
        page_meta = await call.services.catalog.explained(
            call.caller, request.graph_scope.scope, page.meta, nothing_related()
        )

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        return ToolReply(nodes_out(page, meta, kept), nodes_text(page, kept, meta))

    return await fitting(
        call, page_meta, len(page.nodes), build, lambda kept: graph.cursor(call.caller, request, page, kept)
    )
