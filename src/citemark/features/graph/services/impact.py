"""The impact of a change: what depends on the changed thing, step by step, and what mentions any of that."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from citemark.features.graph.services.exploration import GraphService
from citemark.features.graph.services.open_graph import GraphReaders, OpenGraph
from citemark.features.graph.services.requests import GraphScope, ImpactRequest
from citemark.features.graph.services.responses import EdgeCard, NodeCard
from citemark.features.graph.walks.expansion import Expansion, Reached, expand
from citemark.model.graph import LINKS_TO, MENTIONS, SHOWS
from citemark.model.ids import is_passage_id
from citemark.model.walks import Edge, NeighbourFilter, Node, NodeRow
from citemark.services.named_documents import NamedDocuments
from citemark.services.requests import Caller
from citemark.services.responses import UNCUT, Cut, NotShown, ResponseMeta


class Propagation(Enum):
    """The direction in which a change propagates over a relationship."""

    FORWARD = "from source to target"
    BACKWARD = "from target to source"
    UNDIRECTED = "either way, one step from what changes: the type does not say which end depends on the other"


PROPAGATION: Mapping[str, Propagation] = MappingProxyType(
    {
        "Serving": Propagation.FORWARD,
        "Realization": Propagation.FORWARD,
        "Assignment": Propagation.FORWARD,
        "Triggering": Propagation.FORWARD,
        "Flow": Propagation.FORWARD,
        "Influence": Propagation.FORWARD,
        "Access": Propagation.BACKWARD,
        "Composition": Propagation.BACKWARD,
        "Aggregation": Propagation.BACKWARD,
        "Specialization": Propagation.BACKWARD,
        "Association": Propagation.UNDIRECTED,
    }
)
"""By type of relationship; a change does not propagate over other edges."""

MENTIONING = (MENTIONS, LINKS_TO, SHOWS, "attaches")
"""Edges that lead from a section, view or card to what it mentions."""

_MOST_MENTIONS = 50
"""The most mentions of one thing: someone who reads about a change looks at tens of places."""

_CUT = "there is more than one impact may hold"


@dataclass(frozen=True, slots=True)
class Dependent:
    """Something that depends on what changes, and the edges that lead from the change to it."""

    card: NodeCard
    path: tuple[EdgeCard, ...]


@dataclass(frozen=True, slots=True)
class ImpactMention:
    """A section, view or card that mentions something affected (`of`), and the edge that states the mention."""

    card: NodeCard
    edge: EdgeCard
    of: NodeCard


@dataclass(frozen=True, slots=True)
class Impact:
    """What a change affects, nearest first, and what mentions any of it."""

    changed: NodeCard
    dependents: tuple[Dependent, ...]
    mentions: tuple[ImpactMention, ...]
    meta: ResponseMeta


class ImpactService:
    """Works out what a change affects; everything shown is vouched for by its source."""

    def __init__(self, graph: GraphService, readers: GraphReaders, names: Callable[[], NamedDocuments]) -> None:
        """Store the collaborators; `names` is called for a thing that is not given by the id of its node."""
        self._graph = graph
        self._readers = readers
        self._names = names

    async def of(self, caller: Caller, request: ImpactRequest) -> Impact:
        """Find what a change of one thing affects.

        Raises:
            InvalidArgument: nothing has this name, or several things do; the message lists the nearest ones.
            ScopeViolation, BackendUnavailable.
        """
        node_id = await self._node_id(caller, request)
        opened, (changed,) = await self._graph.open(caller, GraphScope(request.scope, request.read_context), (node_id,))
        reached, cut = await self._dependents(opened, changed, request.max_hops)
        affected = list(reached)
        mentioning = NeighbourFilter(None, MENTIONING, _MOST_MENTIONS)
        hop = await self._readers.graph.neighbours(opened.allowed, affected, mentioning)
        mentions: dict[tuple[Node, Node], Edge] = {}
        for step in hop.steps:
            mentions.setdefault((step.other, step.node), step.edge)
        shown = set(await opened.vouch([*affected, *(by for by, _ in mentions)]))
        mentions = {(by, of): edge for (by, of), edge in mentions.items() if by in shown and of in shown}
        paths = {node: path for node in affected if (path := _path(reached, node, shown)) is not None}
        nodes = list(dict.fromkeys([*paths, *(by for by, _ in mentions)]))
        edges = list(dict.fromkeys([*(edge for path in paths.values() for edge in path), *mentions.values()]))
        rows, lines = await opened.read(nodes, edges)
        cards_by_edge = {card.edge: card for card in opened.edges(edges, rows, lines)}
        cards = await self._cards(opened, nodes, rows, reached)
        return Impact(
            changed=cards[changed],
            dependents=tuple(
                Dependent(cards[node], tuple(cards_by_edge[edge] for edge in path))
                for node, path in paths.items()
                if path and all(edge in cards_by_edge for edge in path)
            ),
            mentions=tuple(
                ImpactMention(cards[by], cards_by_edge[edge], cards[of])
                for (by, of), edge in mentions.items()
                if edge in cards_by_edge and of in paths
            ),
            meta=_meta(opened, cut=cut or bool(hop.cut)),
        )

    async def _dependents(self, opened: OpenGraph, changed: Node, max_hops: int) -> tuple[dict[Node, Reached], bool]:
        """The node itself and what depends on it, nearest first; and whether there is more."""
        undirected = _types(Propagation.UNDIRECTED)
        walks = (
            Expansion(max_hops, leaving=_types(Propagation.FORWARD), arriving=_types(Propagation.BACKWARD)),
            Expansion(1, leaving=undirected, arriving=undirected),
        )
        found = [await expand(self._readers.graph, opened.allowed, [changed], walk, opened.confirm) for walk in walks]
        reached: dict[Node, Reached] = {}
        for each in sorted((each for part in found for each in part.reached), key=lambda each: each.hops):
            reached.setdefault(each.node, each)
        return reached, any(part.cut for part in found)

    async def _node_id(self, caller: Caller, request: ImpactRequest) -> str:
        """The id of the node that the request means: as given, or that of the document with this name or id."""
        if request.wanted.count(":") > 1 or is_passage_id(request.wanted):
            return request.wanted
        names = self._names()
        found = await names.named(caller, request.wanted, request.model, request.scope, request.read_context)
        return f"{found.source}:{found.doc_type}:{found.native_id}"

    async def _cards(
        self, opened: OpenGraph, nodes: Sequence[Node], rows: Mapping[Node, NodeRow], reached: Mapping[Node, Reached]
    ) -> dict[Node, NodeCard]:
        hops = {node: each.hops for node, each in reached.items()}
        return {card.node: card for card in await opened.cards(nodes, rows, hops, snippets=False)}


def _types(direction: Propagation) -> tuple[str, ...]:
    """The types of relationship over which a change propagates in this direction."""
    return tuple(type_ for type_, each in PROPAGATION.items() if each is direction)


def _path(reached: Mapping[Node, Reached], node: Node, shown: set[Node]) -> tuple[Edge, ...] | None:
    """The edges from the start of the walk to a node, or None if something on the way may not be shown."""
    path: list[Edge] = []
    current: Node | None = node
    while current is not None:
        if current not in shown:
            return None
        via = reached[current].via
        if via is not None:
            path.append(via)
        current = reached[current].before
    return tuple(reversed(path))


def _meta(opened: OpenGraph, *, cut: bool) -> ResponseMeta:
    notes = (*opened.notes, _CUT) if cut else opened.notes
    return ResponseMeta.of(
        opened.caller,
        opened.context,
        reading=opened.allowed.reading,
        cut=Cut("page_size") if cut else UNCUT,
        not_shown=NotShown(opened.withheld),
        notes=notes,
    )
