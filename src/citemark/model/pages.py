"""A page that is ready for the index, and how a page that was renamed is recognised."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from difflib import SequenceMatcher

from citemark.model.documents import DocumentKey, StatedRelationship
from citemark.model.ids import DocumentId, NativeId, RevisionId, Version
from citemark.model.text import Lines, Section, Span


@dataclass(frozen=True, slots=True)
class PageChunk:
    """A chunk with everything that is stored about it.

    `lexical` is what the full-text index reads (title and headings count three times). `text_hash` serves to collapse
    equal passages, `embed_hash` to carry vectors over; both are 32 bytes. `size` orders batches for the embedder.
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
    """One document, fetched, chunked and hashed; `section_type` is the doc_type of its sections.

    `language` is a name from `model.languages`, or one of the server's own text search configurations. `text_version`
    increases when the code reads or chunks the same text in another way. `names_number` is the number of the last name
    that its mentions take into account; None if mentions are not looked for.
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
    names_number: int | None = None


@dataclass(frozen=True, slots=True)
class Applied:
    """What a transaction did: chunks written, how many of them kept a vector, and whether the text was unchanged."""

    chunks: int = 0
    carried: int = 0
    unchanged: bool = False


NEAR_EQUAL = 0.6
"""The share of common lines at which two texts count as one text that was edited; git uses 0.5 for whole files."""


@dataclass(frozen=True, slots=True)
class RenameCandidate:
    """A page that ended and another that began around the same time, with both texts: possibly a rename."""

    old_id: DocumentId
    old_native_id: NativeId
    old_body: str
    new_id: DocumentId
    new_native_id: NativeId
    new_body: str
    new_revision_id: RevisionId
    since: datetime


def likeness(old: str, new: str) -> float:
    """How similar two texts are, in 0..1, comparing their lines in order (difflib's ratio).

    It is 0 if a quick comparison shows that they are less similar than `NEAR_EQUAL`.
    """
    old_lines = [line.strip() for line in old.splitlines() if line.strip()]
    new_lines = [line.strip() for line in new.splitlines() if line.strip()]
    if not old_lines or not new_lines:
        return 0.0
    matcher = SequenceMatcher(None, old_lines, new_lines, autojunk=False)
    if matcher.real_quick_ratio() < NEAR_EQUAL or matcher.quick_ratio() < NEAR_EQUAL:
        return 0.0
    return matcher.ratio()


def body_below_heading(text: str) -> str:
    """A section's text without its heading line (and a setext underline)."""
    first, _, rest = text.strip().partition("\n")
    if first.lstrip().startswith("#"):
        return rest.strip()
    underline, _, below = rest.partition("\n")
    return below.strip() if underline.strip() and not underline.strip("=- \r") else rest.strip()
