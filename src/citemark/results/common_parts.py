"""Parts of results that several tools share, as data and as text: citations, and what every result ends with.

The text of a result is complete without its data. Every line that quotes a document begins with a mark, and names are
kept on one line (`text/escaping.py`), so a line without the mark always comes from Citemark.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from citemark.evidence.budget import whole_sign_before
from citemark.model.citation import Citation, iso
from citemark.results.shape import Strict
from citemark.services.empty import EmptyReason
from citemark.text.citation_line import is_opaque
from citemark.text.escaping import one_line

if TYPE_CHECKING:
    from citemark.model.stated_dates import Occasion
    from citemark.model.text import Lines
    from citemark.services.responses import ResponseMeta

IsoTime = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
"""An instant, as it appears in a result."""


MAX_TITLE_CHARS = 300
"""Longer titles (file names, first lines of mails) cost bytes and add nothing."""


class SpanOut(Strict):
    """From a first to a last place."""

    start: int
    end: int


class AnchorOut(Strict):
    """Heading slug, lines (1-based, inclusive), characters (end excluded)."""

    heading: str | None = None
    lines: SpanOut | None = None
    chars: SpanOut | None = None


class CitationOut(Strict):
    """Enough to find the words again later."""

    source: str
    doc_type: str
    document_id: str
    revision_id: str
    baseline_id: str | None
    as_of: IsoTime
    anchor: AnchorOut
    span: SpanOut
    title: str
    url: str | None
    dated: str | None = None


class QuoteCitationOut(Strict):
    """A citation beside a quote: what is not known is left out, and nothing is said twice."""

    source: str
    doc_type: str | None = None
    document_id: str
    revision_id: str
    baseline_id: str | None = None
    anchor: AnchorOut
    span: SpanOut
    title: str | None = None
    url: str | None = None
    dated: str | None = None


def quote_cited(citation: Citation) -> QuoteCitationOut:
    """A citation as it appears beside a quote.

    The result gives the time of reading once for all quotes, and an id that is a path already names page and heading.
    """
    lines, opaque = citation.anchor.lines, is_opaque(citation)
    fields: dict[str, Any] = {
        "source": citation.source,
        "doc_type": citation.doc_type if opaque else None,
        "document_id": citation.document_id,
        "revision_id": citation.revision_id,
        "baseline_id": citation.baseline_id,
        "anchor": AnchorOut() if lines is None else AnchorOut(lines=SpanOut(start=lines.start, end=lines.end)),
        "span": SpanOut(start=citation.span.start, end=citation.span.end),
        "title": short(citation.title, MAX_TITLE_CHARS) if opaque else None,
        "url": citation.url,
        "dated": citation.dated or None,
    }
    return QuoteCitationOut(**{name: value for name, value in fields.items() if value is not None})


def citation_fields(citation: Citation) -> dict[str, Any]:
    """The fields of `CitationOut`."""
    anchor: dict[str, Any] = dict(citation.anchor.as_dict())
    return {
        "source": citation.source,
        "doc_type": citation.doc_type,
        "document_id": citation.document_id,
        "revision_id": citation.revision_id,
        "baseline_id": citation.baseline_id,
        "as_of": iso(citation.as_of),
        "anchor": AnchorOut.model_validate(anchor),
        "span": SpanOut(start=citation.span.start, end=citation.span.end),
        "title": short(citation.title, MAX_TITLE_CHARS),
        "url": citation.url,
        **({"dated": citation.dated} if citation.dated else {}),
    }


def cited(citation: Citation) -> CitationOut:
    """A citation as it appears in a result."""
    return CitationOut(**citation_fields(citation))


def rounded(confidence: float | None) -> float | None:
    """A confidence with as many digits as mean something."""
    return None if confidence is None else round(confidence, 2)


def scratch_uri(session_id: str, passage_id: str) -> str:
    """The URI under which a host can open the whole passage."""
    return f"citemark://scratch/{session_id}/{passage_id}"


def short(text: str, limit: int) -> str:
    """At most `limit` characters of a text, ending in an ellipsis if it was cut."""
    if len(text) <= limit:
        return text
    return text[: whole_sign_before(text, limit - 1)].rstrip() + "…"


class ReadContextOut(Strict):
    """The state that was read."""

    baseline_id: str | None = None
    as_of: IsoTime


class UsageOut(Strict):
    """What the result weighs; a token is four bytes."""

    tokens_estimate: int
    bytes_returned: int


TotalIs = Literal["exact", "at_least"]
"""Whether `total_found` is final; if not, some documents were not checked yet, or could not be."""


class IncompleteOut(Strict):
    """Documents in scope that a result may lack: not read yet, changed since, not confirmed now, not readable."""

    waiting: int
    changed: int
    withheld: int
    failed: int


class ResponseMetaOut(Strict):
    """What every result ends with."""

    read_context: ReadContextOut
    partial: bool
    limit_reason: Literal["page_size", "token_cap", "byte_cap", "none"]
    next_cursor: str | None
    usage: UsageOut
    withheld_unverified: int
    session_id: str
    notes: list[str] = Field(default_factory=list[str])
    empty_reason: EmptyReason | None = None
    empty_message: str | None = None
    incomplete: IncompleteOut | None = None


def meta_fields(meta: "ResponseMeta", *, cut: bool = False) -> dict[str, Any]:
    """The fields of `ResponseMetaOut`. `cut`: something was left out of the reply to stay below the byte cap."""
    fields: dict[str, Any] = {
        "read_context": ReadContextOut(baseline_id=meta.read_context.baseline_id, as_of=iso(meta.read_context.as_of)),
        "partial": meta.partial or cut,
        "limit_reason": "byte_cap" if cut else meta.limit_reason,
        "next_cursor": meta.next_cursor,
        "usage": UsageOut(tokens_estimate=0, bytes_returned=0),
        "withheld_unverified": meta.withheld_unverified,
        "session_id": meta.session_id,
    }
    if meta.reading.incomplete:
        fields["incomplete"] = IncompleteOut(**meta.reading.incomplete)
    if meta.first_lines or meta.notes:
        fields["notes"] = [*meta.first_lines, *meta.notes]
    if meta.empty is not None:
        fields |= {"empty_reason": meta.empty.reason, "empty_message": meta.empty.text}
    return fields


_MAX_QUERY_CHARS = 120
"""Maximum characters of a question in a heading: the model knows what it asked."""


def with_remarks(lines: Iterable[str], meta: "ResponseMeta", *, cut: bool = False) -> str:
    """The text of a result: what it lacks, what is absent, its lines, and what a reader needs to judge all of it."""
    first = [one_line(line) for line in (meta.reading.line, *meta.first_lines) if line]
    return "\n".join([*first, *lines, *_remarks(meta, cut=cut)])


def _remarks(meta: "ResponseMeta", *, cut: bool) -> list[str]:
    lines: list[str] = []
    if cut:
        lines.append("Shortened to fit the result's byte cap.")
    if meta.next_cursor:
        lines.append(f"More hits: the same call with cursor {meta.next_cursor}")
    context = meta.read_context
    state = f" (baseline {context.baseline_id})" if context.baseline_id else ""
    as_of = one_line(f"As of {iso(context.as_of.replace(microsecond=0))}{state}.")
    return ["", *lines, *map(one_line, meta.notes), as_of]


def nothing(meta: "ResponseMeta") -> str:
    """Why a result is empty and what to do about it; for a later page, that nothing more was found."""
    return "Nothing more was found." if meta.empty is None else meta.empty.text


def quoted(text: str) -> str:
    """A text in quotation marks, shortened and on one line."""
    line = one_line(" ".join(text.split()))
    return f'"{line if len(line) <= _MAX_QUERY_CHARS else line[:_MAX_QUERY_CHARS] + "..."}"'


def count(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def place_of(
    citations: Sequence[Citation], passage_id: str, named: str = "", occasion: "Occasion | None" = None
) -> str:
    """Document and lines of the quotes of one passage, in order, and its handle; `named` is a name for the document.

    A result states its time once, and what only programs need, such as the revision, is in its structured content.
    """
    return f"({document_of(citations, named)}{in_time(occasion)}; {passage_id})"


def in_time(occasion: "Occasion | None") -> str:
    """When something dated is, behind what names it; "" for what has no dates."""
    return "" if occasion is None else f", {occasion.when}: {one_line(occasion.stated)}"


def place_beside(citations: Sequence[Citation], passage_id: str, number: int, heading: str) -> str:
    """Like `place_of`, for a passage whose document is already given below the quote of that number."""
    section = f" {heading}" if heading else ""
    return f"(as [{number}]{section}, {_where(citations)}; {passage_id})"


def document_of(citations: Sequence[Citation], named: str = "") -> str:
    """The source, the document, the lines of all citations, and the document's own date."""
    first = citations[0]
    dated = f", dated {first.day}" if first.dated else ""
    return f"{one_line(first.source)}: {one_line(named or first.document_id)}, {_where(citations)}{dated}"


def _where(citations: Sequence[Citation]) -> str:
    lines = [citation.anchor.lines for citation in citations if citation.anchor.lines]
    if len(lines) < len(citations):
        return "characters " + ", ".join(f"{citation.span.start}-{citation.span.end}" for citation in citations)
    single = len(lines) == 1 and lines[0].start == lines[0].end
    return f"line{'' if single else 's'} " + ", ".join(map(line_numbers, lines))


def line_numbers(lines: "Lines") -> str:
    """The number of a single line, or the first and last of several."""
    return f"{lines.start}" if lines.start == lines.end else f"{lines.start}-{lines.end}"
