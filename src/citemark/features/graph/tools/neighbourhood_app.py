"""The app that shows what is around a node of the graph."""

from typing import TYPE_CHECKING, Any

from citemark.tools.app_parts import place, said
from citemark.tools.registry import HostApp, spell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from citemark.features.graph.results.graph_nodes import EdgeOut, NodeOut, NodesOut
    from citemark.tools.registry import ToolCall

_EXPAND = "graph.expand"


async def _shown(call: "ToolCall", out: "NodesOut") -> "Mapping[str, Any]":
    """The neighbours of one node in groups, as the pages have them; the edges as a list if it is no single node."""
    expand = spell(_EXPAND, call.settings.tool_names)
    nodes = {each.node_id: _node(each, expand) for each in out.nodes}
    starts = [each.node_id for each in out.nodes if not each.hops]
    middle = starts[0] if len(starts) == 1 else None
    beside = [edge for edge in out.edges if middle is not None and middle in {edge.from_id, edge.to_id}]
    groups: dict[tuple[bool, str, str], list[dict[str, Any]]] = {}
    for edge in beside:
        outgoing = edge.from_id == middle
        other = _named(nodes, edge.to_id if outgoing else edge.from_id)
        key = (outgoing, _spaced(edge.type), other["kind"])
        groups.setdefault(key, []).append({"node": other, "edge": _edge(edge, nodes)})
    return {
        "found": said(out),
        "middle": None if middle is None else nodes[middle],
        "groups": [
            {"outgoing": outgoing, "type": written, "kind": kind, "edges": len(rows), "rows": rows, "only": ""}
            for (outgoing, written, kind), rows in sorted(groups.items(), key=lambda group: -len(group[1]))
        ],
        "edges": [_edge(edge, nodes) for edge in out.edges if edge not in beside],
        "cut": out.total > len(out.nodes),
        "shown": len(out.nodes),
        "total": out.total,
    }


def _node(node: "NodeOut", expand: str) -> dict[str, Any]:
    return {
        "id": node.node_id,
        "title": node.title,
        "kind": _spaced(node.element_type or node.kind),
        "around": "",
        "call": expand,
    }


def _named(nodes: "Mapping[str, dict[str, Any]]", node_id: str) -> dict[str, Any]:
    """A node of the result, or of an earlier page, of which only the id is known."""
    return nodes.get(node_id) or {"id": node_id, "title": node_id, "kind": "", "around": "", "call": ""}


def _edge(edge: "EdgeOut", nodes: "Mapping[str, dict[str, Any]]") -> dict[str, Any]:
    return {
        "from_title": _named(nodes, edge.from_id)["title"],
        "to_title": _named(nodes, edge.to_id)["title"],
        "type": _spaced(edge.type),
        "name": edge.name or "",
        "stated": place(edge.citation),
        "open": "",
    }


def _spaced(word: str) -> str:
    return word.replace("_", " ")


NEIGHBOURHOOD_APP = HostApp("neighbourhood", "What is around it", _shown)
