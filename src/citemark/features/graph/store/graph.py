"""The graph as a walk reads it: nodes by name, and the neighbours of many nodes in one statement."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, LiteralString, cast

from citemark.model.documents import DocumentRef
from citemark.model.ids import DocumentId
from citemark.model.sources import AllowedSources
from citemark.model.text import Lines
from citemark.model.walks import WEIGHTS, Edge, EdgePart, Hop, NeighbourFilter, Node, NodeName, NodeRow, Step
from citemark.store.database import Database, Row, int_array, text_array

_AT_HEAD = re.compile(r"(\w+)\.valid_to = 'infinity'")
_AT_A_MOMENT = r"(\1.valid_from <= %(at)s AND \1.valid_to > %(at)s)"

_STATED = re.compile(r"x\.(\w+) AS \1\b")
_STATED_THEN = r"value_then(x.\1, x.moved_at, x.\1s_before, %(at)s) AS \1"

_LOOKED_AT = 4
"""Edges that are read for each edge returned: enough to pick the strong ones of a page with hundreds."""

_BEARERS = 8
"""The most documents of one name that a mention leads to: a name that more of them share is ambiguous."""


class GraphStore:
    """Reads nodes and edges within the allowed sources, in the state in which these are read."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def nodes(self, allowed: AllowedSources, names: Sequence[NodeName]) -> dict[NodeName, Node]:
        """The nodes that exist under these names, by name."""
        nodes, _ = await self.nodes_and_cards(allowed, names)
        return nodes

    async def nodes_and_cards(
        self, allowed: AllowedSources, names: Sequence[NodeName]
    ) -> tuple[dict[NodeName, Node], dict[Node, NodeRow]]:
        """The nodes that exist under these names, by name; and of those that are documents, what `shown` tells."""
        params = {**_named(names), "pages": int_array(name.page_id for name in names)}
        rows = await self._fetch("graph_nodes", allowed, params)
        nodes: dict[NodeName, Node] = {}
        cards: dict[Node, NodeRow] = {}
        for row in rows:
            name = names[int(row["place"]) - 1]
            ids = (DocumentId(row["document_id"] or 0), DocumentId(row["page_id"] or 0))
            node = nodes[name] = Node(name.source_id, name.kind, name.name, *ids)
            if row["revision_id"] is not None:
                cards[node] = _node_row(row)
        return nodes, cards

    async def neighbours(self, allowed: AllowedSources, nodes: Sequence[Node], wanted: NeighbourFilter) -> Hop:
        """The edges of nodes, each once for every one of the nodes that it joins; the strongest of a node come first.

        Args:
            allowed: the sources in which both ends must be, and the state that is read.
            nodes: the nodes whose edges are read, without duplicates.
            wanted: which edges to return, and how many per node.
        """
        if not nodes:
            return Hop(())
        rows = await self._neighbour_rows(allowed, nodes, wanted, wanted.per_node * _LOOKED_AT)
        steps = [_step(nodes[int(row["place"]) - 1], row) for row in rows if row["place"] is not None]
        cut = frozenset(nodes[int(row["cut"]) - 1] for row in rows if row["cut"] is not None)
        return Hop(tuple(sorted(steps, key=_order(nodes))), cut)

    async def part_of_group(
        self, allowed: AllowedSources, node: Node, wanted: NeighbourFilter, start: int, most: int
    ) -> EdgePart:
        """Some of the edges of one type that leave a node, or of those that arrive at it; always in the same order.

        Args:
            allowed: the sources in which both ends must be, and the state that is read.
            node: the node whose edges are read.
            wanted: one type of edge in one direction, and how many of its edges are counted at most.
            start: how many of them come before the part.
            most: how many the part has at most; it has fewer if some lead to what is not in the index.
        """
        rows = await self._neighbour_rows(allowed, [node], wanted, wanted.per_node, start, most)
        steps = sorted((_step(node, row) for row in rows if row["place"] is not None), key=_order([node]))
        return EdgePart(tuple(steps), int(rows[0]["total"]))

    async def _neighbour_rows(
        self,
        allowed: AllowedSources,
        nodes: Sequence[Node],
        wanted: NeighbourFilter,
        looked_at: int,
        start: int = 0,
        most: int | None = None,
    ) -> list[Row]:
        params = {
            **_named([NodeName(node.source_id, node.kind, node.name) for node in nodes]),
            "documents": int_array(node.document_id for node in nodes),
            "pages": int_array(node.page_id for node in nodes),
            "leaving": wanted.leaving is not None,
            "leaving_types": list(wanted.leaving or ()),
            "arriving": wanted.arriving is not None,
            "arriving_types": list(wanted.arriving or ()),
            "per_node": wanted.per_node,
            "looked_at": looked_at,
            "start": start,
            "most": most,
            "weak": list(WEIGHTS),
            "bearers": _BEARERS,
            "among": wanted.among is not None,
            **_known(wanted.among or ()),
        }
        return await self._fetch("graph_neighbours", allowed, params)

    async def sections_below(self, allowed: AllowedSources, nodes: Sequence[Node], limit: int) -> list[Node]:
        """The first sections of those nodes that are pages, and below those that are sections, at any depth."""
        documents = [node for node in nodes if node.is_document]
        params = {
            "sources": int_array(node.source_id for node in documents),
            "documents": int_array(node.document_id for node in documents),
            "pages": int_array(node.page_id for node in documents),
            "limit": limit,
        }
        return [_node(row) for row in await self._fetch("graph_sections_below", allowed, params)]

    async def shown(
        self, allowed: AllowedSources, nodes: Sequence[Node], edges: Sequence[Edge]
    ) -> tuple[dict[Node, NodeRow], dict[Edge, Lines]]:
        """What is shown of nodes and edges, in one statement.

        Returns:
            The names of those nodes that are documents, and the page revisions that they come from; and the lines in
            which edges are stated, for those edges whose revisions are kept.
        """
        documents = {(node.source_id, int(node.document_id)): node for node in nodes if node.is_document}
        if not documents and not edges:
            return {}, {}
        params = {
            "sources": int_array(source_id for source_id, _ in documents),
            "documents": int_array(document_id for _, document_id in documents),
            "edge_sources": int_array(edge.source_id for edge in edges),
            "revisions": int_array(edge.revision_id for edge in edges),
            "starts": int_array(edge.start_char for edge in edges),
            "ends": int_array(edge.end_char for edge in edges),
        }
        cards: dict[Node, NodeRow] = {}
        lines: dict[Edge, Lines] = {}
        for row in await self._fetch("graph_shown", allowed, params):
            if row["place"] is None:
                cards[documents[row["source_id"], row["document_id"]]] = _node_row(row)
            else:
                lines[edges[row["place"] - 1]] = Lines(row["first_line"], row["first_line"] + row["more_lines"])
        return cards, lines

    async def exists(self, allowed: AllowedSources) -> bool:
        """Whether the allowed sources contain any edge."""
        return bool((await self._fetch("graph_exists", allowed, {}))[0]["found"])

    async def near_documents(self, allowed: AllowedSources, words: Sequence[str], limit: int) -> list[Node]:
        """Documents whose id or title contains some of the words (lower case), those with the most of them first."""
        rows = await self._fetch("graph_near_documents", allowed, {"words": list(words), "limit": limit})
        return [_node(row) for row in rows]

    async def near_entities(
        self, allowed: AllowedSources, kind: str, words: Sequence[str], limit: int
    ) -> list[NodeName]:
        """Entities of a kind whose name contains one of the words (lower case)."""
        params = {"kind": kind, "words": list(words), "limit": limit}
        rows = await self._fetch("graph_near_entities", allowed, params)
        return [NodeName(0, row["to_kind"], row["name"]) for row in rows]

    async def counts(self, allowed: AllowedSources) -> tuple[Mapping[str, int], Mapping[str, int]]:
        """The number of nodes of each kind, and of edges of each type."""
        nodes = await self._fetch("graph_node_counts", allowed, {})
        edges = await self._fetch("graph_edge_counts", allowed, {})
        return {row["kind"]: row["nodes"] for row in nodes}, {row["type"]: row["edges"] for row in edges}

    async def _fetch(self, name: str, allowed: AllowedSources, params: Mapping[str, Any]) -> list[Row]:
        statement = self._database.queries[name]
        once = self._database.queries.planned_once(name)
        all_params = {**params, "source_ids": allowed.ids}
        if allowed.read_at is None:
            return await self._database.read_sql(statement, all_params, planned_once=once, on_replicas=True)
        # Only our own SQL text is replaced; the moment stays a parameter.
        then = _STATED.sub(_STATED_THEN, _AT_HEAD.sub(_AT_A_MOMENT, statement))
        past = cast("LiteralString", then)
        at_moment = {**all_params, "at": allowed.read_at}
        return await self._database.read_sql(past, at_moment, planned_once=once, on_replicas=True)


def _node(row: Row) -> Node:
    return Node(row["source_id"], row["doc_type"], row["native_id"], row["document_id"], row["page_id"])


def _node_row(row: Row) -> NodeRow:
    return NodeRow(
        ref=DocumentRef(row["page_type"], row["page_native_id"], row["version"]),
        revision_id=row["revision_id"],
        title=row["title"],
        url=row["url"],
        element_type=row["element_type"] or "",
        slug=row["slug"],
        section_title=row["section_title"] or "",
        chunk_id=row["chunk_id"],
    )


def _named(names: Sequence[NodeName]) -> Mapping[str, str]:
    return {
        "node_sources": int_array(name.source_id for name in names),
        "kinds": text_array(name.kind for name in names),
        "names": text_array(name.name for name in names),
    }


def _known(nodes: Sequence[Node]) -> Mapping[str, str]:
    return {
        "known_sources": int_array(node.source_id for node in nodes),
        "known_kinds": text_array(node.kind for node in nodes),
        "known_names": text_array(node.name for node in nodes),
        "known_documents": int_array(node.document_id for node in nodes),
    }


def _step(node: Node, row: Row) -> Step:
    other = Node(row["other_source"], row["other_kind"], row["other_name"], row["other_document"], row["other_page"])
    start, end = (node, other) if row["leaves"] else (other, node)
    edge = Edge(
        type=row["type"],
        start=start,
        end=end,
        source_id=row["source_id"],
        relationship_id=row["relationship_id"],
        page_id=row["page_id"],
        revision_id=row["revision_id"] or 0,
        start_char=row["start_char"] or 0,
        end_char=row["end_char"] or 0,
        name=row["label"] or "",
    )
    return Step(node, edge, other)


def _order(nodes: Sequence[Node]) -> Any:
    """The sort key of steps: by the order of their nodes, within a node by weight, then in the order of recording."""
    positions = {node: position for position, node in enumerate(nodes)}

    def key(step: Step) -> tuple[int, float, int, int, Node]:
        edge = step.edge
        return positions[step.node], -edge.weight, edge.source_id, edge.relationship_id, step.other

    return key
