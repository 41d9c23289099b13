"""Parts of results that the architecture tools share."""

from typing import TYPE_CHECKING, Any

from pydantic import Field

from citemark.tools.architecture.model_lines import bounded_property
from citemark.tools.schema import Strict
from citemark.tools.schemas_out import MAX_TITLE_CHARS, CitationOut, ResponseMetaOut, cited, short

if TYPE_CHECKING:
    from citemark.model.architecture import StoredEnd, StoredPart
    from citemark.model.citation import Citation
    from citemark.services.architecture.responses import LinkCard, PartCard


class ModelOut(ResponseMetaOut):
    """What every result about a model ends with."""


class ElementOut(Strict):
    """An element of a model."""

    element_id: str
    element_name: str
    element_type: str
    layer: str
    citation: CitationOut
    capabilities: list[str] = Field(default_factory=list[str])
    specialization: str | None = None
    folder: str | None = None


class EndOut(Strict):
    """One end of a relationship; only the id where that is another relationship."""

    element_id: str
    element_name: str
    element_type: str


class RelationshipOut(Strict):
    """A relationship from `source` to `target`, cited where it is stated.

    `shortened` names the values that are too long for a result and end in an ellipsis.
    """

    relationship_id: str
    type: str
    source: EndOut
    target: EndOut
    citation: CitationOut
    name: str | None = None
    properties: dict[str, str] = Field(default_factory=dict[str, str])
    shortened: list[str] = Field(default_factory=list[str])


class ViewOut(Strict):
    """A view of a model."""

    view_id: str
    view_name: str
    citation: CitationOut


def element_fields(part: "StoredPart", citation: "Citation") -> dict[str, Any]:
    """The fields of `ElementOut`."""
    fields: dict[str, Any] = {
        "element_id": part.native_id,
        "element_name": part.name,
        "element_type": part.type,
        "layer": part.layer,
        "citation": cited(citation),
    }
    if part.capabilities:
        fields["capabilities"] = list(part.capabilities)
    for key in ("specialization", "folder"):
        if part.metadata.get(key):
            fields[key] = part.metadata[key]
    return fields


def element_out(card: "PartCard") -> ElementOut:
    """An element as it appears in a result."""
    return ElementOut(**element_fields(card.part, card.citation))


def view_out(card: "PartCard") -> ViewOut:
    """A view as it appears in a result."""
    return ViewOut(view_id=card.part.native_id, view_name=card.part.name, citation=cited(card.citation))


def relationship_out(card: "LinkCard") -> RelationshipOut:
    """A relationship as it appears in a result; `properties` holds what the model says about it besides its name."""
    link = card.link
    fields: dict[str, Any] = {}
    name = link.metadata.get("name", "")
    rest = {key: value for key, value in link.metadata.items() if key not in _SHOWN_ELSEWHERE and value}
    properties = {key: bounded_property(value) for key, value in rest.items()}
    if name:
        fields["name"] = short(name, MAX_TITLE_CHARS)
    if properties:
        fields["properties"] = properties
    shortened = ["name"] if name != fields.get("name", "") else []
    shortened += [key for key, value in rest.items() if properties[key] != value]
    if shortened:
        fields["shortened"] = shortened
    return RelationshipOut(
        relationship_id=link.native_id,
        type=link.type,
        source=_end(link.start),
        target=_end(link.end),
        citation=cited(card.citation),
        **fields,
    )


_SHOWN_ELSEWHERE = frozenset({"name", "source_relationship", "target_name", "target_type"})
"""Keys of a relationship's metadata that are shown in other fields of the result."""


def _end(end: "StoredEnd") -> EndOut:
    return EndOut(element_id=end.native_id, element_name=end.name, element_type=end.type)
