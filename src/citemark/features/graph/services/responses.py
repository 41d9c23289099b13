"""Responses about the graph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citemark.model.citation import Citation
from citemark.model.ids import SourceId
from citemark.model.walks import Edge, Node
from citemark.services.responses import ResponseMeta


@dataclass(frozen=True, slots=True)
class NodeCard:
    """A node as shown to a caller: its id, its title, and how many hops away it is.

    `snippet` and `passage_id` belong to the text that the node begins with; they are empty unless requested.
    """

    node: Node
    node_id: str
    title: str
    element_type: str = ""
    hops: int = 0
    snippet: str = ""
    passage_id: str = ""


@dataclass(frozen=True, slots=True)
class EdgeCard:
    """An edge as shown to a caller, with the citation of where it is stated."""

    edge: Edge
    start_id: str
    end_id: str
    citation: Citation


@dataclass(frozen=True, slots=True)
class NodePage:
    """A page of what was found around some nodes (these first, then the nearest), and the edges that lead there.

    `places` are the positions of the nodes in everything found, `next_place` is where the list continues (None at the
    end), and `total` is the number of nodes found: at most what one walk may hold. `first_source` is the first of the
    sources that were walked over, with which a cursor is removed.
    """

    nodes: tuple[NodeCard, ...]
    edges: tuple[EdgeCard, ...]
    places: tuple[int, ...]
    next_place: int | None
    total: int
    meta: ResponseMeta
    first_source: SourceId

    def edges_of(self, kept: int) -> Sequence[EdgeCard]:
        """The edges of the first `kept` nodes of the page, including those to nodes of earlier pages."""
        later = {card.node for card in self.nodes[kept:]}
        return [card for card in self.edges if card.edge.start not in later and card.edge.end not in later]


@dataclass(frozen=True, slots=True)
class GroupPage:
    """Some of the edges of one type in one direction of a node, with a card for each node that they join.

    `start` and `end` are the places of the part among all edges of the group, from 0. `total` is how many these are, or
    None if there are more than are listed, or sources on other machines would have to confirm each of them first.
    """

    node: NodeCard
    nodes: tuple[NodeCard, ...]
    edges: tuple[EdgeCard, ...]
    start: int
    end: int
    total: int | None
    more: bool
    meta: ResponseMeta


@dataclass(frozen=True, slots=True)
class PathCard:
    """A path as shown to a caller: nodes, and the edges between them."""

    nodes: tuple[Node, ...]
    edges: tuple[EdgeCard, ...]


@dataclass(frozen=True, slots=True)
class PathPage:
    """A page of paths, the shortest first, with a card for each node on them; `first_source` is as in `NodePage`."""

    paths: tuple[PathCard, ...]
    nodes: Mapping[Node, NodeCard]
    places: tuple[int, ...]
    next_place: int | None
    total: int
    meta: ResponseMeta
    first_source: SourceId

    def parts_of(self, kept: int) -> tuple[list[NodeCard], list[EdgeCard]]:
        """The nodes and edges of the first `kept` paths, each once, in the order in which they occur."""
        paths = self.paths[:kept]
        nodes = dict.fromkeys(node for path in paths for node in path.nodes)
        edges = {card.edge: card for path in paths for card in path.edges}
        return [self.nodes[node] for node in nodes], list(edges.values())


@dataclass(frozen=True, slots=True)
class GraphSummary:
    """An overview of the graph of a scope: the number of nodes per kind and edges per type, and their sources."""

    sources: tuple[str, ...]
    nodes: Mapping[str, int]
    edges: Mapping[str, int]
    meta: ResponseMeta
