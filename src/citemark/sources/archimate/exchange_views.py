"""Views of an exchange file: nested boxes and lines, all in coordinates of the view."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from citemark.extraction.office import Node, child, children
from citemark.model.layouts import Layout, LayoutConnection, LayoutNode
from citemark.sources.archimate.lines import box_of, connection_of, number_of
from citemark.sources.archimate.parts import Description, Element, Relationship, View
from citemark.sources.archimate.written import attribute_of, kind_of, line_of, text_of

_WIDTH, _HEIGHT = 120.0, 55.0


def views_of(
    root: Node,
    description: Callable[[Node], Description],
    elements: Mapping[str, Element],
    relationships: Mapping[str, Relationship],
) -> Iterator[View]:
    """The views in order, each with the layout of what it shows."""
    for node in children(child(root, "views", "diagrams"), "view"):
        nodes: list[LayoutNode] = []
        for part in children(node, "node"):
            _box(part, None, elements, nodes)
        lines = tuple(_line(part, relationships) for part in children(node, "connection"))
        viewpoint = line_of(attribute_of(node, "viewpoint"))
        yield View(attribute_of(node, "identifier"), description(node), viewpoint, Layout(tuple(nodes), lines))


def _box(node: Node, parent: str | None, elements: Mapping[str, Element], nodes: list[LayoutNode]) -> None:
    node_id = attribute_of(node, "identifier")
    width, height = number_of(attribute_of(node, "w")), number_of(attribute_of(node, "h"))
    place: dict[str, Any] = {
        "node_id": node_id,
        "x": number_of(attribute_of(node, "x")),
        "y": number_of(attribute_of(node, "y")),
        "width": width if width > 0 else _WIDTH,
        "height": height if height > 0 else _HEIGHT,
        "parent": parent,
    }
    element = attribute_of(node, "elementRef")
    shown = attribute_of(child(node, "viewRef"), "ref")
    label = line_of(" ".join(text_of(part) for part in children(node, "label")))
    if element:
        nodes.append(box_of(element, elements, label, place))
    elif shown:
        nodes.append(LayoutNode(kind="view", label=label, refers_to=shown, **place))
    else:
        nodes.append(LayoutNode(kind="group" if kind_of(node) == "Container" else "note", label=label, **place))
    for part in children(node, "node"):
        _box(part, node_id, elements, nodes)


def _line(node: Node, relationships: Mapping[str, Relationship]) -> LayoutConnection:
    relationship = attribute_of(node, "relationshipRef")
    return connection_of(
        attribute_of(node, "identifier"),
        attribute_of(node, "source"),
        attribute_of(node, "target"),
        relationships.get(relationship),
        relationship_id=relationship,
        label=line_of(" ".join(text_of(part) for part in children(node, "label"))),
        bends=tuple(
            (number_of(attribute_of(bend, "x")), number_of(attribute_of(bend, "y")))
            for bend in children(node, "bendpoint")
        ),
    )
