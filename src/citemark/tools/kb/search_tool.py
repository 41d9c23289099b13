"""kb.search: a shortlist with previews, never whole texts."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from citemark.evidence.budget import bytes_len
from citemark.model.errors import BudgetExceeded
from citemark.results.hits import SearchOut, render_search, search_out
from citemark.results.shape import Strict
from citemark.services.empty import Arguments
from citemark.services.requests import SearchRequest
from citemark.tools.description_parts import IN_SCHEMA
from citemark.tools.registry import Tool, ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_in import (
    Also,
    FilteredBy,
    FiltersIn,
    Name,
    Question,
    ReadAt,
    ReadContextIn,
    Scope,
    ScopeIn,
    UpToTwenty,
    Within,
    in_words,
)

if TYPE_CHECKING:
    from citemark.services.responses import SearchPage

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
    mode: Literal["auto", "vector_only", "hybrid_local"] = "auto"
    min_score: Annotated[float, Within(0, 1)] = 0.5


Options = Annotated[
    SearchOptions,
    in_words(
        "max_snippet_chars (60 to 500), max_per_doc 2 (max 5), include_scores, include_debug, "
        "mode (auto, vector_only, hybrid_local), min_score 0.5."
    ),
]


class SearchIn(Strict):
    """Arguments of kb.search."""

    query: Question
    also: Also = ()
    top_k: UpToTwenty = 5
    cursor: Name | None = None
    page_size: UpToTwenty = 5
    scope: Scope = Field(default_factory=ScopeIn)
    filters: FilteredBy = Field(default_factory=FiltersIn)
    read_context: ReadAt = Field(default_factory=ReadContextIn)
    options: Options = Field(default_factory=SearchOptions)


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
    options = asked.options
    out = search_out(page, chars, scores=options.include_scores, debug=options.include_debug, cut=cut)
    return ToolReply(out, render_search(page, [hit.preview for hit in out.results], cut=cut))


SEARCH = Tool(
    name="kb.search",
    title="Search documents",
    description=(
        "Use when you want to see which documents speak of something, or to choose passages.\n"
        "Do not use when you want an answer: kb.retrieve_evidence.\n"
        "Returns at most one page of cited previews, each with a passage_id. In also give other phrasings.\n"
        "If you need more, call kb.read_excerpt, kb.extract_evidence, or pass next_cursor.\n"
        f"{IN_SCHEMA}"
    ),
    takes=SearchIn,
    gives=SearchOut,
    handle=search,
    core=True,
)
