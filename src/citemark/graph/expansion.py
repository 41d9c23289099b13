"""What lies around some nodes: breadth first, the strongest edges first where there is no room for all."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from citemark.model.sources import AllowedSources
from citemark.model.walks import Edge, Hop, NeighbourFilter, Node

MOST_HOPS = 3
MOST_NODES = 200

_FEWEST_EDGES = 10
"""Edges of a node that are read however many nodes a hop begins at: fewer would hide most of an ordinary page."""


class GraphReader(Protocol):
    """Reads the neighbours of nodes; the store does, and so may a test."""

    async def neighbours(self, allowed: AllowedSources, nodes: Sequence[Node], wanted: NeighbourFilter) -> Hop:
        """The edges of nodes inside the allowed sources, in the state that these are read in."""
        ...


Confirm = Callable[[Sequence[Node]], Awaitable[Collection[Node]]]
"""Says which of some nodes may be shown now. What is not confirmed is not walked on, nor asked about again."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A node of a walk: how many hops away, over which edge first, and how close it is, in (0, 1]."""

    node: Node
    hops: int
    closeness: float
    via: Edge | None = None

    @property
    def before(self) -> Node | None:
        """The node that it was reached from; None where the walk began."""
        if self.via is None:
            return None
        return self.via.start if self.via.end == self.node else self.via.end


@dataclass(frozen=True, slots=True)
class Expansion:
    """How far to go from some nodes, and over which edges; `per_node` limits those of one node each way."""

    max_hops: int = 1
    max_nodes: int = MOST_NODES
    leaving: tuple[str, ...] | None = ()
    arriving: tuple[str, ...] | None = ()
    per_node: int | None = None


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The nodes around some nodes, nearest first, these themselves at the head, and the edges that led to them.

    `cut`: there may be more than was read or had room.
    """

    reached: tuple[Reached, ...]
    edges: tuple[Edge, ...]
    cut: bool = False


async def expand(
    reader: GraphReader, allowed: AllowedSources, seeds: Sequence[Node], wanted: Expansion, confirm: Confirm
) -> Neighbourhood:
    """Walk from some nodes, hop by hop; one statement a hop.

    Args:
        reader: reads edges.
        allowed: where everything must lie, and the state that is read.
        seeds: where the walk begins, each once; they are confirmed already.
        wanted: how far.
        confirm: asked about the documents of each hop.
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
        candidates = [each for each in _candidates(hop, reached, hops) if each.node not in refused]
        kept, more = await _kept(candidates, room, refused, confirm)
        cut = cut or more
        reached.update({each.node: each for each in kept})
        for step in hop.steps:
            if step.other in reached:
                edges.setdefault(_identity(step.edge), step.edge)
        frontier = [each.node for each in kept]
        room -= len(kept)
    return Neighbourhood(tuple(reached.values()), tuple(edges.values()), cut)


def _candidates(hop: Hop, reached: dict[Node, Reached], hops: int) -> list[Reached]:
    """What a hop leads to for the first time, closest first."""
    best: dict[Node, Reached] = {}
    for step in hop.steps:
        if step.other in reached:
            continue
        closeness = reached[step.node].closeness * step.edge.weight
        known = best.get(step.other)
        if known is None or closeness > known.closeness:
            best[step.other] = Reached(step.other, hops, closeness, step.edge)
    return sorted(best.values(), key=lambda each: -each.closeness)


async def _kept(
    candidates: list[Reached], room: int, refused: set[Node], confirm: Confirm
) -> tuple[list[Reached], bool]:
    """The first of the candidates that are confirmed, as many as have room, and whether there are more."""
    kept: list[Reached] = []
    asked = 0
    while asked < len(candidates) and len(kept) < room:
        batch = candidates[asked : asked + room - len(kept)]
        confirmed = await confirm([each.node for each in batch])
        kept += (each for each in batch if each.node in confirmed)
        refused.update(each.node for each in batch if each.node not in confirmed)
        asked += len(batch)
    return kept, asked < len(candidates)


def _identity(edge: Edge) -> tuple[int, int, Node, Node]:
    return edge.source_id, edge.relationship_id, edge.start, edge.end


async def confirm_all(nodes: Iterable[Node]) -> Collection[Node]:
    """For walks over what needs no confirmation."""
    return frozenset(nodes)
