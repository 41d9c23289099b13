"""Nodes and edges of the graph as a walk meets them, in one state of the index."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from citemark.model.documents import DocumentRef
from citemark.model.graph import (
    CONTAINS,
    DEFINES,
    HAS_LABEL,
    IN_FOLDER,
    LINKS_TO,
    MENTIONS,
    NAMED,
    REFERENCES,
    SHOWS,
    USES_CODE,
)
from citemark.model.ids import DocumentId

NOT_WRITTEN = DocumentId(0)
"""Where an id of a document would stand, of nodes that are none: entities and folders."""


class NodeName(NamedTuple):
    """What a node is looked up by; `source_id` is 0 for entities, which sources share."""

    source_id: int
    kind: str
    name: str


class Node(NamedTuple):
    """A node, the same in every hop of one walk.

    `source_id` is 0 for entities, which sources share. `document_id` and `page_id` are those of the document that it is
    (a page is its own page), NOT_WRITTEN where it is none.
    """

    source_id: int
    kind: str
    name: str
    document_id: DocumentId = NOT_WRITTEN
    page_id: DocumentId = NOT_WRITTEN

    @property
    def is_document(self) -> bool:
        """Whether the node is a document or a section of one."""
        return self.document_id != NOT_WRITTEN


class Edge(NamedTuple):
    """An edge, as the page `page_id` of the source `source_id` states it at characters of one of its revisions.

    `name` is what the relationship itself is called, "" where it has no name. A mention of a name that a document bears
    is an edge to each such document, so that one relationship may be several edges.
    """

    type: str
    start: Node
    end: Node
    source_id: int
    relationship_id: int
    page_id: int
    revision_id: int
    start_char: int
    end_char: int
    name: str = ""

    @property
    def weight(self) -> float:
        """How much the ends of the edge have to do with each other, in (0, 1]."""
        return WEIGHTS.get(self.type, STATED_WEIGHT)


class Step(NamedTuple):
    """One edge of a hop: the node that was asked about, the edge, and where it leads."""

    node: Node
    edge: Edge
    other: Node


@dataclass(frozen=True, slots=True)
class NodeRow:
    """What a document or section is called in the state that is read; `ref` is the page that vouches for it.

    `chunk_id` is the chunk that it begins with, None where it holds no text. `slug` is that of a section.
    """

    ref: DocumentRef
    revision_id: int
    title: str
    url: str | None
    element_type: str
    slug: str | None
    section_title: str
    chunk_id: int | None

    @property
    def full_title(self) -> str:
        """The page's title, and the section's behind it."""
        if not self.section_title or self.section_title == self.title:
            return self.title
        return f"{self.title} > {self.section_title}"


@dataclass(frozen=True, slots=True)
class Hop:
    """The edges of some nodes; `cut` are those of which there may be more edges than were asked for."""

    steps: tuple[Step, ...]
    cut: frozenset[Node] = frozenset()


@dataclass(frozen=True, slots=True)
class NeighbourFilter:
    """Which edges of a node are wanted: types of those that leave it and of those that arrive, at most so many each.

    No types mean all of them, None that no edge of this direction is wanted.
    """

    leaving: tuple[str, ...] | None = ()
    arriving: tuple[str, ...] | None = ()
    per_node: int = 50


STATED_WEIGHT = 1.0
"""Of relationships that somebody drew or wrote down as such: those of models, attendees, assignments."""

WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        SHOWS: 0.8,
        LINKS_TO: 0.8,
        CONTAINS: 0.7,
        DEFINES: 0.5,
        MENTIONS: 0.4,
        NAMED: 0.4,
        REFERENCES: 0.3,
        USES_CODE: 0.3,
        HAS_LABEL: 0.2,
        IN_FOLDER: 0.1,
    }
)
"""Strongest first: a link was set on purpose, a mention is only the same words, folders and labels hold very much."""
