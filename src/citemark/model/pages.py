"""A page ready for the index: what one transaction writes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from citemark.model.chunks import Lines
from citemark.model.documents import DocumentKey, StatedRelationship
from citemark.model.ids import Version
from citemark.model.text import Section, Span


@dataclass(frozen=True, slots=True)
class PageChunk:
    """A chunk with all that is stored of it.

    `lexical` is what the full-text index reads (title and headings counted three times); `text_hash` folds equal
    passages, `embed_hash` carries vectors over; both are 32 bytes. `size` orders batches for the embedder.
    """

    ordinal: int
    section: str | None
    span: Span
    lines: Lines
    context: str
    text: str
    lexical: str
    text_hash: bytes
    embed_hash: bytes
    size: int


@dataclass(frozen=True, slots=True)
class PageSection:
    """A section with the hash of its own text (32 bytes)."""

    section: Section
    content_hash: bytes


@dataclass(frozen=True, slots=True)
class Page:
    """One document as fetched, cut and hashed; `section_type` is the doc_type of its sections.

    `language` is a name of `model.languages`, or a text search configuration of the server's own. `text_version` grows
    when the same text is read or cut in another way.
    """

    key: DocumentKey
    section_type: str
    version: Version
    modified_at: datetime | None
    title: str
    body: str
    content_hash: bytes
    url: str | None
    language: str
    tags: tuple[str, ...]
    sections: tuple[PageSection, ...]
    chunks: tuple[PageChunk, ...]
    relationships: tuple[StatedRelationship, ...]
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    text_version: int = 0


@dataclass(frozen=True, slots=True)
class Applied:
    """What a transaction did: chunks written, of those with a vector carried over; nothing when text was equal."""

    chunks: int = 0
    carried: int = 0
    unchanged: bool = False
