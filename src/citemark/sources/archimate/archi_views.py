"""Views of an Archi file: boxes inside boxes with relative places, lines between them."""

from collections.abc import Iterator, Mapping
from typing import Any

from citemark.extraction.office import Node, child, children
from citemark.model.layouts import Layout, LayoutConnection, LayoutNode, NodeKind
from citemark.sources.archimate.lines import box_of, connection_of, number_of
from citemark.sources.archimate.parts import Description, Element, Relationship, View
from citemark.sources.archimate.written import attribute_of, kind_of, line_of, text_of

_WIDTH, _HEIGHT = 120.0, 55.0
_GROUPS = frozenset({"Group", "SketchModelSticky", "CanvasModelBlock", "CanvasModelSticky", "SketchModelActor"})


def view_of(
    node: Node, description: Description, elements: Mapping[str, Element], relationships: Mapping[str, Relationship]
) -> View:
    """A view with the layout of what it shows."""
    nodes: list[LayoutNode] = []
    lines: list[Node] = []
    for part in children(node, "child", "children"):
        _box(part, None, elements, nodes, lines)
    at = {box.node_id: box for box in nodes}
    connections = tuple(_line(each, at, relationships) for each in lines)
    viewpoint = line_of(attribute_of(node, "viewpoint"))
    # Archi 2 wrote places in a list of its own, which say nothing to anybody else.
    named = "" if viewpoint.isdecimal() else viewpoint
    return View(attribute_of(node, "id"), description, named, Layout(tuple(nodes), connections))


def _box(
    node: Node,
    parent: LayoutNode | None,
    elements: Mapping[str, Element],
    nodes: list[LayoutNode],
    lines: list[Node],
) -> None:
    kind = kind_of(node)
    bounds = child(node, "bounds")
    place: dict[str, Any] = {
        "node_id": attribute_of(node, "id"),
        "x": _number(bounds, "x") + (parent.x if parent else 0.0),
        "y": _number(bounds, "y") + (parent.y if parent else 0.0),
        "width": _extent(bounds, "width", _WIDTH),
        "height": _extent(bounds, "height", _HEIGHT),
        "parent": parent.node_id if parent else None,
    }
    element = attribute_of(node, "archimateElement")
    shown = attribute_of(node, "model")
    label = line_of(attribute_of(node, "name"))
    if element:
        box = box_of(element, elements, label, place)
    elif shown:
        box = LayoutNode(kind="view", label=label, refers_to=shown, **place)
    else:
        called: NodeKind = "group" if kind in _GROUPS else "note"
        written = text_of(child(node, "content")) or text_of(child(node, "notes"))
        box = LayoutNode(kind=called, label=label or written, **place)
    nodes.append(box)
    lines.extend(_lines(node))
    for part in children(node, "child", "children"):
        _box(part, box, elements, nodes, lines)


def _lines(node: Node) -> Iterator[Node]:
    """The lines that begin at a box, and those that begin at these lines."""
    for line in children(node, "sourceConnection", "sourceConnections"):
        yield line
        yield from _lines(line)


def _line(node: Node, at: Mapping[str, LayoutNode], relationships: Mapping[str, Relationship]) -> LayoutConnection:
    source, target = attribute_of(node, "source"), attribute_of(node, "target")
    relationship = attribute_of(node, "archimateRelationship") or attribute_of(node, "relationship")
    bends = list(children(node, "bendpoint", "bendpoints"))
    return connection_of(
        attribute_of(node, "id"),
        source,
        target,
        relationships.get(relationship),
        relationship_id=relationship,
        label=line_of(attribute_of(node, "name")),
        bends=tuple(_bends(bends, at.get(source), at.get(target))),
    )


def _bends(bends: list[Node], source: LayoutNode | None, target: LayoutNode | None) -> Iterator[tuple[float, float]]:
    """Archi keeps a bend as seen from the middle of both ends; the nearer one counts more."""
    if source is None or target is None:
        return
    first = (source.x + source.width / 2, source.y + source.height / 2)
    last = (target.x + target.width / 2, target.y + target.height / 2)
    for number, bend in enumerate(bends, start=1):
        share = number / (len(bends) + 1)
        x = (1 - share) * (first[0] + _number(bend, "startX")) + share * (last[0] + _number(bend, "endX"))
        y = (1 - share) * (first[1] + _number(bend, "startY")) + share * (last[1] + _number(bend, "endY"))
        yield (round(x, 1), round(y, 1))


def _extent(bounds: Node | None, name: str, usual: float) -> float:
    """A width or height; -1 stands for the usual one."""
    size = _number(bounds, name)
    return size if size > 0 else usual


def _number(node: Node | None, name: str) -> float:
    return number_of(attribute_of(node, name))
