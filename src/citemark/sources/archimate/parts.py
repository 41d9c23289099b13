"""A model in memory, as a file states it: elements, relationships and views under their ids."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from citemark.model.documents import Problem
from citemark.model.layouts import Layout, LayoutConnection, LayoutNode
from citemark.sources.archimate.vocabulary import LAYER_OF, OTHER

Properties = tuple[tuple[str, str], ...]
"""Keys and values in the order of the file; a key may stand there more than once."""


@dataclass(frozen=True, slots=True)
class Description:
    """What anything in a model may carry. `folder` is its path, parts between slashes."""

    name: str = ""
    documentation: str = ""
    properties: Properties = ()
    folder: str = ""
    specializations: tuple[str, ...] = ()


NO_DESCRIPTION = Description()


@dataclass(frozen=True, slots=True)
class Element:
    """An element or a junction. `junction` is `and` or `or` for the latter."""

    element_id: str
    type: str
    description: Description = NO_DESCRIPTION
    junction: str = ""

    @property
    def title(self) -> str:
        """Its name, or what stands in for one."""
        return self.description.name or (f"{self.junction} junction" if self.junction else f"unnamed {self.type}")


@dataclass(frozen=True, slots=True)
class Relationship:
    """A relationship between two ids, either of an element or of another relationship.

    `access` is `read`, `write`, `readwrite` or empty where the mode is left open; `strength` an influence's.
    """

    relationship_id: str
    type: str
    source: str
    target: str
    description: Description = NO_DESCRIPTION
    access: str = ""
    strength: str = ""
    directed: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """A diagram. Its layout names elements and relationships by their ids."""

    view_id: str
    description: Description
    viewpoint: str
    layout: Layout


@dataclass(frozen=True, slots=True)
class ParsedModel:
    """A file's statements before they are held against each other."""

    model_id: str
    description: Description
    elements: tuple[Element, ...]
    relationships: tuple[Relationship, ...]
    views: tuple[View, ...]


@dataclass(frozen=True, slots=True)
class Model:
    """A model in which every id is unique and every reference leads somewhere; what did not is in `problems`."""

    model_id: str
    description: Description
    elements: Mapping[str, Element]
    relationships: Mapping[str, Relationship]
    views: Mapping[str, View]
    problems: tuple[Problem, ...]


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
