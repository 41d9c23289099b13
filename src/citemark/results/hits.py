"""The hits of a search: previews with citations, never whole texts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from citemark.model.stated_dates import When
from citemark.results.common_parts import (
    MAX_TITLE_CHARS,
    CitationOut,
    ResponseMetaOut,
    cited,
    meta_fields,
    nothing,
    place_of,
    rounded,
    scratch_uri,
    short,
    with_remarks,
)
from citemark.results.shape import Strict
from citemark.text.citation_line import name_of
from citemark.text.escaping import MARK, marked, one_line

if TYPE_CHECKING:
    from citemark.retrieval.question import Link
    from citemark.services.responses import SearchHit, SearchPage


class WhyOut(Strict):
    """Ranks (from 1) and the parts of the score."""

    vector_rank: int | None
    bm25_rank: int | None
    cosine: float | None
    bm25: float | None
    bm25_upper_bound: float
    relevance: float
    rrf: float
    graph_path: list[str]
    phrasing: str


class HitOut(Strict):
    """One passage."""

    passage_id: str
    section_id: str
    doc_tag: str
    title: str
    rank: int
    score: float | None = None
    source: Literal["reranked", "rrf_fusion", "graph_expanded", "vector", "bm25", "hybrid"]
    preview: str
    scratch_uri: str
    size_bytes: int
    anchor: str | None
    citation: CitationOut
    also_in: list[str] = Field(default_factory=list[str])
    when: When | None = None
    date: str | None = None
    why: WhyOut | None = None


class SearchOut(ResponseMetaOut):
    """Result of kb.search."""

    results: list[HitOut]
    confidence: float | None = None


def search_out(page: "SearchPage", chars: int, *, scores: bool, debug: bool, cut: bool = False) -> SearchOut:
    """A page of hits as a result.

    Args:
        page: the hits.
        chars: the longest preview.
        scores: with the score of each hit.
        debug: with how each hit got its rank.
        cut: something was left out to stay below the byte cap.
    """
    hits = [_hit(hit, page.meta.session_id, chars, scores=scores, debug=debug) for hit in page.hits]
    return SearchOut(results=hits, confidence=rounded(page.meta.confidence), **meta_fields(page.meta, cut=cut))


def _hit(hit: "SearchHit", session_id: str, chars: int, *, scores: bool, debug: bool) -> HitOut:
    optional: dict[str, Any] = {}
    if scores:
        optional["score"] = round(hit.score, 4)
    if hit.also_in:
        optional["also_in"] = list(hit.also_in)
    if hit.occasion is not None:
        optional |= {"when": hit.occasion.when, "date": hit.occasion.stated}
    if debug:
        why = hit.why
        optional["why"] = WhyOut(
            vector_rank=why.vector_rank,
            bm25_rank=why.bm25_rank,
            cosine=why.cosine,
            bm25=why.bm25,
            bm25_upper_bound=why.bm25_upper_bound,
            relevance=why.relevance,
            rrf=why.rrf,
            graph_path=[] if why.link is None else [_edge(why.link)],
            phrasing=hit.found_by,
        )
    return HitOut(
        passage_id=hit.passage_id,
        section_id=hit.section_id,
        doc_tag=hit.doc_tag,
        title=short(hit.title, MAX_TITLE_CHARS),
        rank=hit.rank,
        source=hit.origin,
        preview=short(hit.preview, chars),
        scratch_uri=scratch_uri(session_id, hit.passage_id),
        size_bytes=hit.size_bytes,
        anchor=hit.anchor,
        citation=cited(hit.citation),
        **optional,
    )


def _edge(link: "Link") -> str:
    """The edge over which the graph led to a passage."""
    return str(link._replace(title=short(link.title, MAX_TITLE_CHARS)))


def render_search(page: "SearchPage", previews: Sequence[str], *, cut: bool) -> str:
    """Numbered previews as text, each followed by the one line of its citation and handle."""
    if not page.hits:
        return with_remarks([nothing(page.meta)], page.meta, cut=cut)
    lines: list[str] = []
    for hit, preview in zip(page.hits, previews, strict=True):
        begin, *rest = marked(preview) or [MARK]
        linked = [] if hit.why.link is None else [f"linked: {one_line(_edge(hit.why.link))}"]
        place = place_of([hit.citation], hit.passage_id, name_of(hit.citation), hit.occasion)
        lines += [f"[{hit.rank}] {begin}", *rest, *linked, place]
    return with_remarks(lines, page.meta, cut=cut)
