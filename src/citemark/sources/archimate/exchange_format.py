"""The Open Group's exchange format for models, version 3.x: lists of elements, relationships, folders and views."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from citemark.extraction.office import Node, child, children, name_of
from citemark.model.layouts import Layout, LayoutConnection, LayoutNode
from citemark.sources.archimate.parts import (
    Description,
    Element,
    ParsedModel,
    Properties,
    Relationship,
    View,
    box_of,
    connection_of,
    number_of,
)
from citemark.sources.archimate.vocabulary import JUNCTION, plain_type
from citemark.sources.archimate.xml_file import attribute_of, kind_of, line_of, text_of

_WIDTH, _HEIGHT = 120.0, 55.0


NAMESPACE: Final = "http://www.opengroup.org/xsd/archimate/3."
OLDER: Final = "http://www.opengroup.org/xsd/archimate"
_ACCESS = {"Read": "read", "Write": "write", "ReadWrite": "readwrite"}
_SPECIALIZATION = frozenset({"specialization", "specialisation", "stereotype"})
"""Property names that tools use for specializations, which the format itself cannot express."""


def read_exchange(root: Node) -> ParsedModel:
    """Read everything that the file states."""
    reader = _ExchangeReader(root)
    elements = tuple(reader.elements())
    relationships = tuple(reader.relationships())
    by_id = {element.element_id: element for element in reversed(elements)}
    relationship_by_id = {each.relationship_id: each for each in reversed(relationships)}
    views = tuple(views_of(root, reader.description, by_id, relationship_by_id))
    return ParsedModel(attribute_of(root, "identifier"), reader.description(root), elements, relationships, views)


def name_in(node: Node) -> str:
    """Return the first non-empty name of a node; there may be one per language."""
    names = (line_of(text_of(name)) for name in children(node, "name", "label"))
    return next((name for name in names if name), "")


@dataclass(slots=True)
class _ExchangeReader:
    """Reads one file, given its folders and property definitions."""

    root: Node
    _folders: dict[str, str] = field(default_factory=dict[str, str])
    _definitions: dict[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        for node in children(self.root, "organizations"):
            self._organise(node, ())
        for definition in children(child(self.root, "propertyDefinitions"), "propertyDefinition"):
            self._definitions[attribute_of(definition, "identifier")] = name_in(definition)

    def elements(self) -> Iterator[Element]:
        """Yield the elements in the order of the file."""
        for node in children(child(self.root, "elements"), "element"):
            written = kind_of(node)
            type_ = plain_type(written)
            junction = ""
            if type_ == JUNCTION:
                junction = "or" if written == "OrJunction" or attribute_of(node, "type") == "or" else "and"
            yield Element(attribute_of(node, "identifier"), type_, self.description(node), junction)

    def relationships(self) -> Iterator[Relationship]:
        """Yield the relationships in the order of the file."""
        for node in children(child(self.root, "relationships"), "relationship"):
            type_ = plain_type(kind_of(node))
            yield Relationship(
                relationship_id=attribute_of(node, "identifier"),
                type=type_,
                source=attribute_of(node, "source"),
                target=attribute_of(node, "target"),
                description=self.description(node),
                access=_ACCESS.get(attribute_of(node, "accessType"), "") if type_ == "Access" else "",
                strength=line_of(attribute_of(node, "modifier")) if type_ == "Influence" else "",
                directed=type_ == "Association" and attribute_of(node, "isDirected") in {"true", "1"},
            )

    def description(self, node: Node) -> Description:
        """Read what a node states besides its type and ends."""
        names, texts, properties = list[str](), list[str](), tuple[tuple[str, str], ...]()
        for part in children(node):
            match name_of(part):
                case "name" | "label":
                    names.append(line_of(text_of(part)))
                case "documentation":
                    texts.append(text_of(part))
                case "properties":
                    properties = tuple(self._properties(part))
                case _:
                    pass
        return Description(
            name=next(filter(None, names), ""),
            documentation="\n".join(filter(None, texts)),
            properties=properties,
            folder=self._folders.get(attribute_of(node, "identifier"), ""),
            specializations=_specializations(properties),
        )

    def _properties(self, node: Node) -> Iterator[tuple[str, str]]:
        for entry in children(node, "property"):
            key = attribute_of(entry, "propertyDefinitionRef")
            value = next((line_of(text_of(value)) for value in children(entry, "value")), "")
            yield self._definitions.get(key) or key, value

    def _organise(self, node: Node, path: tuple[str, ...]) -> None:
        for item in children(node, "item"):
            referred = attribute_of(item, "identifierRef")
            if referred:
                self._folders.setdefault(referred, "/".join(path))
            name = name_in(item)
            self._organise(item, (*path, name) if name else path)


def _specializations(properties: Properties) -> tuple[str, ...]:
    found: Mapping[str, None] = {value: None for key, value in properties if key.lower() in _SPECIALIZATION and value}
    return tuple(found)


def views_of(
    root: Node,
    description: Callable[[Node], Description],
    elements: Mapping[str, Element],
    relationships: Mapping[str, Relationship],
) -> Iterator[View]:
    """Yield the views in the order of the file, each with its layout."""
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
