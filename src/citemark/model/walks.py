"""Nodes and edges of the graph as a walk encounters them, in one state of the index."""

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
"""Used in place of a document's id by nodes that are not documents: entities and folders."""


class NodeName(NamedTuple):
    """The key by which a node is looked up; `source_id` is 0 for entities, which sources share.

    `page_id` chooses the page if several have a section of this name; NOT_WRITTEN chooses the newest.
    """

    source_id: int
    kind: str
    name: str
    page_id: DocumentId = NOT_WRITTEN


class Node(NamedTuple):
    """A node, identical in every hop of one walk.

    `source_id` is 0 for entities, which sources share. `document_id` and `page_id` identify the document that the node
    is (a page is its own page); they are NOT_WRITTEN if it is not a document.
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
    """An edge, as the page `page_id` of the source `source_id` states it in a range of one of its revisions.

    `name` is the name of the relationship itself, or "" if it has none. A mention of a name that documents share is an
    edge to each of these documents, so one relationship may be several edges.
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
        """How closely the ends of the edge are related, in (0, 1]."""
        return WEIGHTS.get(self.type, STATED_WEIGHT)


class Step(NamedTuple):
    """One edge of a hop: the node that was asked about, the edge, and where it leads."""

    node: Node
    edge: Edge
    other: Node


@dataclass(frozen=True, slots=True)
class NodeRow:
    """The titles of a document or section in the state that is read; `ref` is the page by which access is verified.

    `chunk_id` is the chunk with which it begins, or None if it has no text. `slug` is that of a section.
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
        """The page's title, followed by the section's."""
        if not self.section_title or self.section_title == self.title:
            return self.title
        return f"{self.title} > {self.section_title}"


@dataclass(frozen=True, slots=True)
class Hop:
    """The edges of some nodes; `cut` holds the nodes that may have more edges than were requested."""

    steps: tuple[Step, ...]
    cut: frozenset[Node] = frozenset()


@dataclass(frozen=True, slots=True)
class EdgePart:
    """Some of the edges of one type in one direction of a node, and how many of these there are in all.

    Edges that lead to what is not in the index are counted and not among the steps.
    """

    steps: tuple[Step, ...]
    total: int


@dataclass(frozen=True, slots=True)
class NeighbourFilter:
    """Which edges of a node are wanted: the types of those that leave it and of those that arrive, and how many.

    An empty tuple means all types, None means that no edge in this direction is wanted. `per_node` limits the edges of
    one node in each direction. With `among`, only edges that lead to one of these nodes are wanted.
    """

    leaving: tuple[str, ...] | None = ()
    arriving: tuple[str, ...] | None = ()
    per_node: int = 50
    among: tuple[Node, ...] | None = None


STATED_WEIGHT = 1.0
"""The weight of relationships that a person drew or wrote down as such: those of models, attendees, assignments."""

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
"""Strongest first: a link is deliberate, a mention only repeats words, and folders and labels contain very much."""
