"""The text of an element with its relationships and capabilities, understandable without the rest of the model."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from citemark.features.archimate.source.neighbours import Neighbourhood
from citemark.features.archimate.source.part_documents import (
    PartDocument,
    TextLines,
    document,
    documentation_lines,
    other_name_lines,
    other_names,
    portions,
    property_lines,
)
from citemark.features.archimate.source.parts import Element, Model, Relationship
from citemark.features.archimate.source.vocabulary import LAYER_OF, OTHER, words_of
from citemark.model.architecture import ELEMENT, OTHER_NAMES
from citemark.model.documents import StatedRelationship
from citemark.model.ids import NativeId
from citemark.model.text import Span

_VOWELS = "AEIOU"


class ElementTexts:
    """Writes the texts of the elements of one model."""

    def __init__(self, model: Model, capabilities: Mapping[str, tuple[str, ...]]) -> None:
        self._model = model
        self._capabilities = capabilities
        self._around = Neighbourhood(model)

    def all(self) -> Iterator[PartDocument]:
        """Yield the text of every element, in the order of the file."""
        for element in self._model.elements.values():
            yield self._document(element)

    def _document(self, element: Element) -> PartDocument:
        lines = TextLines()
        lines.add(_what_it_is(element))
        lines.add_all(other_name_lines(element.description))
        spans = self._relate(element, lines)
        names = list(
            dict.fromkeys(self._model.elements[capability_id].title for capability_id in self._belongs(element))
        )
        lines.add_all(f"It belongs to {_capabilities(some)}." for some in portions(names))
        lines.add_all(property_lines(element.description.properties))
        lines.add_all(documentation_lines(element.description.documentation))
        return document(
            doc_type=ELEMENT,
            native_id=element.element_id,
            extracted=lines.extracted(element.title, element.description),
            metadata={
                "name": element.title,
                OTHER_NAMES: other_names(element.description),
                "element_type": element.type,
                "layer": LAYER_OF[element.type],
                "capability": "\n".join(names),
                "folder": element.description.folder,
                "specialization": "\n".join(element.description.specializations),
            },
            relationships=tuple(
                self._stated(each, through, spans.get(each.relationship_id, Span(0, 0)))
                for each, through in self._around.stated_by(element.element_id)
            ),
        )

    def _relate(self, element: Element, lines: TextLines) -> dict[str, Span]:
        """Write the relationships, several targets of a phrase per line; return each relationship's line."""
        spans: dict[str, Span] = {}
        neighbours = self._around.of(element)
        for _, group in groupby(neighbours, key=lambda neighbour: neighbour.order):
            for some in portions(list(group)):
                others = ", ".join(neighbour.other for neighbour in some)
                span = lines.add(f"It {some[0].phrase}{':' if len(some) > 1 else ''} {others}.")
                spans.update((neighbour.relationship.relationship_id, span) for neighbour in some)
        for neighbour in neighbours:
            description = neighbour.relationship.description
            if neighbour.outgoing and (description.documentation or description.properties):
                lines.add(f"It {neighbour.phrase} {neighbour.other}: {_remarks(neighbour.relationship)}")
        return spans

    def _belongs(self, element: Element) -> tuple[str, ...]:
        return self._capabilities.get(element.element_id, ())

    def _stated(self, each: Relationship, through: str, span: Span) -> StatedRelationship:
        target = self._model.elements.get(each.target)
        description = each.description
        metadata = {
            "name": description.name,
            "access": each.access,
            "strength": each.strength,
            "directed": "true" if each.directed else "",
            "documentation": description.documentation,
            "specialization": "\n".join(description.specializations),
            "properties": "\n".join(f"{key}={value}" for key, value in description.properties),
            "source_relationship": through,
            "target_name": target.title if target else "",
            "target_type": target.type if target else "",
        }
        return StatedRelationship(
            type=each.type,
            from_section=None,
            to_native_id=NativeId(each.target),
            to_url=None,
            span=span,
            native_id=each.relationship_id,
            metadata={key: value for key, value in metadata.items() if value},
        )


def _what_it_is(element: Element) -> str:
    article = "an" if element.type[0] in _VOWELS else "a"
    layer = LAYER_OF[element.type]
    special = f" ({', '.join(element.description.specializations)})" if element.description.specializations else ""
    where = "" if layer == OTHER else f" in the {words_of(layer)} layer"
    return f"{element.title} is {article} {element.type}{special}{where}."


def _capabilities(names: Sequence[str]) -> str:
    return f"the {names[0]} capability" if len(names) == 1 else f"the capabilities {', '.join(names)}"


def _remarks(each: Relationship) -> str:
    documentation = " ".join(each.description.documentation.split("\n"))
    return " ".join(filter(None, [documentation, *property_lines(each.description.properties)]))
