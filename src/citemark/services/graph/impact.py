"""What a change of something touches: what depends on it, step by step, and which texts speak of any of that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from citemark.graph.expansion import MOST_HOPS, Expansion, Reached, expand
from citemark.model.architecture import ELEMENT
from citemark.model.graph import LINKS_TO, MENTIONS, SHOWS
from citemark.model.scope import ReadContext, RequestScope
from citemark.model.walks import Edge, NeighbourFilter, Node, NodeRow
from citemark.services.architecture.model_queries import ModelListingService
from citemark.services.architecture.requests import PartRef, QueryScope
from citemark.services.graph.exploration import GraphService
from citemark.services.graph.open_graph import GraphReaders, OpenGraph
from citemark.services.graph.requests import GraphScope
from citemark.services.graph.responses import EdgeCard, NodeCard
from citemark.services.requests import Caller
from citemark.services.responses import ResponseMeta

ONTO_TARGET = ("Serving", "Realization", "Assignment", "Triggering", "Flow", "Influence")
"""Relationships whose target needs what they start at: a change goes on along the arrow."""

ONTO_SOURCE = ("Access", "Composition", "Aggregation", "Specialization")
"""Relationships whose source needs what they lead to: a whole its parts, a function its data, a kind its kin."""

EITHER_WAY = ("Association",)
"""Says nothing of who needs whom: followed from what changes, and no further."""

SPEAKING = (MENTIONS, LINKS_TO, SHOWS, "attaches")
"""Edges by which a text, a view or a card speaks of something."""

_MOST_TEXTS = 50
"""Texts of one thing: who reads about a change looks at tens of places."""

_CUT = "there is more than one impact may hold"


@dataclass(frozen=True, slots=True)
class ImpactRequest:
    """What changes: an element by its id or name, or any node by its id; `model` tells models apart."""

    wanted: str
    model: str | None = None
    scope: RequestScope = field(default_factory=RequestScope)
    read_context: ReadContext = field(default_factory=ReadContext)
    max_hops: int = MOST_HOPS


@dataclass(frozen=True, slots=True)
class Dependent:
    """Something that depends on what changes, and the edges from there to it."""

    card: NodeCard
    path: tuple[EdgeCard, ...]


@dataclass(frozen=True, slots=True)
class SpokenOf:
    """A text, view or card that speaks of something that is touched, and the edge that says so."""

    card: NodeCard
    edge: EdgeCard
    of: NodeCard


@dataclass(frozen=True, slots=True)
class Impact:
    """What a change touches, nearest first, and what speaks of any of it."""

    changed: NodeCard
    dependents: tuple[Dependent, ...]
    texts: tuple[SpokenOf, ...]
    meta: ResponseMeta


class ImpactService:
    """Tells what a change touches; everything shown is vouched for by its source."""

    def __init__(self, graph: GraphService, readers: GraphReaders, models: ModelListingService) -> None:
        self._graph = graph
        self._readers = readers
        self._models = models

    async def of(self, caller: Caller, request: ImpactRequest) -> Impact:
        """What a change of one thing touches.

        Raises:
            InvalidArgument: nothing, or several things, are called so; the message names the nearest.
            ScopeViolation, BackendUnavailable.
        """
        node_id = await self._node_id(caller, request)
        opened, (changed,) = await self._graph.open(caller, GraphScope(request.scope, request.read_context), (node_id,))
        found, cut = await self._dependents(opened, changed, request.max_hops)
        touched = list(found)
        speaking = NeighbourFilter(None, SPEAKING, _MOST_TEXTS)
        hop = await self._readers.graph.neighbours(opened.allowed, touched, speaking)
        texts: dict[tuple[Node, Node], Edge] = {}
        for step in hop.steps:
            texts.setdefault((step.other, step.node), step.edge)
        shown = set(await opened.vouch([*touched, *(text for text, _ in texts)]))
        texts = {(text, of): edge for (text, of), edge in texts.items() if text in shown and of in shown}
        paths = {node: path for node in touched if (path := _path(found, node, shown)) is not None}
        nodes = list(dict.fromkeys([*paths, *(text for text, _ in texts)]))
        rows = await self._readers.graph.cards(opened.allowed, nodes)
        edges = list(dict.fromkeys([*(edge for path in paths.values() for edge in path), *texts.values()]))
        said = {card.edge: card for card in await opened.edges(edges, rows)}
        cards = await self._cards(opened, nodes, rows, found)
        return Impact(
            changed=cards[changed],
            dependents=tuple(
                Dependent(cards[node], tuple(said[edge] for edge in path))
                for node, path in paths.items()
                if path and all(edge in said for edge in path)
            ),
            texts=tuple(
                SpokenOf(cards[text], said[edge], cards[of])
                for (text, of), edge in texts.items()
                if edge in said and of in paths
            ),
            meta=_meta(opened, cut=cut or bool(hop.cut)),
        )

    async def _dependents(self, opened: OpenGraph, changed: Node, max_hops: int) -> tuple[dict[Node, Reached], bool]:
        """What depends on a node, itself first, nearest first; and whether there is more."""
        needing = Expansion(max_hops, leaving=ONTO_TARGET, arriving=ONTO_SOURCE)
        beside = Expansion(1, leaving=EITHER_WAY, arriving=EITHER_WAY)
        found = [
            await expand(self._readers.graph, opened.allowed, [changed], wanted, opened.confirm)
            for wanted in (needing, beside)
        ]
        reached: dict[Node, Reached] = {}
        for each in sorted((each for part in found for each in part.reached), key=lambda each: each.hops):
            reached.setdefault(each.node, each)
        return reached, any(part.cut for part in found)

    async def _node_id(self, caller: Caller, request: ImpactRequest) -> str:
        """The id of the node that is meant: as it was given, or of the element that is called so."""
        if request.wanted.count(":") > 1:
            return request.wanted
        scope = QueryScope(request.model, request.scope, request.read_context)
        page = await self._models.element(
            caller, PartRef(scope, ELEMENT, request.wanted, request.model), relationships=False
        )
        return f"{page.card.citation.source}:{ELEMENT}:{page.card.part.native_id}"

    async def _cards(
        self, opened: OpenGraph, nodes: Sequence[Node], rows: Mapping[Node, NodeRow], reached: Mapping[Node, Reached]
    ) -> dict[Node, NodeCard]:
        hops = {node: each.hops for node, each in reached.items()}
        return {card.node: card for card in await opened.cards(nodes, rows, hops, snippets=False)}


def _path(reached: Mapping[Node, Reached], node: Node, shown: set[Node]) -> tuple[Edge, ...] | None:
    """The edges from where the walk began to a node; None where something on the way may not be shown."""
    path: list[Edge] = []
    at: Node | None = node
    while at is not None:
        if at not in shown:
            return None
        via = reached[at].via
        if via is not None:
            path.append(via)
        at = reached[at].before
    return tuple(reversed(path))


def _meta(opened: OpenGraph, *, cut: bool) -> ResponseMeta:
    notes = (*opened.notes, _CUT) if cut else opened.notes
    reason = "page_size" if cut else "none"
    return ResponseMeta.of(opened.caller, opened.context, reason=reason, withheld=opened.withheld, notes=notes)
