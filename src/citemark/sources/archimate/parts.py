"""A model in memory, as a file states it: elements, relationships and views under their ids."""

from collections.abc import Mapping
from dataclasses import dataclass

from citemark.model.documents import Problem
from citemark.model.layouts import Layout

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
