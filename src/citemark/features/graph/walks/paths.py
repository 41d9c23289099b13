"""Finds paths between two sets of nodes: breadth first from both, the shortest first, within a limit on the work."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from citemark.features.graph.walks.expansion import Confirm, GraphReader
from citemark.model.sources import AllowedSources
from citemark.model.walks import Edge, NeighbourFilter, Node

MOST_PATH_HOPS = 5

_MOST_EDGES = 20_000
"""The most edges that one search reads: five hops over nodes of degree ten from both ends read 2,500."""

_MOST_FRONTIER = 1_000
"""The most nodes that one statement asks about: those of three hops at degree ten."""

_EDGES_PER_NODE = (10, 200)
"""The fewest and the most edges to read per node: a hub shares the remaining work with the rest of its frontier."""

_MOST_TURNS = 50_000
"""The most nodes to try while paths are put together: about 50 ms."""


@dataclass(frozen=True, slots=True)
class Path:
    """Nodes, each joined to the next by an edge; an edge may lead either way."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class PathSearch:
    """How long the paths may be, how many are wanted, and over which types of edges they lead (none means all)."""

    types: tuple[str, ...] = ()
    max_hops: int = 3
    max_paths: int = 10


@dataclass(frozen=True, slots=True)
class PathsFound:
    """Paths, the shortest first; `cut` means that the limit on work ended the search, so others may be as short."""

    paths: tuple[Path, ...]
    cut: bool = False


@dataclass(slots=True)
class _Side:
    """One end of the search: the distance of each node from it, and how far the search has come from there."""

    distances: dict[Node, int]
    frontier: list[Node]
    depth: int = 0


@dataclass(slots=True)
class _ReadGraph:
    """The graph as read so far: the strongest edge between any two neighbours, and nodes that were not confirmed."""

    links: dict[Node, dict[Node, Edge]] = field(default_factory=dict[Node, dict[Node, Edge]])
    refused: set[Node] = field(default_factory=set[Node])
    edges_read: int = 0
    cut: bool = False

    def join(self, edge: Edge) -> None:
        """Remember an edge in both directions, unless a stronger one is known."""
        for one, other in ((edge.start, edge.end), (edge.end, edge.start)):
            links = self.links.setdefault(one, {})
            if other not in links or links[other].weight < edge.weight:
                links[other] = edge


async def find_paths(
    reader: GraphReader,
    allowed: AllowedSources,
    starts: Sequence[Node],
    ends: Sequence[Node],
    wanted: PathSearch,
    confirm: Confirm,
) -> PathsFound:
    """Find paths from one of `starts` to one of `ends` that visit no node twice, and no further start or end.

    Args:
        reader: reads the edges, with one statement per hop.
        allowed: the sources in which everything must lie, and the state that is read.
        starts: nodes that are already confirmed.
        ends: likewise; nodes that are also among the starts are left out.
        wanted: how long the paths may be, how many are wanted, and over which edges.
        confirm: called with the new nodes of each hop.
    """
    first = dict.fromkeys(starts)
    last = dict.fromkeys(node for node in ends if node not in first)
    sides = (_Side(dict.fromkeys(first, 0), list(first)), _Side(dict.fromkeys(last, 0), list(last)))
    graph = _ReadGraph()
    paths: list[Path] = []
    length = 0
    max_hops = min(wanted.max_hops, MOST_PATH_HOPS)
    while length < max_hops and len(paths) < wanted.max_paths and graph.edges_read < _MOST_EDGES:
        # Once a side has nowhere to go, everything that a path could run through is known.
        if all(side.frontier for side in sides):
            side = min(sides, key=lambda side: len(side.frontier))
            last_hop = length + 1 == max_hops
            # A node that nobody has reached before the last hop is on no path: only edges among the others are read.
            reached = tuple(dict.fromkeys(node for each in sides for node in each.distances))
            wanted_edges = NeighbourFilter(wanted.types, wanted.types, among=reached if last_hop else None)
            await _step(reader, allowed, side, sides, wanted_edges, graph, confirm)
        length += 1
        # An end next to a hub that was read in part may turn up from the other side, after longer paths were found.
        for shorter in range(1 if graph.cut else length, length + 1):
            paths += _paths_of_length(shorter, sides, graph, wanted.max_paths - len(paths), paths)
    paths.sort(key=lambda path: len(path.edges))
    unfinished = length < max_hops and graph.edges_read >= _MOST_EDGES
    return PathsFound(tuple(paths), cut=(graph.cut or unfinished) and len(paths) < wanted.max_paths)


async def _step(
    reader: GraphReader,
    allowed: AllowedSources,
    side: _Side,
    sides: tuple[_Side, _Side],
    wanted: NeighbourFilter,
    graph: _ReadGraph,
    confirm: Confirm,
) -> None:
    """Go one hop further from one side, over the wanted edges; how many of a node are read depends on what is left."""
    nodes = side.frontier[:_MOST_FRONTIER]
    fewest, most = _EDGES_PER_NODE
    share = min(most, max(fewest, (_MOST_EDGES - graph.edges_read) // len(nodes)))
    hop = await reader.neighbours(allowed, nodes, replace(wanted, per_node=share))
    graph.edges_read += len(hop.steps)
    graph.cut = graph.cut or bool(hop.cut) or len(nodes) < len(side.frontier)
    neighbours = dict.fromkeys(step.other for step in hop.steps)
    new = [
        node for node in neighbours if node not in graph.refused and not any(node in other.distances for other in sides)
    ]
    confirmed = await confirm(new) if new else ()
    graph.refused.update(node for node in new if node not in confirmed)
    for step in hop.steps:
        if step.other not in graph.refused:
            graph.join(step.edge)
    side.depth += 1
    side.frontier = [node for node in neighbours if node not in graph.refused and node not in side.distances]
    side.distances.update(dict.fromkeys(side.frontier, side.depth))


def _paths_of_length(
    length: int, sides: tuple[_Side, _Side], graph: _ReadGraph, limit: int, earlier: Sequence[Path]
) -> list[Path]:
    """Paths of exactly this length in the graph read so far: at most `limit`, and none that is among `earlier`."""
    paths: list[Path] = []
    seen = {path.nodes for path in earlier}
    for turns, path in enumerate(_walks(length, sides, graph)):
        if len(paths) == limit:
            break
        if path is not None and path not in seen:
            paths.append(_path_along(path, graph))
        if turns == _MOST_TURNS:
            graph.cut = True
            break
    return paths


def _walks(length: int, sides: tuple[_Side, _Side], graph: _ReadGraph) -> Iterator[tuple[Node, ...] | None]:
    """Yield each path of this length, and None for each node that is tried along the way."""
    ahead, behind = sides
    starts = [node for node, distance in ahead.distances.items() if distance == 0]
    open_walks: list[tuple[Node, ...]] = [(node,) for node in reversed(starts)]
    while open_walks:
        walk = open_walks.pop()
        yield None
        hops_left = length - len(walk)
        onward: list[tuple[Node, ...]] = []
        for node in _strongest(graph, walk[-1]):
            # Beyond what was seen from the end, a node is at least one hop further than that side has gone.
            distance = behind.distances.get(node, behind.depth + 1)
            if (
                distance > hops_left
                or node in walk
                or ahead.distances.get(node) == 0
                or (distance == 0) != (hops_left == 0)
            ):
                continue
            onward.append((*walk, node))
        if hops_left == 0:
            yield from onward
        else:
            open_walks += reversed(onward)


def _strongest(graph: _ReadGraph, node: Node) -> list[Node]:
    """The neighbours of a node, those over the strongest edges first."""
    links = graph.links.get(node, {})
    return sorted(links, key=lambda other: -links[other].weight)


def _path_along(nodes: tuple[Node, ...], graph: _ReadGraph) -> Path:
    return Path(nodes, tuple(graph.links[one][other] for one, other in pairwise(nodes)))
