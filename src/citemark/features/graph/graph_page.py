"""The pages of the graph: what is around a node, paths between two, and what a change of one touches."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from citemark.features.graph.services.exploration import CUT
from citemark.features.graph.services.keys import EXPLORATION, IMPACT
from citemark.features.graph.services.requests import (
    Direction,
    GraphScope,
    GroupRequest,
    ImpactRequest,
    NodesRequest,
    PathsRequest,
)
from citemark.features.graph.services.responses import EdgeCard, GroupPage, NodeCard
from citemark.model.citation import Citation
from citemark.model.errors import BackendUnavailable
from citemark.model.walks import Node
from citemark.services.advice import for_reader
from citemark.services.asked_states import state_asked
from citemark.services.bundle import Services
from citemark.services.empty import no_path, nothing_related
from citemark.services.requests import SearchRequest
from citemark.services.responses import ResponseMeta
from citemark.text.citation_line import line_of
from citemark.text.escaping import one_line
from citemark.web.asked import Asked
from citemark.web.page_addresses import address_of_citation, address_of_document
from citemark.web.rendering import Page
from citemark.web.search_page import found_data

_MOST_NODES = 201
"""Nodes of a walk with the one that it begins with; a walk holds no more."""

_MOST_ROWS = 12
"""Edges of a group that are listed before one asks for the group alone."""

_ROWS_OF_GROUP = 200
"""Rows of a group that is asked for alone, on one page."""

_MOST_FOUND = 10


async def graph(asked: Asked) -> Page:
    """A node with its neighbours in groups; without a node, what the graph holds, and nodes that a text finds."""
    services = await asked.index.services()
    data: dict[str, Any] = {
        **asked.fields("q", "node", "type", "direction", "as_of"),
        "overview": None,
        "nothing": "",
        "choices": [],
        "around": None,
        "found": None,
    }
    wanted = asked.text("node")
    if wanted:
        return Page("graph", {**data, "node": wanted, **await _around(asked, services, wanted)})
    if question := asked.question():
        return Page("graph", {**data, **await _choices(asked, services, question, "/graph", {}, "node")})
    try:
        summary = await services.get(EXPLORATION).describe(asked.caller, _scope(asked))
    except BackendUnavailable as error:
        return Page("graph", {**data, "nothing": for_reader(error.message, asked.caller.principal)})
    nodes, edges = (sorted(each.items(), key=lambda of: -of[1]) for each in (summary.nodes, summary.edges))
    return Page("graph", {**data, "overview": {"nodes": dict(nodes), "edges": dict(edges)}})


async def paths(asked: Asked) -> Page:
    """The paths between two nodes; with one of them, nodes that a text finds for the other."""
    services = await asked.index.services()
    start, end = asked.text("from"), asked.text("to")
    data: dict[str, Any] = {
        **asked.fields("q", "as_of"),
        "given": {"start": start, "end": end},
        "paths": [],
        "nodes": [],
        "edges": [],
        "choices": [],
        "cut": False,
        "found": None,
    }
    if not (start and end):
        question = asked.question()
        others = {"from": start} if start else {}
        found = await _choices(asked, services, question, "/paths", others, "to") if question and start else {}
        return Page("paths", {**data, **found})
    request = PathsRequest((start,), (end,), _scope(asked))
    page = await services.get(EXPLORATION).paths(asked.caller, request)
    meta = page.meta
    if not page.paths:
        nothing = no_path(request.max_hops, cut=meta.partial)
        meta = await services.catalog.explained(asked.caller, request.graph_scope.scope, meta, nothing)
    titles = _titles(page.nodes.values())
    listed = [
        {
            "nodes": [node_data(page.nodes[node]) for node in path.nodes],
            "edges": [edge_data(card, titles) for card in path.edges],
        }
        for path in page.paths
    ]
    nodes, edges = page.parts_of(len(page.paths))
    return Page(
        "paths",
        {
            **data,
            "paths": listed,
            "nodes": [node_data(card) for card in nodes],
            "edges": [edge_data(card, titles) for card in edges],
            "cut": CUT in meta.notes,
            "found": _said(meta),
        },
    )


async def impact(asked: Asked) -> Page:
    """What depends on an element or another node, and what mentions any of that."""
    services = await asked.index.services()
    data: dict[str, Any] = {**asked.fields("q", "as_of"), "changed": None, "nodes": [], "edges": [], "found": None}
    wanted = asked.text("node") or asked.question()
    if not wanted:
        return Page("impact", {**data, "dependents": [], "mentions": []})
    found = await services.get(IMPACT).of(asked.caller, ImpactRequest(wanted, read_context=_scope(asked).read_context))
    cards = [found.changed, *(each.card for each in found.dependents), *(each.card for each in found.mentions)]
    titles = _titles(cards)
    edges = {edge.edge: edge for each in found.dependents for edge in each.path}
    drawn = [found.changed, *(each.card for each in found.dependents)]
    return Page(
        "impact",
        {
            **data,
            "changed": node_data(found.changed),
            "dependents": [
                {"node": node_data(each.card), "path": [edge_data(edge, titles) for edge in each.path]}
                for each in found.dependents
            ],
            "mentions": [
                {"node": node_data(each.card), "of": node_data(each.of), "edge": edge_data(each.edge, titles)}
                for each in found.mentions
            ],
            "nodes": [node_data(card) for card in drawn],
            "edges": [edge_data(card, titles) for card in edges.values()],
            "found": found_data(found.meta),
        },
    )


def address_of_node(node_id: str) -> str:
    """The address of a node with its neighbours."""
    return "/graph?" + urlencode({"node": node_id})


def graph_of_document(source: str, doc_type: str, document_id: str) -> str:
    """The address of a document, a section or an element in the graph."""
    return address_of_node(f"{source}:{doc_type}:{document_id}")


def node_data(card: NodeCard) -> dict[str, Any]:
    """A node as the page shows it: what it is, where to go on from it, and where to read it."""
    return {
        "id": card.node_id,
        "title": one_line(card.title),
        "kind": (card.element_type or card.node.kind).replace("_", " "),
        "hops": card.hops,
        "around": address_of_node(card.node_id),
        "read": _where_read(card),
    }


def edge_data(card: EdgeCard, titles: Mapping[str, str]) -> dict[str, Any]:
    """An edge as the page shows it, with the line that states it."""
    return {
        "from": card.start_id,
        "from_title": titles.get(card.start_id, card.start_id),
        "to": card.end_id,
        "to_title": titles.get(card.end_id, card.end_id),
        "type": card.edge.type.replace("_", " "),
        "name": one_line(card.edge.name),
        "stated": line_of(card.citation, named=True).rpartition(", as of ")[0],
        "open": address_of_citation(card.citation),
        "citation": card.citation.as_dict(),
    }


async def _around(asked: Asked, services: Services, node_id: str) -> dict[str, Any]:
    """The neighbours of a node, in groups of one direction, type of edge and kind of neighbour."""
    wanted, direction = asked.text("type"), _direction(asked)
    if wanted and direction != "both":
        return await _group(asked, services, GroupRequest(node_id, wanted, direction == "outgoing", 0, _ROWS_OF_GROUP))
    types = (wanted,) if wanted else ()
    request = NodesRequest((node_id,), _scope(asked), rel_types=types, direction=direction, page_size=_MOST_NODES)
    page = await services.get(EXPLORATION).nodes(asked.caller, request)
    meta = page.meta
    if not page.edges:
        meta = await services.catalog.explained(asked.caller, request.graph_scope.scope, meta, nothing_related())
    middle, cut = page.nodes[0], CUT in meta.notes
    around = _around_data(middle, page.nodes, page.edges, most_rows=_MOST_ROWS)
    return {"around": {**around, "limited": bool(wanted) or direction != "both", "cut": cut}, "found": _said(meta)}


async def _group(asked: Asked, services: Services, wanted: GroupRequest) -> dict[str, Any]:
    """The edges of one type in one direction of a node, in parts, to the last of them."""
    request = replace(wanted, start=asked.whole("from") or 0, graph_scope=_scope(asked))
    page = await services.get(EXPLORATION).group(asked.caller, request)
    meta = page.meta
    if not (page.edges or page.start or page.more):
        meta = await services.catalog.explained(asked.caller, request.graph_scope.scope, meta, nothing_related())
    around = _around_data(page.node, (page.node, *page.nodes), page.edges, most_rows=None)
    part = _part(request, page, _scope_given(asked))
    return {"around": {**around, "part": part, "limited": True, "cut": False}, "found": _said(meta)}


def _around_data(
    middle: NodeCard, nodes: Sequence[NodeCard], edges: Sequence[EdgeCard], *, most_rows: int | None
) -> dict[str, Any]:
    """What is around a node as the page shows it; of each group `most_rows`, or all, with where to ask for it alone."""
    cards = {card.node: card for card in nodes}
    titles = _titles(nodes)
    # Each is shown twice, in the drawing and in its group, and its addresses are most of the work of the page.
    shown_nodes = {card.node: node_data(card) for card in nodes}
    shown_edges = {card.edge: edge_data(card, titles) for card in edges}
    return {
        "node": shown_nodes[middle.node],
        "place": _place(middle),
        "groups": [
            {
                "outgoing": outgoing,
                "type": written.replace("_", " "),
                "kind": kind,
                "edges": len(group),
                "rows": [
                    {"node": shown_nodes[_other(card, middle.node)], "edge": shown_edges[card.edge]}
                    for card in group[:most_rows]
                ],
                "only": "" if most_rows is None else _only(middle.node_id, written, outgoing=outgoing),
            }
            for (outgoing, written, kind), group in _grouped(edges, middle.node, cards).items()
        ],
        "nodes": [*shown_nodes.values()],
        "edges": [*shown_edges.values()],
        "part": None,
        "impact": "/impact?" + urlencode({"node": middle.node_id}),
    }


def _part(request: GroupRequest, page: GroupPage, given: Mapping[str, str]) -> dict[str, Any] | None:
    """Which edges of a group a page has, counted from 1, and where those before and after are; None for all."""
    missing = max(0, page.end - page.start - len(page.edges))
    if page.start == 0 and not page.more and not missing:
        return None

    def address(start: int) -> str:
        direction = "outgoing" if request.outgoing else "incoming"
        asked = {"node": request.node_id, "type": request.rel_type, "direction": direction, **given, "from": start}
        return "/graph?" + urlencode(asked)

    return {
        "first": page.start + 1,
        "last": page.end,
        "of": page.total,
        "missing": missing,
        "cut": CUT in page.meta.notes,
        "earlier": address(max(0, page.start - request.most)) if page.start else "",
        "later": address(page.end) if page.more else "",
    }


def _said(meta: ResponseMeta) -> dict[str, Any]:
    """What a result says about itself, without the note for programs that a walk was cut: the page says that itself."""
    found = found_data(meta)
    return {**found, "notes": [note for note in found["notes"] if note != CUT]}


def _grouped(
    edges: Iterable[EdgeCard], middle: Node, cards: Mapping[Node, NodeCard]
) -> dict[tuple[bool, str, str], list[EdgeCard]]:
    """Edges by whether they leave the middle, by their type, and by the kind of the other end; largest group first."""
    groups: dict[tuple[bool, str, str], list[EdgeCard]] = {}
    for card in edges:
        other = cards.get(_other(card, middle))
        if other is not None:
            key = (card.edge.start == middle, card.edge.type, (other.element_type or other.node.kind).replace("_", " "))
            groups.setdefault(key, []).append(card)
    return dict(sorted(groups.items(), key=lambda group: -len(group[1])))


def _other(card: EdgeCard, middle: Node) -> Node:
    return card.edge.end if card.edge.start == middle else card.edge.start


def _only(node_id: str, written: str, *, outgoing: bool) -> str:
    direction = "outgoing" if outgoing else "incoming"
    return "/graph?" + urlencode({"node": node_id, "type": written, "direction": direction})


async def _choices(
    asked: Asked, services: Services, question: str, path: str, others: Mapping[str, str], name: str
) -> dict[str, Any]:
    """Nodes that a text finds, each with the address that chooses it."""
    state = _scope(asked).read_context
    request = SearchRequest(query=question, top_k=_MOST_FOUND, page_size=_MOST_FOUND, max_per_doc=1, read_context=state)
    page = await services.search.find(asked.caller, request)
    choices = [
        {
            "title": one_line(hit.title),
            "kind": hit.citation.doc_type.replace("_", " "),
            "source": hit.citation.source,
            "choose": f"{path}?" + urlencode({**others, name: _id_of(hit.citation)}),
        }
        for hit in page.hits
    ]
    return {"choices": choices, "found": found_data(page.meta)}


def _id_of(citation: Citation) -> str:
    return f"{citation.source}:{citation.doc_type}:{citation.document_id}"


def _scope(asked: Asked) -> GraphScope:
    return GraphScope(read_context=state_asked(asked.text("as_of") or None, None))


def _scope_given(asked: Asked) -> dict[str, str]:
    return {"as_of": asked.text("as_of")} if asked.text("as_of") else {}


def _direction(asked: Asked) -> Direction:
    match asked.text("direction"):
        case "outgoing":
            return "outgoing"
        case "incoming":
            return "incoming"
        case _:
            return "both"


def _titles(cards: Iterable[NodeCard]) -> dict[str, str]:
    return {card.node_id: one_line(card.title) for card in cards}


def _where_read(card: NodeCard) -> str:
    """The address of the text of a node; "" if it has none."""
    place = _place(card)
    return "" if place is None else address_of_document(place["source"], place["document_id"])


def _place(card: NodeCard) -> dict[str, str] | None:
    """The source, type and id of a node that is a document; None for any other."""
    node = card.node
    if not node.is_document:
        return None
    source = card.node_id.removesuffix(f":{node.kind}:{node.name}")
    return {"source": source, "doc_type": node.kind, "document_id": node.name}
