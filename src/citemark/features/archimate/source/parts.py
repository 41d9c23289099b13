"""A model in memory: elements, relationships and views by id, and the boxes and lines that views are drawn with."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from citemark.features.archimate.source.vocabulary import LAYER_OF, OTHER
from citemark.model.documents import Problem
from citemark.model.layouts import Layout, LayoutConnection, LayoutNode

Properties = tuple[tuple[str, str], ...]
"""Keys and values in the order of the file; a key may occur more than once."""


_FARTHEST = 1e6
"""Coordinates beyond this are clamped; diagrams are some thousand units wide."""


@dataclass(frozen=True, slots=True)
class Description:
    """Properties that any part of a model may have. `folder` is its path, separated by slashes.

    `other_names` are its names in further languages, each with its language ("German") or "".
    """

    name: str = ""
    documentation: str = ""
    properties: Properties = ()
    folder: str = ""
    specializations: tuple[str, ...] = ()
    other_names: tuple[tuple[str, str], ...] = ()


NO_DESCRIPTION = Description()


@dataclass(frozen=True, slots=True)
class Element:
    """An element or a junction. `junction` is "and" or "or" for a junction, "" for an element."""

    element_id: str
    type: str
    description: Description = NO_DESCRIPTION
    junction: str = ""

    @property
    def title(self) -> str:
        """Its name, or a substitute."""
        return self.description.name or (f"{self.junction} junction" if self.junction else f"unnamed {self.type}")


@dataclass(frozen=True, slots=True)
class Relationship:
    """A relationship between two ids, each of an element or of another relationship.

    `access` is "read", "write", "readwrite", or "" where the mode is open; `strength` is that of an influence.
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
    """A diagram. Its layout refers to elements and relationships by id."""

    view_id: str
    description: Description
    viewpoint: str
    layout: Layout


@dataclass(frozen=True, slots=True)
class ParsedModel:
    """The content of a file, before its parts are checked against each other."""

    model_id: str
    description: Description
    elements: tuple[Element, ...]
    relationships: tuple[Relationship, ...]
    views: tuple[View, ...]


@dataclass(frozen=True, slots=True)
class Model:
    """A model in which every id is unique and every reference valid; `problems` lists what was left out."""

    model_id: str
    description: Description
    elements: Mapping[str, Element]
    relationships: Mapping[str, Relationship]
    views: Mapping[str, View]
    problems: tuple[Problem, ...]


def number_of(text: str) -> float:
    """Read a coordinate; 0 where it is not a finite number."""
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return max(-_FARTHEST, min(_FARTHEST, value)) if math.isfinite(value) else 0.0


def box_of(element_id: str, elements: Mapping[str, Element], label: str, place: Mapping[str, Any]) -> LayoutNode:
    """Make the box of an element; one that is not in the model has only a label."""
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
    """Make a line, with what is known about the relationship that it shows."""
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
