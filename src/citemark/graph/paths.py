"""Paths between two sets of nodes: breadth first from both, the shortest first, within a limit of work."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from citemark.graph.expansion import Confirm, GraphReader
from citemark.model.sources import AllowedSources
from citemark.model.walks import Edge, NeighbourFilter, Node

MOST_PATH_HOPS = 5
MOST_PATHS = 50

_MOST_EDGES = 20_000
"""Edges that one search reads: five hops over nodes of degree ten from both ends read 2,500."""

_MOST_FRONTIER = 1_000
"""Nodes that one statement asks about: those of three hops at degree ten."""

_EDGES_PER_NODE = (10, 200)
"""The fewest and the most edges of one node that are read: a hub shares the work that is left with its frontier."""

_MOST_TURNS = 50_000
"""Nodes that are tried while paths are put together: about 50 ms."""


@dataclass(frozen=True, slots=True)
class Path:
    """Nodes that edges join one to the next; an edge may lead either way."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class PathSearch:
    """How long the paths may be, how many are wanted, and over which types of edges; all when there are none."""

    types: tuple[str, ...] = ()
    max_hops: int = 3
    max_paths: int = 10


@dataclass(frozen=True, slots=True)
class PathsFound:
    """Paths, the shortest first. `cut`: the work that one search may do ended it, so there may be others as short."""

    paths: tuple[Path, ...]
    cut: bool = False


@dataclass(slots=True)
class _Side:
    """One end of the search: how far each node is from it, and where it stands."""

    far: dict[Node, int]
    frontier: list[Node]
    depth: int = 0


@dataclass(slots=True)
class _Known:
    """What was read: the strongest edge between each two neighbours, and the nodes that were not confirmed."""

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
    """Look for paths that begin at one of `starts`, end at one of `ends`, and meet no node twice nor others of these.

    Args:
        reader: reads edges; one statement a hop.
        allowed: where everything must lie, and the state that is read.
        starts: nodes that are confirmed already.
        ends: likewise; what is among the starts too is left out.
        wanted: how long, and how many.
        confirm: asked about the documents of each hop.
    """
    first = dict.fromkeys(starts)
    last = dict.fromkeys(node for node in ends if node not in first)
    sides = (_Side(dict.fromkeys(first, 0), list(first)), _Side(dict.fromkeys(last, 0), list(last)))
    known = _Known()
    found: list[Path] = []
    length = 0
    max_hops = min(wanted.max_hops, MOST_PATH_HOPS)
    while length < max_hops and len(found) < wanted.max_paths and known.edges_read < _MOST_EDGES:
        # Once a side has nowhere to go, everything that a path could run through is known.
        if all(side.frontier for side in sides):
            side = min(sides, key=lambda side: len(side.frontier))
            await _step(reader, allowed, side, sides, wanted.types, known, confirm)
        length += 1
        # The end of a hub that was read in part may turn up from the other side, after longer paths than over it.
        for shorter in range(1 if known.cut else length, length + 1):
            found += _of_length(shorter, sides, known, wanted.max_paths - len(found), found)
    found.sort(key=lambda path: len(path.edges))
    unfinished = length < max_hops and known.edges_read >= _MOST_EDGES
    return PathsFound(tuple(found), cut=(known.cut or unfinished) and len(found) < wanted.max_paths)


async def _step(
    reader: GraphReader,
    allowed: AllowedSources,
    side: _Side,
    sides: tuple[_Side, _Side],
    types: tuple[str, ...],
    known: _Known,
    confirm: Confirm,
) -> None:
    """Go one hop further from one side."""
    asked = side.frontier[:_MOST_FRONTIER]
    fewest, most = _EDGES_PER_NODE
    share = min(most, max(fewest, (_MOST_EDGES - known.edges_read) // len(asked)))
    hop = await reader.neighbours(allowed, asked, NeighbourFilter(types, types, share))
    known.edges_read += len(hop.steps)
    known.cut = known.cut or bool(hop.cut) or len(asked) < len(side.frontier)
    met = dict.fromkeys(step.other for step in hop.steps)
    new = [node for node in met if node not in known.refused and not any(node in each.far for each in sides)]
    confirmed = await confirm(new) if new else ()
    known.refused.update(node for node in new if node not in confirmed)
    for step in hop.steps:
        if step.other not in known.refused:
            known.join(step.edge)
    side.depth += 1
    side.frontier = [node for node in met if node not in known.refused and node not in side.far]
    side.far.update(dict.fromkeys(side.frontier, side.depth))


def _of_length(
    length: int, sides: tuple[_Side, _Side], known: _Known, most: int, already: Sequence[Path]
) -> list[Path]:
    """Paths of exactly this length over what was read, at most so many and none of those that are found already."""
    found: list[Path] = []
    seen = {path.nodes for path in already}
    for turns, path in enumerate(_walks(length, sides, known)):
        if len(found) == most:
            break
        if path is not None and path not in seen:
            found.append(_joined(path, known))
        if turns == _MOST_TURNS:
            known.cut = True
            break
    return found


def _walks(length: int, sides: tuple[_Side, _Side], known: _Known) -> Iterator[tuple[Node, ...] | None]:
    """Yield each path of this length, and None for each node that is tried on the way."""
    ahead, behind = sides
    starts = [node for node, far in ahead.far.items() if far == 0]
    ways: list[tuple[Node, ...]] = [(node,) for node in reversed(starts)]
    while ways:
        way = ways.pop()
        yield None
        left = length - len(way)
        onward: list[tuple[Node, ...]] = []
        for node in _strongest(known, way[-1]):
            # Beyond what was seen from the end, a node is at least one hop further than that side has gone.
            distance = behind.far.get(node, behind.depth + 1)
            if distance > left or node in way or ahead.far.get(node) == 0 or (distance == 0) != (left == 0):
                continue
            onward.append((*way, node))
        if left == 0:
            yield from onward
        else:
            ways += reversed(onward)


def _strongest(known: _Known, node: Node) -> list[Node]:
    """The neighbours of a node, those over the strongest edges first."""
    links = known.links.get(node, {})
    return sorted(links, key=lambda other: -links[other].weight)


def _joined(nodes: tuple[Node, ...], known: _Known) -> Path:
    return Path(nodes, tuple(known.links[one][other] for one, other in pairwise(nodes)))
