"""Archi's own file format, of every version that still opens: elements in folders, told apart by their type."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from citemark.extraction.office import Node, child, children, name_of
from citemark.sources.archimate.archi_views import view_of
from citemark.sources.archimate.parts import Description, Element, ParsedModel, Relationship
from citemark.sources.archimate.vocabulary import JUNCTION, VERBS, plain_type
from citemark.sources.archimate.written import attribute_of, kind_of, line_of, text_of

NAMESPACES: Final = frozenset({"http://www.archimatetool.com/archimate", "http://www.bolton.ac.uk/archimate"})
"""Of today, and of Archi until version 2, whose types have older names."""
_ACCESS = {"": "write", "0": "write", "1": "read", "2": "", "3": "readwrite"}
"""What Archi stores: an access without a mode is one that writes."""

_VIEWS = frozenset({"ArchimateDiagramModel", "DiagramModel", "SketchModel", "CanvasModel"})
"""`DiagramModel` is what Archi 2 called the first."""
_RELATIONSHIP = "Relationship"


def read_archi(root: Node) -> ParsedModel:
    """Everything that the model of a file states."""
    reader = _Reader(_profiles(root))
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
class _Reader:
    """Walks the folders."""

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
        """What a node says besides its type and ends."""
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
    """The names of the specialisations that a model defines, by id."""
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
