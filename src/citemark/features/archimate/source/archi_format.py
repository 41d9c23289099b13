"""Archi's own file format, of every version that still opens: elements in folders, distinguished by their type."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from citemark.extraction.office import Node, child, children, name_of
from citemark.features.archimate.source.parts import (
    Description,
    Element,
    ParsedModel,
    Relationship,
    View,
    box_of,
    connection_of,
    number_of,
)
from citemark.features.archimate.source.vocabulary import JUNCTION, VERBS, plain_type
from citemark.features.archimate.source.xml_file import attribute_of, kind_of, line_of, text_of
from citemark.model.layouts import Layout, LayoutConnection, LayoutNode, NodeKind

_WIDTH, _HEIGHT = 120.0, 55.0
_GROUPS = frozenset({"Group", "SketchModelSticky", "CanvasModelBlock", "CanvasModelSticky", "SketchModelActor"})


NAMESPACES: Final = frozenset({"http://www.archimatetool.com/archimate", "http://www.bolton.ac.uk/archimate"})
"""Current, and that of Archi 2 and earlier, whose types have older names."""

_ACCESS = {"": "write", "0": "write", "1": "read", "2": "", "3": "readwrite"}
"""Archi's codes; an access without a mode writes."""

_VIEWS = frozenset({"ArchimateDiagramModel", "DiagramModel", "SketchModel", "CanvasModel"})
"""`DiagramModel` is what Archi 2 called `ArchimateDiagramModel`."""

_RELATIONSHIP = "Relationship"


def read_archi(root: Node) -> ParsedModel:
    """Read everything that the file states."""
    reader = _ArchiReader(_profiles(root))
    for folder in children(root, "folder", "folders"):
        reader.folder(folder, ())
    elements = {element.element_id: element for element in reversed(reader.elements)}
    relationships = {each.relationship_id: each for each in reversed(reader.relationships)}
    views = tuple(view_of(node, description, elements, relationships) for node, description in reader.views)
    description = reader.description(root, "")
    purpose = text_of(child(root, "purpose"))
    return ParsedModel(
        model_id=attribute_of(root, "id"),
        description=replace(description, documentation=description.documentation or purpose),
        elements=tuple(reader.elements),
        relationships=tuple(reader.relationships),
        views=views,
    )


@dataclass(slots=True)
class _ArchiReader:
    """Walks the folders of a file and collects elements, relationships and views."""

    profiles: dict[str, str]
    elements: list[Element] = field(default_factory=list[Element])
    relationships: list[Relationship] = field(default_factory=list[Relationship])
    views: list[tuple[Node, Description]] = field(default_factory=list[tuple[Node, Description]])

    def folder(self, node: Node, above: tuple[str, ...]) -> None:
        path = (*above, line_of(attribute_of(node, "name")))
        for part in children(node):
            match name_of(part):
                case "folder" | "folders":
                    self.folder(part, path)
                case "element" | "elements":
                    self._part(part, "/".join(path))
                case _:
                    pass

    def _part(self, node: Node, folder: str) -> None:
        written = kind_of(node)
        description = self.description(node, folder)
        if written in _VIEWS:
            self.views.append((node, description))
        elif written.endswith(_RELATIONSHIP) or plain_type(written) in VERBS:
            self.relationships.append(_relationship(node, description))
        else:
            self.elements.append(_element(node, written, description))

    def description(self, node: Node, folder: str) -> Description:
        """Read what a node states besides its type and ends."""
        return Description(
            name=line_of(attribute_of(node, "name")),
            documentation=text_of(child(node, "documentation")),
            properties=tuple(
                (line_of(attribute_of(entry, "key")), line_of(attribute_of(entry, "value")))
                for entry in children(node, "property", "properties")
            ),
            folder=folder,
            specializations=tuple(self._specializations(node)),
        )

    def _specializations(self, node: Node) -> Iterator[str]:
        for profile in attribute_of(node, "profiles").split():
            if self.profiles.get(profile):
                yield self.profiles[profile]


def _profiles(root: Node) -> dict[str, str]:
    """Map the ids of the specializations that a model defines to their names."""
    return {
        attribute_of(node, "id"): line_of(attribute_of(node, "name")) for node in children(root, "profile", "profiles")
    }


def _element(node: Node, written: str, description: Description) -> Element:
    type_ = plain_type(kind_of(node))
    junction = ""
    if type_ == JUNCTION:
        junction = "or" if attribute_of(node, "type") == "or" or written == "OrJunction" else "and"
    return Element(attribute_of(node, "id"), type_, description, junction)


def _relationship(node: Node, description: Description) -> Relationship:
    type_ = plain_type(kind_of(node))
    return Relationship(
        relationship_id=attribute_of(node, "id"),
        type=type_,
        source=attribute_of(node, "source"),
        target=attribute_of(node, "target"),
        description=description,
        access=_ACCESS.get(attribute_of(node, "accessType"), "") if type_ == "Access" else "",
        strength=line_of(attribute_of(node, "strength")) if type_ == "Influence" else "",
        directed=type_ == "Association" and attribute_of(node, "directed") == "true",
    )


def view_of(
    node: Node, description: Description, elements: Mapping[str, Element], relationships: Mapping[str, Relationship]
) -> View:
    """Read a view with its layout."""
    nodes: list[LayoutNode] = []
    lines: list[Node] = []
    for part in children(node, "child", "children"):
        _box(part, None, elements, nodes, lines)
    boxes = {box.node_id: box for box in nodes}
    connections = tuple(_line(each, boxes, relationships) for each in lines)
    viewpoint = line_of(attribute_of(node, "viewpoint"))
    # Archi 2 stored the index in its own list of viewpoints, which means nothing elsewhere.
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
        node_kind: NodeKind = "group" if kind in _GROUPS else "note"
        text = text_of(child(node, "content")) or text_of(child(node, "notes"))
        box = LayoutNode(kind=node_kind, label=label or text, **place)
    nodes.append(box)
    lines.extend(_lines(node))
    for part in children(node, "child", "children"):
        _box(part, box, elements, nodes, lines)


def _lines(node: Node) -> Iterator[Node]:
    """Yield the lines that start at a box, and the lines that start at those lines."""
    for line in children(node, "sourceConnection", "sourceConnections"):
        yield line
        yield from _lines(line)


def _line(node: Node, boxes: Mapping[str, LayoutNode], relationships: Mapping[str, Relationship]) -> LayoutConnection:
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
        bends=tuple(_bends(bends, boxes.get(source), boxes.get(target))),
    )


def _bends(bends: list[Node], source: LayoutNode | None, target: LayoutNode | None) -> Iterator[tuple[float, float]]:
    """Convert bends. Archi stores each relative to the centres of both ends; the nearer end weighs more."""
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
    """Read a width or height; -1 means the default."""
    size = _number(bounds, name)
    return size if size > 0 else usual


def _number(node: Node | None, name: str) -> float:
    return number_of(attribute_of(node, name))
