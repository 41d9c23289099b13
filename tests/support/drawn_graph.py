"""A graph in memory, drawn as "a -type-> b" lines, that walks can read; it counts what they read."""

import re
from collections.abc import Collection, Sequence

from citemark.model.ids import DocumentId
from citemark.model.sources import AllowedSources
from citemark.model.walks import Edge, Hop, NeighbourFilter, Node, Step

EVERYTHING = AllowedSources((), 0, 0)
_LINE = re.compile(r"(\S+) -(\w+)-> (\S+)")


def node(name: str) -> Node:
    return Node(1, "page", name, DocumentId(sum(map(ord, name))), DocumentId(0))


class DrawnGraph:
    """Edges in the order in which they are drawn; `read` counts the edges that were handed out."""

    def __init__(self, *lines: str, unconfirmed: Collection[str] = ()) -> None:
        self.edges: list[Edge] = []
        for number, line in enumerate(lines, start=1):
            match = _LINE.fullmatch(line)
            assert match is not None, line
            self.edges.append(Edge(match[2], node(match[1]), node(match[3]), 1, number, 0, 0, 0, 0))
        self.unconfirmed = unconfirmed
        self.asked: list[str] = []
        self.read = 0
        self.hops = 0

    async def neighbours(self, allowed: AllowedSources, nodes: Sequence[Node], wanted: NeighbourFilter) -> Hop:
        del allowed
        self.hops += 1
        steps: list[Step] = []
        cut: set[Node] = set()
        for each in nodes:
            leaving = [Step(each, edge, edge.end) for edge in self.edges if edge.start == each]
            arriving = [Step(each, edge, edge.start) for edge in self.edges if edge.end == each]
            for way, types in ((leaving, wanted.leaving), (arriving, wanted.arriving)):
                if types is None:
                    continue
                found = [step for step in way if not types or step.edge.type in types]
                found = [step for step in found if wanted.among is None or step.other in wanted.among]
                steps += sorted(found, key=lambda step: -step.edge.weight)[: wanted.per_node]
                cut |= {each} if len(found) >= wanted.per_node else set()
        self.read += len(steps)
        return Hop(tuple(steps), frozenset(cut))

    async def confirm(self, nodes: Sequence[Node]) -> Collection[Node]:
        self.asked += [each.name for each in nodes]
        return [each for each in nodes if each.name not in self.unconfirmed]
