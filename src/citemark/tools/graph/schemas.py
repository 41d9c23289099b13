"""Arguments and results that the graph tools share, and nodes and edges as text."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from citemark.services.graph.requests import GraphScope
from citemark.text.citation_line import name_of
from citemark.text.escaping import marked, one_line
from citemark.tools.schema import Strict
from citemark.tools.schemas_in import HiddenReadContext, HiddenScope, Name, ReadContextIn, ScopeIn, Within, listed
from citemark.tools.schemas_out import (
    MAX_TITLE_CHARS,
    QuoteCitationOut,
    ResponseMetaOut,
    count,
    document_of,
    nothing,
    quote_cited,
    quoted,
    short,
    with_remarks,
)

if TYPE_CHECKING:
    from citemark.model.walks import Node
    from citemark.services.graph.responses import EdgeCard, NodeCard, NodePage
    from citemark.services.responses import ResponseMeta

_MOST_IDS = 20
"""Maximum number of nodes that one call starts from: all hits on a page of a search."""

_MOST_TYPES = 32


def _some(names: tuple[str, ...]) -> tuple[str, ...]:
    if not 0 < len(names) <= _MOST_IDS:
        raise PydanticCustomError("ids", "must have 1 to {high} entries", {"high": _MOST_IDS})
    return tuple(dict.fromkeys(names))


def _a_few(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(names) > _MOST_TYPES:
        raise PydanticCustomError("too_many", "must have at most {high} entries", {"high": _MOST_TYPES})
    return names


_SHAPE: dict[str, Any] = {"type": "array", "items": {"type": "string"}}

Ids = Annotated[tuple[Name, ...], BeforeValidator(listed), AfterValidator(_some), WithJsonSchema(_SHAPE)]
NodeIds = Annotated[Ids, Field(description="node_ids or passage_ids.")]
Types = Annotated[tuple[Name, ...], BeforeValidator(listed), AfterValidator(_a_few), WithJsonSchema(_SHAPE)]
Hops = Annotated[int, Within(1, 3)]
PerNode = Annotated[int, Within(1, 100)]
PageSize = Annotated[int, Within(1, 100)]
Cursor = Name | None


class GraphIn(Strict):
    """What every call about the graph may say."""

    scope: HiddenScope = Field(default_factory=ScopeIn)
    read_context: HiddenReadContext = Field(default_factory=ReadContextIn)

    def graph_scope(self) -> GraphScope:
        """Which sources the call walks over, and in which state."""
        return GraphScope(self.scope.value(), self.read_context.value())


class NodeOut(Strict):
    """A node: a document, a section, an element, a folder, or an entity."""

    node_id: str
    kind: str
    title: str
    hops: int | None = None
    element_type: str | None = None
    snippet: str | None = None
    passage_id: str | None = None


class EdgeOut(Strict):
    """An edge, which leads from one node to another, cited where it is stated."""

    from_id: str
    type: str
    to_id: str
    name: str | None = None
    citation: QuoteCitationOut


class NodesOut(ResponseMetaOut):
    """Nodes, and the edges between them; `total` is how many nodes were found in all."""

    nodes: list[NodeOut]
    edges: list[EdgeOut]
    total: int


def node_out(card: "NodeCard", *, hops: bool = True) -> NodeOut:
    """A node as it appears in a result."""
    fields: dict[str, Any] = {
        "node_id": card.node_id,
        "kind": card.node.kind,
        "title": short(card.title, MAX_TITLE_CHARS),
    }
    if hops:
        fields["hops"] = card.hops
    for name in ("element_type", "snippet", "passage_id"):
        if getattr(card, name):
            fields[name] = getattr(card, name)
    return NodeOut(**fields)


def edge_out(card: "EdgeCard") -> EdgeOut:
    """An edge as it appears in a result."""
    fields = {"name": short(card.edge.name, MAX_TITLE_CHARS)} if card.edge.name else {}
    return EdgeOut(
        from_id=card.start_id, type=card.edge.type, to_id=card.end_id, citation=quote_cited(card.citation), **fields
    )


def numbers_of(cards: "Iterable[NodeCard]") -> "dict[Node, int]":
    """The numbers by which nodes are listed in the text of a result."""
    return {card.node: number for number, card in enumerate(cards, start=1)}


def node_line(card: "NodeCard", number: int, *, hops: bool = True) -> list[str]:
    """A node on one line, followed by the beginning of its text."""
    kind = ", ".join(one_line(word) for word in (card.node.kind, card.element_type) if word)
    distance = f", {count(card.hops, 'hop')}" if hops and card.hops else ""
    passage = f", {card.passage_id}" if card.passage_id else ""
    title = one_line(short(card.title, MAX_TITLE_CHARS))
    return [f"{number}. {title} ({kind}{distance}) id {one_line(card.node_id)}{passage}", *marked(card.snippet)]


def edge_line(card: "EdgeCard", numbers: "Mapping[Node, int]") -> str:
    """An edge on one line: nodes are given by their numbers, nodes of earlier pages by their ids."""
    edge = card.edge
    start = f"({numbers[edge.start]})" if edge.start in numbers else one_line(card.start_id)
    end = f"({numbers[edge.end]})" if edge.end in numbers else one_line(card.end_id)
    name = f" {quoted(edge.name)}" if edge.name else ""
    return f"- {start} -{one_line(edge.type)}-> {end}{name} [{document_of([card.citation], name_of(card.citation))}]"


def edge_lines(cards: "Sequence[EdgeCard]", numbers: "Mapping[Node, int]") -> list[str]:
    """Edges below a heading; no lines at all if there are no edges."""
    return ["", "Edges:", *(edge_line(card, numbers) for card in cards)] if cards else []


def nodes_text(page: "NodePage", kept: int, meta: "ResponseMeta", notes: "Sequence[str]" = ()) -> str:
    """The first `kept` nodes of a page and their edges as text; `notes` follow the line with the number of nodes."""
    nodes = page.nodes[:kept]
    numbers = numbers_of(nodes)
    lines = [f"{len(nodes)} of {count(page.total, 'node')}", *notes]
    for card in nodes:
        lines += node_line(card, numbers[card.node])
    if not nodes:
        lines.append(nothing(meta))
    return with_remarks([*lines, *edge_lines(page.edges_of(kept), numbers)], meta)
