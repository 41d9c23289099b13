"""Quotes that answer a question, each with its citation."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from citemark.model.citation import iso
from citemark.model.recognised import confidence_in_title, in_title
from citemark.model.stated_dates import When
from citemark.results.common_parts import (
    MAX_TITLE_CHARS,
    QuoteCitationOut,
    ReadContextOut,
    ResponseMetaOut,
    meta_fields,
    nothing,
    place_beside,
    place_of,
    quote_cited,
    rounded,
    scratch_uri,
    short,
    with_remarks,
)
from citemark.results.shape import Strict
from citemark.text.citation_line import is_opaque, name_of
from citemark.text.escaping import MARK, marked, one_line

if TYPE_CHECKING:
    from citemark.services.responses import Evidence, Quote, ResponseMeta


_LONGEST_SIDE = 60


class FoundQuoteOut(Strict):
    """A verbatim quote of a document; its citation alone names the document.

    `header` is the header row of a table that the quote continues, or what introduces its list; `more` counts items
    left out. `side`: which of the things compared it is about. `cut`: it begins or ends inside a sentence. `word_share`
    is the share of a phrasing's words in it. `confidence` is the result's; quotes from given passages, for which none
    is known, have the founding document's measure (KB 4.6.1), which is the share of words.
    """

    quote: str
    header: str | None = None
    side: str | None = None
    more: int | None = None
    cut: Literal["start", "end", "both"] | None = None
    passage_id: str
    word_share: float
    confidence: float
    citation: QuoteCitationOut
    when: When | None = None
    date: str | None = None


class FoundEvidenceOut(ResponseMetaOut):
    """Result of kb.retrieve_evidence. It has no pages, and what is null is left out."""

    next_cursor: str | None = None
    quotes: list[FoundQuoteOut]
    confidence: float | None = None


class QuoteOut(FoundQuoteOut):
    """The same, with what else the founding documents want beside a quote."""

    section_id: str
    title: str
    uri: str


class EvidenceOut(ResponseMetaOut):
    """Result of kb.extract_evidence."""

    quotes: list[QuoteOut]


def _ocr_notes(fields: dict[str, Any], quotes: "Sequence[Quote]") -> dict[str, Any]:
    """The notes of a result, with which quotes were recognised in pictures, by their numbers, and how sure that is."""
    sure = [(number, confidence_in_title(quote.title)) for number, quote in enumerate(quotes, start=1)]
    named = [f"[{number}] (confidence {confidence:.2f})" for number, confidence in sure if confidence is not None]
    if not named:
        return {}
    note = f"read by OCR in pictures, which may show other words: {', '.join(named)}"
    return {"notes": [*fields.get("notes", ()), note]}


def found_evidence(evidence: "Evidence", kept: int | None = None) -> FoundEvidenceOut:
    """The first `kept` quotes that answer a question, or all, as a result; it names no baseline where none is read."""
    rows = [FoundQuoteOut(**_fields(quote, evidence.confidence)) for quote in evidence.quotes[:kept]]
    fields = meta_fields(evidence.meta, cut=len(rows) < len(evidence.quotes))
    del fields["next_cursor"]
    fields |= _ocr_notes(fields, evidence.quotes[:kept])
    if evidence.meta.read_context.baseline_id is None:
        fields["read_context"] = ReadContextOut(as_of=iso(evidence.meta.read_context.as_of))
    return FoundEvidenceOut(quotes=rows, confidence=rounded(evidence.confidence), **fields)


def extracted_evidence(evidence: "Evidence", kept: int) -> EvidenceOut:
    """The first `kept` quotes from given passages as a result."""
    rows = [
        QuoteOut(
            **_fields(quote, None),
            section_id=quote.section_id,
            title=short(quote.title, MAX_TITLE_CHARS),
            uri=scratch_uri(evidence.meta.session_id, quote.passage_id),
        )
        for quote in evidence.quotes[:kept]
    ]
    fields = meta_fields(evidence.meta, cut=kept < len(evidence.quotes))
    fields |= _ocr_notes(fields, evidence.quotes[:kept])
    return EvidenceOut(quotes=rows, **fields)


def _fields(quote: "Quote", confidence: float | None) -> dict[str, Any]:
    named = {"header": quote.header, "side": quote.side, "more": quote.more}
    optional: dict[str, Any] = {name: value for name, value in named.items() if value}
    if quote.cut is not None:
        optional["cut"] = quote.cut
    if quote.occasion is not None:
        optional |= {"when": quote.occasion.when, "date": quote.occasion.stated}
    return {
        "quote": quote.quote,
        "passage_id": quote.passage_id,
        "word_share": round(quote.word_share, 2),
        "confidence": round(quote.word_share if confidence is None else confidence, 2),
        "citation": quote_cited(quote.citation),
        **optional,
    }


def render_evidence(quotes: Sequence["Quote"], meta: "ResponseMeta", *, cut: bool) -> str:
    """Numbered quotes as text, grouped by passage; each group ends with one citation of its quotes and the passage id.

    The citation of a further passage of a document refers to the first quote of that document.
    """
    from citemark.evidence.readable import readable  # noqa: PLC0415 - listing the tools takes no text apart

    if not quotes:
        return with_remarks([nothing(meta)], meta, cut=cut)
    passages: dict[str, list[tuple[int, Quote]]] = {}
    for number, quote in enumerate(quotes, start=1):
        passages.setdefault(quote.passage_id, []).append((number, quote))
    lines: list[str] = []
    first_numbers: dict[tuple[str, str, str], int] = {}
    for passage_id, found in passages.items():
        for number, quote in found:
            begin, *rest = marked(readable(quote.quote, quote.header, quote.cut)) or [MARK]
            lines += [f"[{number}{_side_of(quote)}] {begin}", *rest]
            if quote.more:
                lines.append(f"(and {quote.more} more)")
        citations = [quote.citation for _, quote in found]
        first, number = citations[0], found[0][0]
        earliest = first_numbers.setdefault(
            (first.source, first.document_id.partition("#")[0], first.revision_id), number
        )
        heading = _heading_beside(found[0][1])
        page = first.document_id.partition("#")[0]
        named = name_of(first) if is_opaque(first) else f"{one_line(page)}{heading}"
        place = (
            place_of(citations, passage_id, named, found[0][1].occasion)
            if earliest == number
            else place_beside(citations, passage_id, earliest, heading)
        )
        lines += [place, ""]
    return with_remarks([*lines[:-1]], meta, cut=cut).rstrip()


def _heading_beside(quote: "Quote") -> str:
    """The last heading above a quote as it stands behind the document; "" if the quote begins with that heading.

    What was read by OCR says so.

    The headings above it are in the structured content. Ids that mean nothing to a reader stay whole.
    """
    path = quote.citation.document_id.partition("#")[2]
    if is_opaque(quote.citation):
        return f"#{one_line(path)}" if path else ""
    last = path.rpartition("/")[2]
    begin = quote.quote.partition("\n")[0]
    confidence = confidence_in_title(quote.title)
    read = "" if confidence is None else f" ({in_title(confidence)})"
    return f"#{one_line(last)}{read}" if _letters(last) != _letters(begin) and last else read


def _letters(heading: str) -> str:
    """What a heading and its anchor have in common: letters and digits."""
    return "".join(sign for sign in heading.casefold() if sign.isalnum())


def _side_of(quote: "Quote") -> str:
    """Which of the things compared a quote is about, behind its number."""
    return f", of {short(quote.side, _LONGEST_SIDE)}" if quote.side else ""
