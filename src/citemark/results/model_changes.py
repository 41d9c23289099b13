"""The shapes of elements and relationships of models, and of their differences between two states."""

from pydantic import Field

from citemark.results.common_parts import CitationOut
from citemark.results.compared_states import Change, CountsOut, DiffOut, PlaceOut
from citemark.results.shape import Strict


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


class ElementChangeOut(Strict):
    """An element that differs, as it was and as it is."""

    change: Change
    before: ElementOut | None = None
    after: ElementOut | None = None
    places: list[PlaceOut] = Field(default_factory=list[PlaceOut])
    more_places: int = 0


class RelationshipChangeOut(Strict):
    """A relationship that differs, as it was and as it is."""

    change: Change
    before: RelationshipOut | None = None
    after: RelationshipOut | None = None


class DiffBaselinesOut(DiffOut):
    """Result of diffBaselines."""

    elements: list[ElementChangeOut]
    relationships: list[RelationshipChangeOut]
    element_counts: CountsOut
    relationship_counts: CountsOut
