"""Responses of the services, and their citations."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from citemark.evidence.budget import LimitReason, Usage
from citemark.evidence.spans import CutAt
from citemark.evidence.verify import Holds, Reason
from citemark.model.candidates import StoredChunk
from citemark.model.citation import Anchor, Citation, CitedRevision, address_of
from citemark.model.completeness import ALL_READ, Reading
from citemark.model.ids import PassageId, SessionId
from citemark.model.scope import ResolvedContext
from citemark.model.sources import Source
from citemark.model.stated_dates import Occasion
from citemark.model.text import Lines, Span, lines_of
from citemark.retrieval.absence import NOTHING_ABSENT, Absence, Told
from citemark.retrieval.question import Origin, Why
from citemark.services.advice import empty_for_reader, for_reader
from citemark.services.empty import TOOL_ARGUMENTS, Arguments, AskedSource, EmptyResult
from citemark.services.requests import Caller


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One passage of a result: a preview that shows the evidence, and a handle for the rest.

    `found_by` is the phrasing of the question that it is most relevant to; `occasion` is when its document is, if that
    has dates.
    """

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
    found_by: str
    text: str
    context: str
    last_modified: datetime | None
    occasion: Occasion | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """Why a response ends before everything is shown, and the cursor of what follows; "none" if it does not."""

    reason: LimitReason = "none"
    cursor: str | None = None


UNCUT = Cut()


@dataclass(frozen=True, slots=True)
class NotShown:
    """What a response does not show, for another reason than its size.

    `withheld` hits could not be confirmed; `empty` says why there are none at all; `absence` is what was found to be
    absent of what was asked for. `arguments` are the names by which advice about that is given.
    """

    withheld: int = 0
    empty: EmptyResult | None = None
    absence: Absence = NOTHING_ABSENT
    arguments: Arguments = TOOL_ARGUMENTS


ALL_SHOWN = NotShown()


@dataclass(frozen=True, slots=True)
class ResponseMeta:
    """The metadata of every response: the state read, what was cut and why, what it cost.

    `reading` says what is missing from the response because it has not been read or confirmed. `told` is the first line
    of the result if something that was asked for was not found, else "", and `told_of` the kind of it. `doubt` says in
    words how sure the rest is, "" if it is; `confidence`, in [0, 1], is that anything answers, None if it is not known.
    `empty` says why the response holds nothing; it is None if it holds something. `whole` means that the sources were
    asked about everything that reaches the score and always answered, so there is nothing else; it is known only where
    documents are counted.
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
    reading: Reading = ALL_READ
    told: str = ""
    told_of: Told = ""
    doubt: str = ""
    confidence: float | None = None

    @classmethod
    def of(
        cls,
        caller: Caller,
        context: ResolvedContext,
        *,
        reading: Reading,
        cut: Cut = UNCUT,
        not_shown: NotShown = ALL_SHOWN,
        notes: Sequence[str] = (),
        whole: bool = False,
    ) -> "ResponseMeta":
        """The metadata of a response to `caller`, partial if it is cut. The faces measure its usage.

        `reading` is that of the sources which the response was looked for in; the withheld hits are added to it, and
        it decides whether what was not found is called absent.
        """
        absence, shown = not_shown.absence, not_shown.empty is None
        read = reading.withholding(not_shown.withheld)
        told = absence.line(read, shown=shown)
        return cls(
            session_id=caller.session_id,
            read_context=context,
            partial=cut.reason != "none",
            limit_reason=cut.reason,
            next_cursor=cut.cursor,
            withheld_unverified=not_shown.withheld,
            usage=Usage.of_bytes(0),
            notes=tuple(for_reader(note, caller.principal) for note in (*notes, *absence.notes(read, shown=shown))),
            empty=empty_for_reader(not_shown.empty, caller.principal),
            whole=whole,
            reading=read,
            told=told,
            told_of=absence.told if told else "",
            doubt=absence.doubt(read, shown=shown, also=not_shown.arguments.also),
            confidence=absence.known_confidence,
        )

    @property
    def says_absent(self) -> bool:
        """Whether the first line calls an answer absent: a thing that nothing mentions may be there in other words."""
        return self.told_of in ("names", "unsaid")

    @property
    def first_lines(self) -> tuple[str, ...]:
        """What stands above the result: what is absent, and how sure the rest is."""
        return tuple(filter(None, (self.told, self.doubt)))

    @property
    def total_is(self) -> Literal["exact", "at_least"]:
        """Whether a number of confirmed documents is exact or a lower bound."""
        return "exact" if self.whole else "at_least"


@dataclass(frozen=True, slots=True)
class SearchPage:
    """One page of hits."""

    hits: tuple[SearchHit, ...]
    meta: ResponseMeta


@dataclass(frozen=True, slots=True)
class Onward:
    """Where a text continues: in a passage, starting at a character of its text.

    It comes with the passage's lines, and with its title if that is vouched for.
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
    """Verbatim evidence; `word_share` is the share of a phrasing's words that its span holds, in 0..1.

    `header` is the header row of the table whose later rows `quote` holds, or what introduces the list that it is of.
    `cut` says at which end the quote breaks off in the middle of a sentence, a row or another unit. `also_in` are
    sections of other pages with the same passage. `side` names which of the things that the question compares the quote
    is about, "" if it compares none. `more` counts the items or rows of the quoted list or table that are left out.
    `occasion` is when its document is, if that has dates.
    """

    quote: str
    passage_id: PassageId
    section_id: str
    title: str
    word_share: float
    citation: Citation
    header: str = ""
    cut: CutAt | None = None
    also_in: tuple[str, ...] = ()
    side: str = ""
    more: int = 0
    occasion: Occasion | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """Quotes that answer a question, best first.

    `confidence`, in [0, 1], is that anything answers the question at all; None for quotes from given passages.
    """

    quotes: tuple[Quote, ...]
    meta: ResponseMeta
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether a quotation is still where it was cited, and what became of the cited revision.

    `difference` says in a sentence how the document differs from a quotation that it has not word for word, or may
    differ: words that are `by_ocr`, read by text recognition in a picture, are never verified as exact.
    """

    holds: Holds
    cited_revision: CitedRevision
    reason: Reason | None
    found_at: Citation | None
    current_revision_id: str | None
    meta: ResponseMeta
    difference: str | None = None
    by_ocr: bool = False


@dataclass(frozen=True, slots=True)
class SourceList:
    """Sources in order of name, starting after a cursor."""

    sources: tuple[AskedSource, ...]
    meta: ResponseMeta


@dataclass(frozen=True, slots=True)
class Scratch:
    """A passage's whole text, for a host that opens its resource."""

    text: str
    last_modified: datetime | None
    size_bytes: int


def slug_of(chunk: StoredChunk) -> str | None:
    """The heading anchor of the chunk's section, or None above the first heading."""
    _, mark, slug = chunk.section_native_id.partition("#")
    return slug if mark else None


def title_of(chunk: StoredChunk) -> str:
    """The title of a chunk for a person: that of the page, then the headings down to the chunk."""
    parts = [chunk.title, *(part for part in chunk.heading_path if part != chunk.title)]
    return " > ".join(parts)


def cite(chunk: StoredChunk, source: Source, context: ResolvedContext, part: Span | None = None) -> Citation:
    """The citation of a chunk, or of `part` of its text (characters of the chunk's text)."""
    span, lines = chunk.span, chunk.lines
    if part is not None:
        span = Span(chunk.span.start + part.start, chunk.span.start + part.end)
        lines = lines_of(chunk.text, part, chunk.lines.start)
    return Citation(
        source=source.name,
        doc_type=chunk.section_type,
        document_id=chunk.section_native_id,
        revision_id=str(chunk.revision_id),
        baseline_id=context.baseline_id,
        as_of=context.as_of,
        anchor=Anchor(heading=slug_of(chunk), lines=lines, chars=span),
        span=span,
        title=title_of(chunk),
        url=address_of(chunk.url, chunk.native_id, slug_of(chunk)),
        dated=chunk.dated,
    )
