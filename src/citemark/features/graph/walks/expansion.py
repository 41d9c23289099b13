"""Finds what lies around some nodes: breadth first, and strongest edges first if there is no room for all."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from citemark.model.sources import AllowedSources
from citemark.model.walks import Edge, Hop, NeighbourFilter, Node

MOST_HOPS = 3
MOST_NODES = 200

_FEWEST_EDGES = 10
"""The fewest edges to read per node, however many nodes a hop starts from: fewer hide most of an ordinary page."""


class GraphReader(Protocol):
    """Reads the neighbours of nodes; the store implements it, and so may a test."""

    async def neighbours(self, allowed: AllowedSources, nodes: Sequence[Node], wanted: NeighbourFilter) -> Hop:
        """The edges of nodes inside the allowed sources, in the state in which these are read."""
        ...


Confirm = Callable[[Sequence[Node]], Awaitable[Collection[Node]]]
"""Returns those of some nodes that may be shown now; the others are not walked on, and not asked about again."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A node that a walk reached: how many hops away, over which edge first, and how close it is, in (0, 1]."""

    node: Node
    hops: int
    closeness: float
    via: Edge | None = None

    @property
    def before(self) -> Node | None:
        """The node from which it was reached, or None if the walk began here."""
        if self.via is None:
            return None
        return self.via.start if self.via.end == self.node else self.via.end


@dataclass(frozen=True, slots=True)
class Expansion:
    """How far to go from some nodes, and over which edges; `per_node` limits one node's edges in each direction."""

    max_hops: int = 1
    max_nodes: int = MOST_NODES
    leaving: tuple[str, ...] | None = ()
    arriving: tuple[str, ...] | None = ()
    per_node: int | None = None


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Some nodes followed by the nodes around them, nearest first, and the edges that led to these.

    `cut` means that there may be more than was read or had room.
    """

    reached: tuple[Reached, ...]
    edges: tuple[Edge, ...]
    cut: bool = False


async def expand(
    reader: GraphReader, allowed: AllowedSources, seeds: Sequence[Node], wanted: Expansion, confirm: Confirm
) -> Neighbourhood:
    """Walk from some nodes, hop by hop, with one statement per hop.

    Args:
        reader: reads the edges.
        allowed: the sources in which everything must lie, and the state that is read.
        seeds: where the walk begins, each node once; they are already confirmed.
        wanted: how far to go, and over which edges.
        confirm: called with the new nodes of each hop.
    """
    reached = {seed: Reached(seed, 0, 1.0) for seed in dict.fromkeys(seeds)}
    edges: dict[tuple[int, int, Node, Node], Edge] = {}
    refused: set[Node] = set()
    frontier: Sequence[Node] = list(reached)
    room, cut = wanted.max_nodes, False
    for hops in range(1, min(wanted.max_hops, MOST_HOPS) + 1):
        if not frontier or room == 0:
            break
        share = wanted.per_node or max(_FEWEST_EDGES, wanted.max_nodes // len(frontier))
        hop = await reader.neighbours(allowed, frontier, NeighbourFilter(wanted.leaving, wanted.arriving, share))
        cut = cut or bool(hop.cut)
        candidates = [candidate for candidate in _candidates(hop, reached, hops) if candidate.node not in refused]
        confirmed, more = await _first_confirmed(candidates, room, refused, confirm)
        cut = cut or more
        reached.update({candidate.node: candidate for candidate in confirmed})
        for step in hop.steps:
            if step.other in reached:
                edges.setdefault(_identity(step.edge), step.edge)
        frontier = [candidate.node for candidate in confirmed]
        room -= len(confirmed)
    return Neighbourhood(tuple(reached.values()), tuple(edges.values()), cut)


def _candidates(hop: Hop, reached: dict[Node, Reached], hops: int) -> list[Reached]:
    """The nodes that a hop reaches for the first time, closest first."""
    best: dict[Node, Reached] = {}
    for step in hop.steps:
        if step.other in reached:
            continue
        closeness = reached[step.node].closeness * step.edge.weight
        earlier = best.get(step.other)
        if earlier is None or closeness > earlier.closeness:
            best[step.other] = Reached(step.other, hops, closeness, step.edge)
    return sorted(best.values(), key=lambda candidate: -candidate.closeness)


async def _first_confirmed(
    candidates: list[Reached], room: int, refused: set[Node], confirm: Confirm
) -> tuple[list[Reached], bool]:
    """The first confirmed candidates, at most `room`, and whether there are candidates left."""
    found: list[Reached] = []
    position = 0
    while position < len(candidates) and len(found) < room:
        batch = candidates[position : position + room - len(found)]
        confirmed = await confirm([candidate.node for candidate in batch])
        found += (candidate for candidate in batch if candidate.node in confirmed)
        refused.update(candidate.node for candidate in batch if candidate.node not in confirmed)
        position += len(batch)
    return found, position < len(candidates)


def _identity(edge: Edge) -> tuple[int, int, Node, Node]:
    return edge.source_id, edge.relationship_id, edge.start, edge.end
