"""Responses about the graph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citemark.model.citation import Citation
from citemark.model.walks import Edge, Node
from citemark.services.responses import ResponseMeta


@dataclass(frozen=True, slots=True)
class NodeCard:
    """A node as it is shown: its id, what it is called, and how many hops away it lies.

    `snippet` and `passage_id` are those of the text that it begins with, where that was asked for.
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
    """An edge as it is shown, with where it is stated."""

    edge: Edge
    start_id: str
    end_id: str
    citation: Citation


@dataclass(frozen=True, slots=True)
class NodePage:
    """A page of what was found around some nodes, these first, nearest first; and the edges that lead there.

    `start` is the place of the page in everything found, `total` how much that is: at most what one walk may hold.
    """

    nodes: tuple[NodeCard, ...]
    edges: tuple[EdgeCard, ...]
    places: tuple[int, ...]
    next_place: int | None
    total: int
    meta: ResponseMeta

    def edges_of(self, kept: int) -> Sequence[EdgeCard]:
        """The edges of the first nodes of the page, so many; those to nodes of earlier pages too."""
        later = {card.node for card in self.nodes[kept:]}
        return [card for card in self.edges if card.edge.start not in later and card.edge.end not in later]


@dataclass(frozen=True, slots=True)
class PathCard:
    """A path as it is shown: nodes, and the edges between them."""

    nodes: tuple[Node, ...]
    edges: tuple[EdgeCard, ...]


@dataclass(frozen=True, slots=True)
class PathPage:
    """A page of paths, the shortest first, with a card for each node that they meet."""

    paths: tuple[PathCard, ...]
    nodes: Mapping[Node, NodeCard]
    places: tuple[int, ...]
    next_place: int | None
    total: int
    meta: ResponseMeta

    def parts_of(self, kept: int) -> tuple[list[NodeCard], list[EdgeCard]]:
        """The nodes and edges of the first paths, so many; each once, in the order in which they are met."""
        some = self.paths[:kept]
        nodes = dict.fromkeys(node for path in some for node in path.nodes)
        edges = {card.edge: card for path in some for card in path.edges}
        return [self.nodes[node] for node in nodes], list(edges.values())


@dataclass(frozen=True, slots=True)
class GraphSummary:
    """An overview of the graph of a scope: the number of nodes per kind and edges per type, and their sources."""

    sources: tuple[str, ...]
    nodes: Mapping[str, int]
    edges: Mapping[str, int]
    meta: ResponseMeta
