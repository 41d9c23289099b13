"""How many nodes and edges a caller can walk over: what a list of sources says of the graph, where there is one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from citemark.services.bundle import ServiceKey

if TYPE_CHECKING:  # declarations of features name the key before anything of this is loaded
    from citemark.services.requests import Caller


@dataclass(frozen=True, slots=True)
class GraphCounts:
    """Numbers of nodes by their kinds, and of edges by their types."""

    nodes: Mapping[str, int]
    edges: Mapping[str, int]


class CountedGraph(Protocol):
    """Counts the graph of all sources that a caller may read."""

    async def counts(self, caller: "Caller") -> GraphCounts:
        """The nodes and edges in the present state; none of either if nothing is linked yet."""
        ...


GRAPH_COUNTS: ServiceKey[CountedGraph] = ServiceKey("what the graph holds")
