"""kb.search: a shortlist with previews, never whole texts."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from citemark.evidence.budget import bytes_len
from citemark.model.errors import BudgetExceeded
from citemark.model.stated_dates import When
from citemark.services.empty import Arguments
from citemark.services.requests import SearchRequest
from citemark.text.citation_line import name_of
from citemark.text.escaping import MARK, marked, one_line
from citemark.tools.registry import Tool, ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schema import Strict
from citemark.tools.schemas_in import (
    Also,
    FiltersArgument,
    FiltersIn,
    HiddenReadContext,
    Name,
    Question,
    ReadContextIn,
    ScopeIn,
    UpToTwenty,
    Within,
)
from citemark.tools.schemas_out import (
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

if TYPE_CHECKING:
    from citemark.retrieval.question import Link
    from citemark.services.responses import SearchHit, SearchPage

_MOST_HITS = 20

_SHORTEST_SNIPPET = 60
"""Below this a preview is too short to tell two passages apart."""

_SNIPPETS = (280, 220, 170, 130, 100, 80, _SHORTEST_SNIPPET)
"""Characters of a preview unless a call asks for some: the longest with which the text is short enough."""

_BYTES_EACH = 580
"""Bytes of text that a hit takes on average unless a call asks for long previews: five hits are below 3 KB."""


class SearchOptions(Strict):
    """How hits are chosen and shown."""

    max_snippet_chars: Annotated[int, Within(_SHORTEST_SNIPPET, 500)] = 280
    max_per_doc: Annotated[int, Within(1, 5)] = 2
    include_scores: bool = False
    include_debug: bool = False
    mode: Annotated[
        Literal["auto", "vector_only", "hybrid_local"], Field(description="vector_only: without the graph.")
    ] = "auto"
    min_score: Annotated[float, Within(0, 1)] = 0.5


class SearchIn(Strict):
    """Arguments of kb.search."""

    query: Annotated[Question, Field(description="A question or words.")]
    also: Also = ()
    top_k: UpToTwenty = 5
    cursor: Annotated[Name | None, Field(description="next_cursor of the page before.")] = None
    page_size: UpToTwenty = 5
    scope: ScopeIn = Field(default_factory=ScopeIn)
    filters: FiltersArgument = Field(default_factory=FiltersIn)
    read_context: HiddenReadContext = Field(default_factory=ReadContextIn)
    options: SearchOptions = Field(default_factory=SearchOptions)


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


async def search(call: ToolCall, asked: SearchIn) -> ToolReply:
    """Return a page of hits; where it is too large, shorten the previews first, then ask for fewer hits."""
    options = asked.options
    has_min_score = "options" in asked.model_fields_set and "min_score" in options.model_fields_set
    request = SearchRequest(
        query=asked.query,
        also=asked.also,
        top_k=_top_k(call, asked),
        page_size=asked.page_size,
        cursor=asked.cursor,
        scope=asked.scope.value(),
        filters=asked.filters.value(),
        read_context=asked.read_context.value(),
        max_snippet_chars=options.max_snippet_chars,
        max_per_doc=options.max_per_doc,
        min_score=options.min_score if has_min_score else call.settings.min_score,
        mode=options.mode,
        arguments=Arguments(threshold="options.min_score"),
    )
    has_length = "options" in asked.model_fields_set and "max_snippet_chars" in options.model_fields_set
    lengths = (options.max_snippet_chars, _SHORTEST_SNIPPET) if has_length else _SNIPPETS
    while True:
        page = await call.services.search.find(call.caller, request)
        for chars in dict.fromkeys(lengths):
            cut = (has_length and chars != options.max_snippet_chars) or request.page_size != asked.page_size
            reply = _reply(page, asked, chars, cut=cut)
            brief = has_length or chars == _SHORTEST_SNIPPET or bytes_len(reply.text) <= _BYTES_EACH * len(page.hits)
            if brief and call.fits(reply):
                return reply
        if len(page.hits) < 2:  # noqa: PLR2004 - one hit is the least there can be
            raise BudgetExceeded("Not even one hit fits a result; its document's names are too long.")
        request = replace(request, page_size=len(page.hits) // 2)


def _top_k(call: ToolCall, asked: SearchIn) -> int:
    """The hits over all pages that a call asks for, or else the setting, or else the tool's own number."""
    chosen = call.settings.default_top_k
    return asked.top_k if chosen is None or "top_k" in asked.model_fields_set else min(chosen, _MOST_HITS)


def _reply(page: "SearchPage", asked: SearchIn, chars: int, *, cut: bool) -> ToolReply:
    hits = [_hit(hit, page.meta.session_id, asked.options, chars) for hit in page.hits]
    out = SearchOut(results=hits, confidence=rounded(page.meta.confidence), **meta_fields(page.meta, cut=cut))
    return ToolReply(out, render_search(page, [hit.preview for hit in hits], cut=cut))


def _hit(hit: "SearchHit", session_id: str, options: SearchOptions, chars: int) -> HitOut:
    optional: dict[str, Any] = {}
    if options.include_scores:
        optional["score"] = round(hit.score, 4)
    if hit.also_in:
        optional["also_in"] = list(hit.also_in)
    if hit.occasion is not None:
        optional |= {"when": hit.occasion.when, "date": hit.occasion.stated}
    if options.include_debug:
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


SEARCH = Tool(
    name="kb.search",
    title="Search the knowledge base",
    description=(
        "Use when you want to see which documents speak of something, or to choose passages yourself.\n"
        "Do not use when you want an answer: kb.retrieve_evidence finds and quotes at once.\n"
        "Returns at most one page of cited previews, never whole texts, each with a passage_id (p_...).\n"
        "In also give two or three other phrasings: words, and languages, that the documents may use.\n"
        "If you need more, call kb.read_excerpt, kb.extract_evidence, or this tool again with next_cursor as "
        "cursor.\n"
        "Defaults and caps: top_k 5 (max 20), page_size 5 (max 20), max_snippet_chars 280 (max 500), max_per_doc 2 "
        "(max 5), min_score 0.5 (max 1)."
    ),
    takes=SearchIn,
    gives=SearchOut,
    handle=search,
)
