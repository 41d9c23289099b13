"""The Open Group's exchange format for models, version 3.x: lists of elements, relationships, folders and views."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from citemark.extraction.office import Node, child, children
from citemark.features.archimate.source.parts import (
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
from citemark.features.archimate.source.vocabulary import JUNCTION, plain_type
from citemark.features.archimate.source.xml_file import attribute_of, kind_of, line_of, text_of
from citemark.model.layouts import Layout, LayoutConnection, LayoutNode
from citemark.text.languages import language_named

_WIDTH, _HEIGHT = 120.0, 55.0


NAMESPACE: Final = "http://www.opengroup.org/xsd/archimate/3."
OLDER: Final = "http://www.opengroup.org/xsd/archimate"
_ACCESS = {"Read": "read", "Write": "write", "ReadWrite": "readwrite"}
_SPECIALIZATION = frozenset({"specialization", "specialisation", "stereotype"})
"""Property names that tools use for specializations, which the format itself cannot express."""


_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


def read_exchange(root: Node, language: str = "") -> ParsedModel:
    """Read everything that the file states.

    Args:
        root: of the file.
        language: the language whose names and texts come first, by its English name; if empty, that of the model.
    """
    reader = _ExchangeReader(root, language or _language_of(next(children(root, "name"), None)))
    elements = tuple(reader.elements())
    relationships = tuple(reader.relationships())
    by_id = {element.element_id: element for element in reversed(elements)}
    relationship_by_id = {each.relationship_id: each for each in reversed(relationships)}
    views = tuple(views_of(root, reader, by_id, relationship_by_id))
    return ParsedModel(attribute_of(root, "identifier"), reader.description(root), elements, relationships, views)


def _language_of(node: Node | None) -> str:
    """The language of a text by its English name; "" if it is not given or not known."""
    return language_named(attribute_of(node, _LANG)) or ""


@dataclass(slots=True)
class _ExchangeReader:
    """Reads one file, given its folders and property definitions. Texts in `language` come before all others."""

    root: Node
    language: str
    _folders: dict[str, str] = field(default_factory=dict[str, str])
    _definitions: dict[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        for node in children(self.root, "organizations"):
            self._organise(node, ())
        for definition in children(child(self.root, "propertyDefinitions"), "propertyDefinition"):
            self._definitions[attribute_of(definition, "identifier")] = self.name(definition)

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
        names: dict[str, str] = {}
        for part in self.in_order(children(node, "name", "label")):
            if written := line_of(text_of(part)):
                names.setdefault(written, _language_of(part).capitalize())
        (name, _), *others = [*names.items()] or [("", "")]
        texts = [text_of(part) for part in self.in_order(children(node, "documentation"))]
        properties = tuple(entry for part in children(node, "properties") for entry in self._properties(part))
        return Description(
            name=name,
            documentation="\n".join(filter(None, texts)),
            properties=properties,
            folder=self._folders.get(attribute_of(node, "identifier"), ""),
            specializations=_specializations(properties),
            other_names=tuple(others),
        )

    def name(self, node: Node) -> str:
        """Return the name of a node in the reader's language, else its first one."""
        names = (line_of(text_of(name)) for name in self.in_order(children(node, "name", "label")))
        return next((name for name in names if name), "")

    def label(self, node: Node) -> str:
        """Return what a box or a line shows, in every language."""
        return line_of(" ".join(text_of(part) for part in self.in_order(children(node, "label"))))

    def in_order(self, texts: Iterable[Node]) -> list[Node]:
        """Put texts in the reader's language first, then those without a language, then the others as they are."""
        ranks = {self.language: 0, "": 1}
        return sorted(texts, key=lambda node: ranks.get(_language_of(node), 2))

    def _properties(self, node: Node) -> Iterator[tuple[str, str]]:
        for entry in children(node, "property"):
            key = attribute_of(entry, "propertyDefinitionRef")
            value = next((line_of(text_of(value)) for value in self.in_order(children(entry, "value"))), "")
            yield self._definitions.get(key) or key, value

    def _organise(self, node: Node, path: tuple[str, ...]) -> None:
        for item in children(node, "item"):
            referred = attribute_of(item, "identifierRef")
            if referred:
                self._folders.setdefault(referred, "/".join(path))
            name = self.name(item)
            self._organise(item, (*path, name) if name else path)


def _specializations(properties: Properties) -> tuple[str, ...]:
    found: Mapping[str, None] = {value: None for key, value in properties if key.lower() in _SPECIALIZATION and value}
    return tuple(found)


def views_of(
    root: Node,
    reader: _ExchangeReader,
    elements: Mapping[str, Element],
    relationships: Mapping[str, Relationship],
) -> Iterator[View]:
    """Yield the views in the order of the file, each with its layout."""
    for node in children(child(root, "views", "diagrams"), "view"):
        nodes: list[LayoutNode] = []
        for part in children(node, "node"):
            _box(part, None, elements, nodes, reader)
        lines = tuple(_line(part, relationships, reader) for part in children(node, "connection"))
        viewpoint = line_of(attribute_of(node, "viewpoint"))
        yield View(attribute_of(node, "identifier"), reader.description(node), viewpoint, Layout(tuple(nodes), lines))


def _box(
    node: Node, parent: str | None, elements: Mapping[str, Element], nodes: list[LayoutNode], reader: _ExchangeReader
) -> None:
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
    label = reader.label(node)
    if element:
        nodes.append(box_of(element, elements, label, place))
    elif shown:
        nodes.append(LayoutNode(kind="view", label=label, refers_to=shown, **place))
    else:
        nodes.append(LayoutNode(kind="group" if kind_of(node) == "Container" else "note", label=label, **place))
    for part in children(node, "node"):
        _box(part, node_id, elements, nodes, reader)


def _line(node: Node, relationships: Mapping[str, Relationship], reader: _ExchangeReader) -> LayoutConnection:
    relationship = attribute_of(node, "relationshipRef")
    return connection_of(
        attribute_of(node, "identifier"),
        attribute_of(node, "source"),
        attribute_of(node, "target"),
        relationships.get(relationship),
        relationship_id=relationship,
        label=reader.label(node),
        bends=tuple(
            (number_of(attribute_of(bend, "x")), number_of(attribute_of(bend, "y")))
            for bend in children(node, "bendpoint")
        ),
    )
