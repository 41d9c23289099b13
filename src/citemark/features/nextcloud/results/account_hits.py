"""Documents of Nextcloud accounts that answer a question."""

from typing import TYPE_CHECKING, Literal

from citemark.model.stated_dates import When
from citemark.results.common_parts import (
    MAX_TITLE_CHARS,
    CitationOut,
    ResponseMetaOut,
    TotalIs,
    cited,
    meta_fields,
    nothing,
    rounded,
    short,
    with_remarks,
)
from citemark.results.shape import Strict
from citemark.text.escaping import marked, one_line

if TYPE_CHECKING:
    from citemark.features.nextcloud.services.responses import AccountHit, AccountHits
    from citemark.services.responses import ResponseMeta


_MAX_VALUE_CHARS = 200
"""Maximum characters of one metadata value; lists of attendees and labels can be long."""


class DocumentOut(Strict):
    """One document."""

    id: str
    doc_type: str
    title: str
    category: str
    excerpt: str
    score: float
    url: str | None
    metadata: dict[str, str]
    citation: CitationOut
    passage_id: str
    when: When | None = None
    date: str | None = None


class NcSearchOut(ResponseMetaOut):
    """Result of nc_semantic_search."""

    query: str
    results: list[DocumentOut]
    total_found: int
    total_is: TotalIs
    search_method: Literal["semantic"]
    success: Literal[True]
    confidence: float | None = None


def account_hits_out(query: str, found: "AccountHits", chars: int, *, cut: bool = False) -> NcSearchOut:
    """Documents as a result, with excerpts of at most `chars` characters. `cut`: some are left out."""
    return NcSearchOut(
        query=query,
        results=[_document(hit, chars) for hit in found.hits],
        total_found=found.total,
        total_is=found.meta.total_is,
        search_method="semantic",
        success=True,
        confidence=rounded(found.meta.confidence),
        **meta_fields(found.meta, cut=cut),
    )


def _document(hit: "AccountHit", chars: int) -> DocumentOut:
    metadata = {
        key: short(value, _MAX_VALUE_CHARS) for key, value in hit.metadata.items() if key != "category" and value
    }
    return DocumentOut(
        id=hit.native_id,
        doc_type=hit.doc_type,
        title=short(hit.title, MAX_TITLE_CHARS),
        category=hit.metadata.get("category", ""),
        excerpt=hit.excerpt(chars),
        score=round(hit.score, 4),
        url=hit.citation.url,
        metadata=metadata,
        citation=cited(hit.citation),
        passage_id=hit.passage_id,
        when=hit.occasion and hit.occasion.when,
        date=hit.occasion and hit.occasion.stated,
    )


def account_hits_text(found: NcSearchOut, meta: "ResponseMeta", *, cut: bool) -> str:
    """Documents as text, each with its metadata, its excerpt, and where it is."""
    lines: list[str] = []
    for number, out in enumerate(found.results, start=1):
        lines += [f"[{number}] {one_line(out.title)} ({out.doc_type}){_in_time(out)}"]
        lines += [one_line(f"{key}: {', '.join(value.splitlines())}") for key, value in out.metadata.items()]
        place = f"{out.citation.source}: {out.doc_type} {out.id}" + (f", {out.url}" if out.url else "")
        lines += [*marked(out.excerpt), f"({one_line(place)}; {out.passage_id})", ""]
    if not found.results:
        lines.append(nothing(meta))
    return with_remarks(lines, meta, cut=cut).rstrip()


def _in_time(out: DocumentOut) -> str:
    return f", {out.when}: {out.date}" if out.when else ""
