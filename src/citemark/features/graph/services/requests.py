"""Requests to the graph."""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import blake2b
from typing import Literal

from citemark.features.graph.walks.expansion import MOST_HOPS
from citemark.model.scope import ReadContext, RequestScope

Direction = Literal["both", "outgoing", "incoming"]


@dataclass(frozen=True, slots=True)
class GraphScope:
    """Which sources a call walks over, and which state of them."""

    scope: RequestScope = field(default_factory=RequestScope)
    read_context: ReadContext = field(default_factory=ReadContext)


class Relation(StrEnum):
    """Which nodes, related to the given ones, a request asks for."""

    NEIGHBOURS = "neighbours"
    PARENTS = "parents"
    CHILDREN = "children"
    ENTITIES = "entities"
    SECTIONS = "sections"


@dataclass(frozen=True, slots=True)
class NodesRequest:
    """A question for what is related to some nodes, given by their ids, or by handles of passages.

    `kinds` are the kinds of nodes to return; all when empty. `rel_types` and `direction` apply to neighbours only,
    `per_node` to entities and sections only.
    """

    node_ids: tuple[str, ...]
    graph_scope: GraphScope = field(default_factory=GraphScope)
    relation: Relation = Relation.NEIGHBOURS
    rel_types: tuple[str, ...] = ()
    direction: Direction = "both"
    max_hops: int = 1
    kinds: tuple[str, ...] = ()
    per_node: int | None = None
    include_snippet: bool = False
    page_size: int = 25
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class GroupRequest:
    """A question for edges of one type that leave a node, or arrive at it: `most` of them from the one at `start`."""

    node_id: str
    rel_type: str
    outgoing: bool
    start: int
    most: int
    graph_scope: GraphScope = field(default_factory=GraphScope)


@dataclass(frozen=True, slots=True)
class PathsRequest:
    """A request for paths between some nodes and others."""

    from_ids: tuple[str, ...]
    to_ids: tuple[str, ...]
    graph_scope: GraphScope = field(default_factory=GraphScope)
    rel_types: tuple[str, ...] = ()
    max_hops: int = 3
    max_paths: int = 10
    page_size: int = 25
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class ImpactRequest:
    """The changed thing: an element by its id or name, or any node by its id or the handle of a passage in it.

    `model` says in which model to look.
    """

    wanted: str
    model: str | None = None
    scope: RequestScope = field(default_factory=RequestScope)
    read_context: ReadContext = field(default_factory=ReadContext)
    max_hops: int = MOST_HOPS


def digest_of(request: NodesRequest | PathsRequest) -> str:
    """A digest that is equal for the same question, whatever the page size and the cursor."""
    question = repr(replace(request, cursor=None, page_size=0))
    return blake2b(question.encode(errors="surrogatepass"), digest_size=16, person=b"graph-walk").hexdigest()
