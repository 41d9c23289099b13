"""Nodes and edges of the graph, and the paths between them."""

from typing import TYPE_CHECKING, Any

from pydantic import Field

from citemark.results.common_parts import (
    MAX_TITLE_CHARS,
    QuoteCitationOut,
    ResponseMetaOut,
    count,
    document_of,
    meta_fields,
    nothing,
    quote_cited,
    quoted,
    short,
    with_remarks,
)
from citemark.results.shape import Strict
from citemark.text.citation_line import name_of
from citemark.text.escaping import marked, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from citemark.features.graph.services.responses import (
        EdgeCard,
        GraphSummary,
        NodeCard,
        NodePage,
        PathCard,
        PathPage,
    )
    from citemark.model.walks import Node
    from citemark.services.responses import ResponseMeta


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


class PathOut(Strict):
    """A path: the nodes that it meets, and between each two the edge, by its place in `edges` (from 0)."""

    node_ids: list[str]
    edges: list[int]


class PathsOut(ResponseMetaOut):
    """Paths, the shortest first, and once each the nodes and edges that they are made of."""

    paths: list[PathOut]
    nodes: list[NodeOut] = Field(default_factory=list[NodeOut])
    edges: list[EdgeOut] = Field(default_factory=list[EdgeOut])
    total: int


class DescribeOut(ResponseMetaOut):
    """What the graph holds: nodes by kind, edges by type."""

    nodes: dict[str, int]
    edges: dict[str, int]
    sources: list[str]


def node_out(card: "NodeCard", *, hops: bool = True) -> NodeOut:
    """A node as it appears in a result."""
    return NodeOut(**node_fields(card, hops=hops))


def node_fields(card: "NodeCard", *, hops: bool = True) -> dict[str, Any]:
    """The fields of `NodeOut`; `hops`: with the distance from where the walk began."""
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
    return fields


def edge_out(card: "EdgeCard") -> EdgeOut:
    """An edge as it appears in a result."""
    fields = {"name": short(card.edge.name, MAX_TITLE_CHARS)} if card.edge.name else {}
    return EdgeOut(
        from_id=card.start_id, type=card.edge.type, to_id=card.end_id, citation=quote_cited(card.citation), **fields
    )


def nodes_out(page: "NodePage", meta: "ResponseMeta", kept: int | None = None) -> NodesOut:
    """The first `kept` nodes of a page, or all, and the edges to them as a result."""
    return NodesOut(
        nodes=[node_out(card) for card in page.nodes[:kept]],
        edges=[edge_out(card) for card in page.edges_of(len(page.nodes) if kept is None else kept)],
        total=page.total,
        **meta_fields(meta),
    )


def paths_out(page: "PathPage", meta: "ResponseMeta", kept: int | None = None) -> PathsOut:
    """The first `kept` paths of a page, or all, as a result."""
    path_cards = page.paths[:kept]
    nodes, edges = page.parts_of(len(path_cards))
    edge_indices = {card.edge: index for index, card in enumerate(edges)}
    paths = [
        PathOut(
            node_ids=[page.nodes[node].node_id for node in path.nodes],
            edges=[edge_indices[card.edge] for card in path.edges],
        )
        for path in path_cards
    ]
    return PathsOut(
        paths=paths,
        nodes=[node_out(card, hops=False) for card in nodes],
        edges=[edge_out(card) for card in edges],
        total=page.total,
        **meta_fields(meta),
    )


def described(found: "GraphSummary", meta: "ResponseMeta", kept: int | None = None) -> DescribeOut:
    """What the graph holds as a result, with the first `kept` of its sources, or all."""
    return DescribeOut(
        nodes=dict(found.nodes), edges=dict(found.edges), sources=list(found.sources[:kept]), **meta_fields(meta)
    )


def described_text(out: DescribeOut, meta: "ResponseMeta") -> str:
    """What the graph holds as text."""
    lines = [
        f"Sources: {', '.join(map(one_line, out.sources))}",
        f"Nodes: {_counted(out.nodes)}",
        f"Edges: {_counted(out.edges)}",
    ]
    return with_remarks(lines, meta)


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


def paths_text(page: "PathPage", paths: "tuple[PathCard, ...]", nodes: "list[NodeCard]", meta: "ResponseMeta") -> str:
    """Paths as text: their nodes once, then each path with the edges that no path before it has."""
    numbers = numbers_of(nodes)
    lines = [f"{len(paths)} of {count(page.total, 'path')}" if paths else nothing(meta)]
    for card in nodes:
        lines += node_line(card, numbers[card.node], hops=False)
    written: set[str] = set()
    for number, path in enumerate(paths, start=1):
        lines += ["", f"Path {number}: {' '.join(f'({numbers[node]})' for node in path.nodes)}"]
        new = [line for card in path.edges if (line := edge_line(card, numbers)) not in written]
        written.update(new)
        lines += new
    return with_remarks(lines, meta)


def _counted(numbers: dict[str, int]) -> str:
    return ", ".join(f"{one_line(name)} {number}" for name, number in sorted(numbers.items())) or "none"
