"""A page that is ready for the index, and how a page that was renamed is recognised."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from citemark.model.documents import DocumentKey, StatedRelationship
from citemark.model.ids import DocumentId, NativeId, RevisionId, Version
from citemark.model.readers import TextVersion
from citemark.model.stated_dates import DayRange, StatedDates
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

    `language` is a name from `model.languages`, or one of the server's own text search configurations. `made_with`
    is the version of the code that read and cut it. `names_number` is the number of the last name
    that its mentions take into account; None if mentions are not looked for. `words_from` is the ordinal from which
    on the chunks of a text that repeats a pattern get no vectors; None for any other text. `labels` include the tags.
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
    made_with: TextVersion = field(default_factory=TextVersion)
    names_number: int | None = None
    properties: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    words_from: int | None = None
    dates: StatedDates | None = None
    days: tuple[DayRange, ...] = ()
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Applied:
    """What a transaction did: chunks written, how many of them kept a vector, and whether the text was unchanged."""

    chunks: int = 0
    carried: int = 0
    unchanged: bool = False


NEAR_EQUAL = 0.6
"""The share of common lines at which two texts count as one text that was edited; git uses 0.5 for whole files."""


@dataclass(frozen=True, slots=True)
class UnpairedPage:
    """A page that ended without a successor, or one that began: possibly one half of a rename.

    Attributes:
        document_id: the page.
        native_id: its name.
        doc_type: its type; a page succeeds one of its own type.
        revision_id: its last revision.
        size: the bytes of its text.
        text_digest: equal for equal texts; None if no page of the other half has a text of that size.
        since: when it ended, or when its last revision began.
        early: whether it ended or began before renames were last looked for and settled.
        late: whether it did more than a minute later. An early page and a late one are no rename.
    """

    document_id: DocumentId
    native_id: NativeId
    doc_type: str
    revision_id: RevisionId
    size: int
    text_digest: str | None
    since: datetime
    early: bool
    late: bool


LineCounts: TypeAlias = Counter[str]
"""The lines of a text that are not blank, without the space around them, and how often each occurs."""


def line_counts_of(text: str) -> LineCounts:
    """The lines of a text, for comparing it with others."""
    return Counter(stripped for line in text.splitlines() if (stripped := line.strip()))


def likeness(old: LineCounts, new: LineCounts) -> float:
    """The share of lines that two texts have in common, in 0..1, in whatever order, as git compares renamed files.

    The order is left out because every way to count it takes, for some texts, time that grows with the square of their
    length or faster.
    """
    total = old.total() + new.total()
    fewer, more = (old, new) if len(old) <= len(new) else (new, old)
    return 2 * sum(min(times, more[line]) for line, times in fewer.items() if line in more) / total if total else 0.0


def body_below_heading(text: str) -> str:
    """A section's text without its heading line (and a setext underline)."""
    first, _, rest = text.strip().partition("\n")
    if first.lstrip().startswith("#"):
        return rest.strip()
    underline, _, below = rest.partition("\n")
    return below.strip() if underline.strip() and not underline.strip("=- \r") else rest.strip()
