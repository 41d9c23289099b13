"""Questions to the graph: neighbours, containment, entities, paths, and what the graph holds."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import assert_never

from citemark.features.graph.services.open_graph import GraphReaders, OpenGraph
from citemark.features.graph.services.requests import (
    GraphScope,
    GroupRequest,
    NodesRequest,
    PathsRequest,
    Relation,
    digest_of,
)
from citemark.features.graph.services.responses import GraphSummary, GroupPage, NodePage, PathCard, PathPage
from citemark.features.graph.services.unknown_names import kinds_named, no_graph, types_named, unknown_nodes
from citemark.features.graph.walks.expansion import Expansion, Neighbourhood, Reached, expand
from citemark.features.graph.walks.paths import PathSearch, find_paths
from citemark.model.errors import BackendUnavailable
from citemark.model.graph import CONTAINS, DEFINES, HAS_LABEL, IN_FOLDER, MENTIONS, REFERENCES, USES_CODE, EntityKind
from citemark.model.ids import SourceId, is_passage_id
from citemark.model.scope import ReadContext, RequestScope
from citemark.model.walks import WEIGHTS, Edge, NeighbourFilter, Node, NodeName
from citemark.retrieval.access import Access
from citemark.retrieval.ports import SourceReader
from citemark.retrieval.read_contexts import ReadContexts
from citemark.services.graph_counts import GraphCounts
from citemark.services.passage_handles import PassageService
from citemark.services.requests import Caller
from citemark.services.responses import UNCUT, Cut, NotShown, ResponseMeta
from citemark.services.scoping import Scoping

_PEOPLE = ("attendee", "organizer", "assigned_to", "has_address")
_WHOLES = (CONTAINS, "Composition", "Aggregation")
"""Edges that lead from a whole to its parts."""

_OF_ENTITIES = (MENTIONS, DEFINES, USES_CODE, REFERENCES, HAS_LABEL, *_PEOPLE)
"""Edges that lead from a text to what it is about."""

_NAMED_TYPES = (*WEIGHTS, *_PEOPLE, "attaches")

_MOST_SECTIONS = 1000
"""The most sections in which entities are looked for; long pages have hundreds, and 1,000 are read in 0.1 s."""

_MOST_OF_GROUP = 100_000
"""The most edges of one type in one direction of a node: beyond these a list is no way to find any of them."""

_KINDS = tuple(kind.value for kind in EntityKind)

CUT = "there is more than one walk may hold; ask for fewer nodes, fewer hops or some rel_types"
"""The note of a walk that could not hold everything."""


class GraphService:
    """Walks the graph for a caller; everything shown is vouched for by its source."""

    def __init__(
        self,
        readers: GraphReaders,
        sources: SourceReader,
        contexts: ReadContexts,
        scoping: Scoping,
        passages: PassageService,
        edge_types: Sequence[str],
    ) -> None:
        """Store the collaborators; `edge_types` are those that sources state, whether there are any or not."""
        self._readers = readers
        self._sources = sources
        self._contexts = contexts
        self._scoping = scoping
        self._passages = passages
        self._edge_types = (*edge_types, *_NAMED_TYPES)

    async def describe(self, caller: Caller, graph_scope: GraphScope) -> GraphSummary:
        """An overview of the graph of a scope.

        Raises:
            BackendUnavailable: the graph holds nothing.
            InvalidArgument, ScopeViolation.
        """
        opened, _ = await self.open(caller, graph_scope, ())
        nodes, edges = await self._readers.graph.counts(opened.allowed)
        if not nodes:
            raise await no_graph(self._scoping, opened, self._scoping.apply(graph_scope.scope))
        names = tuple(source.name for source in opened.allowed.sources)
        return GraphSummary(names, nodes, edges, _meta(opened))

    async def counts(self, caller: Caller) -> GraphCounts:
        """How many nodes and edges of which kinds there are, in all sources that the caller may read."""
        opened, _ = await self.open(caller, GraphScope(), ())
        nodes, edges = await self._readers.graph.counts(opened.allowed)
        return GraphCounts(nodes, edges)

    async def nodes(self, caller: Caller, request: NodesRequest) -> NodePage:
        """A page of the nodes that are related to some given nodes.

        Raises:
            UnknownCursor, UnknownPassage, InvalidArgument, ScopeViolation, BackendUnavailable.
        """
        at, start = await self._cursor_position(caller, request)
        opened, seeds = await self.open(caller, request.graph_scope, request.node_ids, at)
        types = await types_named(opened, request.rel_types, self._edge_types)
        request = replace(request, kinds=await kinds_named(opened, request.kinds, _KINDS))
        cut = False
        if request.relation is Relation.ENTITIES:
            seeds, cut = await self._with_sections(opened, seeds)
        found = await expand(self._readers.graph, opened.allowed, seeds, _expansion(request, types), opened.confirm)
        reached = _to_list(found, seeds, request)
        end = min(start + request.page_size, len(reached))
        page = [each.node for each in reached[start:end]]
        # Given nodes that are not listed count as being on an earlier page.
        order = dict.fromkeys(seeds, -1) | {each.node: position for position, each in enumerate(reached)}
        edges = [edge for edge in found.edges if _is_on_page(edge, order, start, end)]
        of_page = [*page, *(end for edge in edges for end in (edge.start, edge.end))]
        rows, lines = await opened.read(of_page, edges)
        shown = await opened.vouch(of_page)
        edges = [edge for edge in edges if edge.start in shown and edge.end in shown]
        nodes = [node for node in page if node in shown]
        hops = {each.node: each.hops for each in reached}
        more = end < len(reached)
        return NodePage(
            nodes=tuple(await opened.cards(nodes, rows, hops, snippets=request.include_snippet)),
            edges=tuple(opened.edges(edges, rows, lines)),
            places=tuple(order[node] for node in nodes),
            next_place=end if more else None,
            total=len(reached),
            meta=_meta(opened, cut=(cut or found.cut) and not more),
            first_source=SourceId(opened.allowed.ids[0]),
        )

    async def group(self, caller: Caller, request: GroupRequest) -> GroupPage:
        """A part of the edges of one type that leave a node, or arrive at it, however many there are.

        Only what the part shows is asked for at its source, so that the last part costs no more than the first.

        Raises:
            UnknownPassage, InvalidArgument, ScopeViolation, BackendUnavailable.
        """
        opened, (middle,) = await self.open(caller, request.graph_scope, (request.node_id,))
        types = await types_named(opened, (request.rel_type,), self._edge_types)
        leaving, arriving = (types, None) if request.outgoing else (None, types)
        wanted = NeighbourFilter(leaving, arriving, _MOST_OF_GROUP)
        start = min(request.start, _MOST_OF_GROUP)
        part = await self._readers.graph.part_of_group(opened.allowed, middle, wanted, start, request.most)
        edges = list(dict.fromkeys(step.edge for step in part.steps))
        others = dict.fromkeys(step.other for step in part.steps)
        rows, lines = await opened.read([middle, *others], edges)
        shown = await opened.vouch([middle, *others])
        edges = [edge for edge in edges if edge.start in shown and edge.end in shown]
        nodes = [node for node in others if node in shown]
        cards = await opened.cards([middle, *nodes], rows, dict.fromkeys(nodes, 1), snippets=False)
        end = min(start + request.most, part.total)
        remote = any(self._readers.access.is_remote(source) for source in opened.allowed.sources)
        cut = part.total >= _MOST_OF_GROUP
        return GroupPage(
            node=cards[0],
            nodes=tuple(cards[1:]),
            edges=tuple(opened.edges(edges, rows, lines)),
            start=start,
            end=max(start, end),
            total=None if remote or cut else part.total,
            more=end < part.total,
            meta=_meta(opened, cut=cut),
        )

    async def paths(self, caller: Caller, request: PathsRequest) -> PathPage:
        """A page of paths between some nodes and others, the shortest first.

        Raises:
            UnknownCursor, UnknownPassage, InvalidArgument, ScopeViolation, BackendUnavailable.
        """
        at, start = await self._cursor_position(caller, request)
        ids = (*request.from_ids, *request.to_ids)
        opened, nodes = await self.open(caller, request.graph_scope, ids, at)
        starts, ends = nodes[: len(request.from_ids)], nodes[len(request.from_ids) :]
        types = await types_named(opened, request.rel_types, self._edge_types)
        search = PathSearch(types, request.max_hops, request.max_paths)
        found = await find_paths(self._readers.graph, opened.allowed, starts, ends, search, opened.confirm)
        end = min(start + request.page_size, len(found.paths))
        page = found.paths[start:end]
        rows, lines = await opened.read(
            [*starts, *ends, *(node for path in page for node in path.nodes)],
            (edge for path in page for edge in path.edges),
        )
        shown = set(await opened.vouch(node for path in page for node in path.nodes))
        kept = [(position, path) for position, path in enumerate(page, start) if shown.issuperset(path.nodes)]
        card_nodes = list(dict.fromkeys([*starts, *ends, *(node for _, path in kept for node in path.nodes)]))
        edges = list(dict.fromkeys(edge for _, path in kept for edge in path.edges))
        cards_by_edge = {card.edge: card for card in opened.edges(edges, rows, lines)}
        paths = [(position, path) for position, path in kept if all(edge in cards_by_edge for edge in path.edges)]
        more = end < len(found.paths)
        return PathPage(
            paths=tuple(PathCard(path.nodes, tuple(cards_by_edge[edge] for edge in path.edges)) for _, path in paths),
            nodes={card.node: card for card in await opened.cards(card_nodes, rows, {}, snippets=False)},
            places=tuple(position for position, _ in paths),
            next_place=end if more else None,
            total=len(found.paths),
            meta=_meta(opened, cut=found.cut and not more),
            first_source=SourceId(opened.allowed.ids[0]),
        )

    async def cursor(
        self, caller: Caller, request: NodesRequest | PathsRequest, page: NodePage | PathPage, kept: int
    ) -> str | None:
        """The cursor for what follows the first `kept` rows of a page, or None at the end of the list."""
        position = page.next_place if kept == len(page.places) else page.places[kept]
        if position is None:
            return None
        state = {"at": page.meta.read_context.as_of.isoformat(), "start": position}
        place = {"place": json.dumps(state)}
        return await self._readers.handles.keep_place(caller, digest_of(request), page.first_source, place)

    async def known(
        self, caller: Caller, graph_scope: GraphScope, ids: Sequence[str]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Split node ids into those that name something the caller may see and those that do not.

        Raises:
            InvalidArgument, ScopeViolation, BackendUnavailable.
        """
        opened, _ = await self.open(caller, graph_scope, ())
        names = {node_id: opened.name_of(node_id) for node_id in dict.fromkeys(ids)}
        found = await opened.nodes([name for name in names.values() if name is not None])
        nodes = {node_id: found[name] for node_id, name in names.items() if name is not None and name in found}
        shown = set(await opened.vouch(nodes.values()))
        shown -= await self._unseen(opened, [node for node in nodes.values() if not node.is_document])
        known = tuple(node_id for node_id, node in nodes.items() if node in shown)
        return known, tuple(node_id for node_id in names if node_id not in known)

    async def nothing(self, caller: Caller, graph_scope: GraphScope) -> ResponseMeta:
        """The metadata of a response that has nothing to show."""
        opened, _ = await self.open(caller, graph_scope, ())
        return _meta(opened)

    async def _cursor_position(
        self, caller: Caller, request: NodesRequest | PathsRequest
    ) -> tuple[datetime | None, int]:
        """The moment and the row in the request's cursor; None and 0 without a cursor."""
        if request.cursor is None:
            return None, 0
        kept = await self._readers.handles.place(caller, digest_of(request), request.cursor)
        state = json.loads(kept["place"])
        return datetime.fromisoformat(state["at"]), int(state["start"])

    async def open(
        self, caller: Caller, graph_scope: GraphScope, ids: Sequence[str], at: datetime | None = None
    ) -> tuple[OpenGraph, list[Node]]:
        """Open the graph for a call and find the nodes behind ids, in the same order, each confirmed by its source."""
        scope, _ = await self._scoping.settle(
            caller.principal, graph_scope.scope, read_context=graph_scope.read_context
        )
        handles = [node_id for node_id in ids if is_passage_id(node_id)]
        if (
            not handles and graph_scope.read_context == ReadContext()
        ):  # the usual case: neither query waits for the other
            allowed, context = await asyncio.gather(
                self._sources.allowed(caller.principal, scope), self._contexts.head()
            )
            opened = OpenGraph(self._readers, caller, allowed, context, self._readers.access.deadline())
            opened = opened if at is None else opened.as_of(at)
            return opened, await self._confirmed_nodes(opened, scope, ids, {})
        allowed = await self._sources.allowed(caller.principal, scope)
        passages = await self._passages.open(caller, handles, graph_scope.scope) if handles else []
        if passages:
            context = await self._passages.context_of(passages, graph_scope.read_context)
            allowed, notes = replace(allowed, read_at=context.read_at), ()
        else:
            state = await self._contexts.open(graph_scope.read_context, allowed)
            allowed, context, notes = state.allowed, state.context, state.notes
        opened = OpenGraph(self._readers, caller, allowed, context, self._readers.access.deadline(), notes)
        opened = opened if at is None else opened.as_of(at)
        of_passages = {
            str(entry.passage_id): NodeName(
                entry.chunk.source_id, entry.chunk.section_type, entry.chunk.section_native_id, entry.chunk.page_id
            )
            for entry in passages
        }
        return opened, await self._confirmed_nodes(opened, scope, ids, of_passages)

    async def _confirmed_nodes(
        self, opened: OpenGraph, scope: RequestScope, ids: Sequence[str], of_passages: dict[str, NodeName]
    ) -> list[Node]:
        names = {node_id: of_passages.get(node_id) or opened.name_of(node_id) for node_id in ids}
        found = await opened.nodes([name for name in names.values() if name is not None])
        nodes = {node_id: found.get(name) if name is not None else None for node_id, name in names.items()}
        known = [node for node in nodes.values() if node is not None]
        shown = set(await opened.vouch(known))
        shown -= await self._unseen(opened, [node for node in known if not node.is_document])
        if any(opened.verdicts.get((node.source_id, node.page_id)) is Access.WITHHELD for node in known):
            raise BackendUnavailable("The source of a node cannot confirm it right now; try again in a moment.")
        unknown = [node_id for node_id, node in nodes.items() if node is None or node not in shown]
        if unknown and not await self._readers.graph.exists(opened.allowed):
            raise await no_graph(self._scoping, opened, scope)
        if unknown:
            raise await unknown_nodes(opened, unknown)
        return [node for node_id in ids if (node := nodes[node_id]) is not None]

    async def _unseen(self, opened: OpenGraph, entities: Sequence[Node]) -> set[Node]:
        """The given entities and folders to hide, because no document that may be shown leads to them."""
        if not entities or not any(self._readers.access.is_remote(source) for source in opened.allowed.sources):
            return set()
        hop = await self._readers.graph.neighbours(opened.allowed, entities, NeighbourFilter(None, ()))
        shown = await opened.confirm([step.other for step in hop.steps])
        return set(entities) - {step.node for step in hop.steps if step.other in shown}

    async def _with_sections(self, opened: OpenGraph, seeds: Sequence[Node]) -> tuple[list[Node], bool]:
        """The given nodes, which are confirmed, with the sections below them; and whether there are more of these."""
        below = await self._readers.graph.sections_below(opened.allowed, seeds, _MOST_SECTIONS + 1)
        return list(dict.fromkeys([*seeds, *below[:_MOST_SECTIONS]])), len(below) > _MOST_SECTIONS


def _expansion(request: NodesRequest, types: tuple[str, ...]) -> Expansion:
    """The walk that reaches the requested nodes."""
    match request.relation:
        case Relation.PARENTS:
            return Expansion(request.max_hops, leaving=(IN_FOLDER,), arriving=_WHOLES)
        case Relation.CHILDREN:
            return Expansion(request.max_hops, leaving=_WHOLES, arriving=(IN_FOLDER,))
        case Relation.ENTITIES:
            return Expansion(1, leaving=_OF_ENTITIES, arriving=None, per_node=request.per_node)
        case Relation.SECTIONS:
            return Expansion(1, leaving=None, arriving=_OF_ENTITIES, per_node=request.per_node)
        case Relation.NEIGHBOURS:
            outgoing, incoming = request.direction != "incoming", request.direction != "outgoing"
            return Expansion(
                request.max_hops,
                leaving=types if outgoing else None,
                arriving=types if incoming else None,
            )
        case _:
            assert_never(request.relation)


def _to_list(found: Neighbourhood, seeds: Sequence[Node], request: NodesRequest) -> list[Reached]:
    """The nodes of a walk to list.

    Those of the requested kinds; without the given nodes for parents and children, unless one of them contains another.
    """
    if request.relation is Relation.NEIGHBOURS:
        return [each for each in found.reached if not request.kinds or each.node.kind in request.kinds]
    if request.relation in (Relation.PARENTS, Relation.CHILDREN):
        ends = {_whole_or_part(edge, whole=request.relation is Relation.PARENTS) for edge in found.edges}
        kept = [each for each in found.reached if each.hops or each.node in ends]
        return [each for each in kept if not request.kinds or each.node.kind in request.kinds]
    joined = {end for edge in found.edges for end in (edge.start, edge.end)}
    seed_nodes = set(seeds)
    return [
        each
        for each in found.reached
        if (each.node in joined if each.node in seed_nodes else not request.kinds or each.node.kind in request.kinds)
    ]


def _whole_or_part(edge: Edge, *, whole: bool) -> Node:
    """The end of an edge of containment that contains the other, or the one that is contained."""
    return edge.start if whole is not (edge.type == IN_FOLDER) else edge.end


def _is_on_page(edge: Edge, order: dict[Node, int], start: int, end: int) -> bool:
    """Whether an edge is shown on a page: the later of its two ends must be on that page."""
    if edge.start not in order or edge.end not in order:
        return False
    return start <= max(order[edge.start], order[edge.end]) < end


def _meta(opened: OpenGraph, *, cut: bool = False) -> ResponseMeta:
    notes = (*opened.notes, CUT) if cut else opened.notes
    return ResponseMeta.of(
        opened.caller,
        opened.context,
        reading=opened.allowed.reading,
        cut=Cut("page_size") if cut else UNCUT,
        not_shown=NotShown(opened.withheld),
        notes=notes,
    )
