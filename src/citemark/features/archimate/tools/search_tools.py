"""architecture.semanticSearch and searchElements: finding elements by meaning, or by names and words."""

import asyncio
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from citemark.features.archimate.results.element_hits import hits_out, named_out, text_context
from citemark.features.archimate.results.model_parts import render_hits
from citemark.features.archimate.services.keys import ELEMENT_SEARCH
from citemark.features.archimate.services.requests import ElementSearch
from citemark.features.archimate.tools.schemas_in import Cursor, ElementFilters, ElementFiltersIn, ModelIn
from citemark.model.errors import InvalidArgument
from citemark.tools.paged_replies import fitting
from citemark.tools.registry import ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_in import Also, Question, Within

if TYPE_CHECKING:
    from citemark.services.responses import ResponseMeta


_MOST_WORD_HITS = 300
"""Maximum elements over all pages of a search by words: three pages of the largest size."""


class SemanticSearchIn(ModelIn):
    """Arguments of semanticSearch; without a query, it lists the elements that meet the filters."""

    query: Question | None = None
    also: Also = ()
    top_k: Annotated[int, Within(1, 50)] = 10
    min_score: Annotated[float, Within(0, 1)] = 0.5
    filters: ElementFilters = Field(default_factory=ElementFiltersIn)
    cursor: Cursor = None
    page_size: Annotated[int, Within(1, 50)] = 10


class SearchElementsIn(ModelIn):
    """Arguments of searchElements."""

    query: Question
    also: Also = ()
    filters: ElementFilters = Field(default_factory=ElementFiltersIn)
    cursor: Cursor = None
    page_size: Annotated[int, Within(1, 100)] = 25


async def semantic_search(call: ToolCall, asked: SemanticSearchIn) -> ToolReply:
    """Return a page of elements, ranked by meaning and words together."""
    if asked.query is None and asked.also:
        raise InvalidArgument("Give the question itself as query; also has other phrasings of it.")
    query = asked.query or ""
    request = ElementSearch(
        query_scope=asked.query_scope(),
        query=query,
        also=asked.also,
        top_k=asked.top_k if "top_k" in asked.model_fields_set else call.settings.default_top_k or asked.top_k,
        page_size=asked.page_size,
        min_score=asked.min_score if "min_score" in asked.model_fields_set else call.settings.min_score,
        metadata=asked.filters.value(),
        cursor=asked.cursor,
    )
    searching = call.services.get(ELEMENT_SEARCH)
    page = await searching.page(call.caller, request)
    contexts = await asyncio.to_thread(lambda: [text_context(hit) for hit in page.hits])

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        hits = page.hits[:kept]
        return ToolReply(hits_out(hits, meta), render_hits(query, hits, contexts[:kept], meta))

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
    searching = call.services.get(ELEMENT_SEARCH)
    page = await searching.page(call.caller, request)

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        hits = page.hits[:kept]
        out = named_out(hits, meta)
        previews = [each.preview for each in out.results]
        return ToolReply(out, render_hits(asked.query, hits, previews, meta))

    return await fitting(
        call, page.meta, len(page.hits), build, lambda kept: searching.cursor(call.caller, request, page, kept)
    )
