"""What the layouts of both formats share: boxes of elements, lines of relationships, numbers."""

import math
from collections.abc import Mapping
from typing import Any

from citemark.model.layouts import LayoutConnection, LayoutNode
from citemark.sources.archimate.parts import Element, Relationship
from citemark.sources.archimate.vocabulary import LAYER_OF, OTHER

_FARTHEST = 1e6


def number_of(text: str) -> float:
    """A coordinate; 0 for what is none."""
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return max(-_FARTHEST, min(_FARTHEST, value)) if math.isfinite(value) else 0.0


def box_of(element_id: str, elements: Mapping[str, Element], label: str, place: Mapping[str, Any]) -> LayoutNode:
    """The box of an element; what the model does not have is only a name."""
    element = elements.get(element_id)
    if element is None:
        return LayoutNode(kind="element", label=label, refers_to=element_id, **place)
    return LayoutNode(
        kind="element",
        label=element.description.name or label or element.title,
        refers_to=element_id,
        type=element.type,
        layer=LAYER_OF.get(element.type, OTHER),
        **place,
    )


def connection_of(
    connection_id: str,
    source: str,
    target: str,
    relationship: Relationship | None,
    *,
    relationship_id: str,
    label: str,
    bends: tuple[tuple[float, float], ...],
) -> LayoutConnection:
    """A line, with what is known of the relationship that it shows."""
    if relationship is None:
        return LayoutConnection(
            connection_id, source, target, relationship_id=relationship_id or None, label=label, bends=bends
        )
    directed = "directed" if relationship.directed else ""
    return LayoutConnection(
        connection_id=connection_id,
        source=source,
        target=target,
        type=relationship.type,
        relationship_id=relationship.relationship_id,
        label=relationship.description.name or label,
        detail=relationship.access or relationship.strength or directed,
        bends=bends,
    )
