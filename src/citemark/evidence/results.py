"""What the use cases answer with; every face shapes these and nothing else."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from citemark.evidence.budget import LimitReason, Usage
from citemark.evidence.empty import AskedSource, EmptyResult
from citemark.evidence.verify import Holds, Reason
from citemark.model.citation import Citation, CitedRevision
from citemark.model.ids import PassageId, SessionId
from citemark.model.scope import ResolvedContext
from citemark.model.text import Lines
from citemark.retrieval.question import Origin, Why


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One passage offered: a preview that shows the evidence, and a handle for the rest."""

    rank: int
    passage_id: PassageId
    section_id: str
    doc_tag: str
    title: str
    score: float
    origin: Origin
    preview: str
    size_bytes: int
    anchor: str | None
    citation: Citation
    also_in: tuple[str, ...]
    why: Why
    text: str
    context: str
    last_modified: datetime | None


@dataclass(frozen=True, slots=True)
class ResponseMeta:
    """What every answer repeats: the state read, what was cut and why, what it cost.

    `empty` says why there is nothing in it; None where there is something. `whole`: everything that reaches the score
    was asked about at its source and every answer heard, so there is nothing else; known where documents are counted.
    """

    session_id: SessionId
    read_context: ResolvedContext
    partial: bool
    limit_reason: LimitReason
    next_cursor: str | None
    withheld_unverified: int
    usage: Usage
    notes: tuple[str, ...] = ()
    empty: EmptyResult | None = None
    whole: bool = False

    @property
    def total_is(self) -> Literal["exact", "at_least"]:
        """What a number of documents that were confirmed says about how many there are."""
        return "exact" if self.whole else "at_least"


@dataclass(frozen=True, slots=True)
class SearchPage:
    """One page of hits."""

    hits: tuple[SearchHit, ...]
    meta: ResponseMeta


@dataclass(frozen=True, slots=True)
class Onward:
    """Where a text goes on: a passage, from a character of its text on.

    With the passage's lines, and its title where that is vouched for.
    """

    passage_id: PassageId
    start_char: int
    lines: Lines
    title: str | None

    @property
    def at_start(self) -> bool:
        """Whether the passage is read from its beginning."""
        return self.start_char == 0


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A bounded piece of a passage or of the revision around it. Offsets are characters.

    `start_char` counts from the start of the passage's text for a reading, and of the revision's body for an
    expansion (`of` says which). `onward` is None at the end of the document. `size_bytes` is the whole passage's.
    """

    passage_id: PassageId
    text: str
    start_char: int
    truncated: bool
    onward: Onward | None
    of: Literal["passage", "revision"]
    citation: Citation
    doc_tag: str
    size_bytes: int
    last_modified: datetime | None
    meta: ResponseMeta


@dataclass(frozen=True, slots=True)
class Quote:
    """Verbatim evidence; `confidence` is the overlap score of its span with the question, in 0..1."""

    quote: str
    passage_id: PassageId
    section_id: str
    title: str
    confidence: float
    citation: Citation


@dataclass(frozen=True, slots=True)
class Evidence:
    """Quotes that answer a question, best first."""

    quotes: tuple[Quote, ...]
    meta: ResponseMeta


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether a quotation still stands where it was cited, and what became of the revision that was cited."""

    holds: Holds
    cited_revision: CitedRevision
    reason: Reason | None
    found_at: Citation | None
    current_revision_id: str | None
    meta: ResponseMeta


@dataclass(frozen=True, slots=True)
class SourceList:
    """Sources by name, those after a cursor."""

    sources: tuple[AskedSource, ...]
    meta: ResponseMeta


@dataclass(frozen=True, slots=True)
class Scratch:
    """A passage's whole text, for a host that opens its resource."""

    text: str
    last_modified: datetime | None
    size_bytes: int
