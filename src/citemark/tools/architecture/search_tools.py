"""architecture.semanticSearch and searchElements: finding elements by meaning, or by names and words."""

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from citemark.evidence.preview import preview
from citemark.model.citation import iso
from citemark.services.architecture.requests import ElementSearch
from citemark.tools.architecture.model_lines import render_hits
from citemark.tools.architecture.schemas_in import Cursor, ElementFilters, ElementFiltersIn, ModelIn
from citemark.tools.architecture.schemas_out import ElementOut, ModelOut, element_fields
from citemark.tools.paged_replies import fitting
from citemark.tools.registry import ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_in import Also, Question, Within
from citemark.tools.schemas_out import IsoTime, meta_fields, rounded, scratch_uri, short

if TYPE_CHECKING:
    from citemark.services.architecture.responses import ElementHit
    from citemark.services.responses import ResponseMeta

_TEXT_CHARS = 300
"""Maximum characters of a context shown in the text; the structured content holds all of it."""

_MOST_WORD_HITS = 300
"""Maximum elements over all pages of a search by words: three pages of the largest size."""


class SemanticSearchIn(ModelIn):
    """Arguments of semanticSearch."""

    query: Annotated[Question, Field(description="A question or words.")]
    also: Also = ()
    top_k: Annotated[int, Within(1, 50), Field(description="Most elements over all pages.")] = 10
    min_score: Annotated[float, Within(0, 1)] = 0.5
    filters: ElementFilters = Field(default_factory=ElementFiltersIn)
    cursor: Cursor = None
    page_size: Annotated[int, Within(1, 50)] = 10


class SearchElementsIn(ModelIn):
    """Arguments of searchElements."""

    query: Annotated[Question, Field(description="A name, part of one, or words.")]
    also: Also = ()
    filters: ElementFilters = Field(default_factory=ElementFiltersIn)
    cursor: Cursor = None
    page_size: Annotated[int, Within(1, 100)] = 25


class ElementHitOut(ElementOut):
    """An element that answers, with the contextual chunk that matched; its revision is repeated beside its name."""

    revision_id: str
    baseline_id: str | None
    as_of: IsoTime
    score: float
    context: str
    scratch_uri: str
    also_in: list[str] = Field(default_factory=list[str])


class SemanticSearchOut(ModelOut):
    """Result of semanticSearch."""

    results: list[ElementHitOut]
    confidence: float | None = None


class FoundOut(ElementOut):
    """An element whose name or text holds the words."""

    matched: str
    preview: str


class SearchElementsOut(ModelOut):
    """Result of searchElements."""

    results: list[FoundOut]


async def semantic_search(call: ToolCall, asked: SemanticSearchIn) -> ToolReply:
    """Return a page of elements, ranked by meaning and words together."""
    request = ElementSearch(
        query_scope=asked.query_scope(),
        query=asked.query,
        also=asked.also,
        top_k=asked.top_k if "top_k" in asked.model_fields_set else call.settings.default_top_k or asked.top_k,
        page_size=asked.page_size,
        min_score=asked.min_score if "min_score" in asked.model_fields_set else call.settings.min_score,
        metadata=asked.filters.value(),
        cursor=asked.cursor,
    )
    searching = call.services.element_search
    page = await searching.page(call.caller, request)
    contexts = await asyncio.to_thread(lambda: [_text_context(hit) for hit in page.hits])

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        hits = page.hits[:kept]
        found = [_hit(hit, meta.session_id) for hit in hits]
        out = SemanticSearchOut(results=found, confidence=rounded(meta.confidence), **meta_fields(meta))
        return ToolReply(out, render_hits(asked.query, hits, contexts[:kept], meta))

    return await fitting(
        call, page.meta, len(page.hits), build, lambda kept: searching.cursor(call.caller, request, page, kept)
    )


async def search_elements(call: ToolCall, asked: SearchElementsIn) -> ToolReply:
    """Return a page of elements: matches of names first, then of full text."""
    request = ElementSearch(
        query_scope=asked.query_scope(),
        query=asked.query,
        also=asked.also,
        top_k=_MOST_WORD_HITS,
        page_size=asked.page_size,
        min_score=0.0,
        metadata=asked.filters.value(),
        by_words=True,
        cursor=asked.cursor,
    )
    searching = call.services.element_search
    page = await searching.page(call.caller, request)

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        hits = page.hits[:kept]
        previews = [short(" ".join(hit.context.split()), _TEXT_CHARS) for hit in hits]
        found = [_found(hit, preview) for hit, preview in zip(hits, previews, strict=True)]
        out = SearchElementsOut(results=found, **meta_fields(meta))
        return ToolReply(out, render_hits(asked.query, hits, previews, meta))

    return await fitting(
        call, page.meta, len(page.hits), build, lambda kept: searching.cursor(call.caller, request, page, kept)
    )


def _text_context(hit: "ElementHit") -> str:
    """The context of a hit, or the sentences of it that answer best if it is long."""
    if len(hit.context) <= _TEXT_CHARS:
        return hit.context
    return preview(hit.found_by, hit.context, _TEXT_CHARS) or short(hit.context, _TEXT_CHARS)


def _hit(hit: "ElementHit", session_id: str) -> ElementHitOut:
    optional: dict[str, Any] = {"also_in": list(hit.also)} if hit.also else {}
    return ElementHitOut(
        revision_id=hit.citation.revision_id,
        baseline_id=hit.citation.baseline_id,
        as_of=iso(hit.citation.as_of),
        score=round(hit.score, 4),
        context=hit.context,
        scratch_uri=scratch_uri(session_id, hit.passage_id),
        **element_fields(hit.part, hit.citation),
        **optional,
    )


def _found(hit: "ElementHit", preview: str) -> FoundOut:
    matched = "name" if hit.by_name else "text"
    return FoundOut(matched=matched, preview=preview, **element_fields(hit.part, hit.citation))
