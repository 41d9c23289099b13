"""Search: turns a question into pages of cited hits with previews, each with a handle for the rest of its text."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from citemark.evidence.preview import best_first, preview_of
from citemark.model.scope import RequestScope, ResolvedContext
from citemark.model.text import Span
from citemark.retrieval.pipeline import Pipeline
from citemark.retrieval.ports import SourceReader
from citemark.retrieval.question import HitCollapser, Question, Ranking, VerifiedHit, VerifiedPage, phrasings_of
from citemark.retrieval.retrievers import CANDIDATES
from citemark.services.empty import EmptyResult
from citemark.services.handles import Handles, cursor_of
from citemark.services.requests import Caller, SearchRequest
from citemark.services.responses import ResponseMeta, SearchHit, SearchPage, cite, slug_of, title_of
from citemark.services.scoping import Scoping

_RESERVE = 3
"""Candidates looked for per wanted hit, so that hits withheld by their source can be replaced."""

_DEEPEST = 60
"""The most candidates looked for: three times the largest `top_k` of the tools."""

_OVERLAPPING = 2
"""Candidates of a page for each of its hits: a table row may come with its table, and only one of the two is shown."""

_NOTHING_LINKED = "Nothing that answers is linked to the best hits: hybrid_local found what vector_only finds."


def depth_for(top_k: int) -> int:
    """How many candidates are looked for to show `top_k` hits."""
    return min(top_k * _RESERVE, _DEEPEST)


def _needed_for(top_k: int, max_per_doc: int) -> int:
    """How many candidates suffice for `top_k` hits: more if a page may have fewer hits than candidates."""
    return top_k * _OVERLAPPING if max_per_doc < top_k else top_k


def _collapser(request: SearchRequest) -> HitCollapser:
    return HitCollapser(phrasings_of(request.query, request.also), max_per_doc=request.max_per_doc)


def _graph_notes(request: SearchRequest, ranking: Ranking) -> list[str]:
    """A note for a caller who asked for the graph explicitly, if it changed nothing."""
    linked = any(candidate.why.link is not None for candidate in ranking.candidates)
    return [_NOTHING_LINKED] if request.mode == "hybrid_local" and not linked else []


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a search for `request`, with resolved scope and filters: the ranking, and one verified page."""

    request: SearchRequest
    ranking: Ranking
    page: VerifiedPage


class SearchService:
    """Finds the hits of a question."""

    def __init__(self, pipeline: Pipeline, sources: SourceReader, handles: Handles, scoping: Scoping) -> None:
        self._pipeline = pipeline
        self._sources = sources
        self._handles = handles
        self._scoping = scoping

    async def find(self, caller: Caller, request: SearchRequest) -> SearchPage:
        """One page of hits with previews and handles.

        Raises:
            UnknownCursor: the cursor is not of this caller and question.
            InvalidArgument, ScopeViolation, BackendUnavailable.
        """
        if request.cursor is None:
            found = await self.all_hits(caller, request, size=min(request.page_size, request.top_k), nearest=True)
            list_id, shown = None, 0
        else:
            found, list_id, shown = await self._next_page(caller, request, request.cursor)
        request, ranking, page = found.request, found.ranking, found.page
        shown_now = shown + len(page.hits)
        cursor = None
        if page.next_start is not None and shown_now < request.top_k and page.hits and not ranking.absence.central:
            list_id = list_id or await self._handles.keep_ranking(caller, request, ranking.candidates)
            cursor = cursor_of(list_id, page.next_start, shown_now)
        phrasings = phrasings_of(request.query, request.also)
        confirmed = await self._pipeline.dated(ranking.allowed, page.hits, phrasings)
        hits = await self._offer(caller, request, confirmed, ranking.read_context, first_rank=shown + 1)
        meta = ResponseMeta.of(
            caller,
            ranking.read_context,
            reading=ranking.allowed.reading,
            reason="none" if cursor is None else "page_size",
            cursor=cursor,
            withheld=page.withheld,
            notes=(*ranking.notes, *_graph_notes(request, ranking), *page.notes),
            empty=None if hits or request.cursor is not None else await self.explain_empty(found),
            absence=ranking.absence,
            arguments=request.arguments,
        )
        return SearchPage(hits=tuple(hits), meta=meta)

    async def all_hits(self, caller: Caller, request: SearchRequest, *, size: int, nearest: bool = False) -> Found:
        """Rank a question and verify its best `size` hits, without previews and handles.

        `nearest` is as in `Question`.

        Raises:
            InvalidArgument, ScopeViolation, BackendUnavailable.
        """
        request, ranking = await self.ranked(caller, request, nearest=nearest)
        size = min(size, ranking.absence.most_shown or size)
        page = await self._pipeline.page(
            caller.principal, ranking.allowed, ranking.candidates, start=0, size=size, collapser=_collapser(request)
        )
        return Found(request, ranking, page)

    async def ranked(
        self, caller: Caller, request: SearchRequest, *, nearest: bool = False
    ) -> tuple[SearchRequest, Ranking]:
        """Settle the scope and the filters of a request and rank its question; nothing is verified.

        Raises:
            InvalidArgument, ScopeViolation, BackendUnavailable.
        """
        scope, filters = await self._scoping.settle(
            caller.principal, request.scope, request.filters, request.read_context
        )
        request = replace(request, scope=scope, filters=filters)
        ranking = await self._pipeline.rank(
            Question(
                principal=caller.principal,
                query=request.query,
                also=request.also,
                scope=scope,
                filters=filters,
                read_context=request.read_context,
                depth=depth_for(request.top_k),
                needed=_needed_for(request.top_k, request.max_per_doc),
                most=CANDIDATES,
                max_per_doc=request.max_per_doc * _OVERLAPPING,
                min_score=request.min_score,
                graph=request.mode != "vector_only",
                nearest=nearest,
            )
        )
        return request, ranking

    async def absent_names(self, caller: Caller, scope: RequestScope, phrasings: Sequence[str]) -> tuple[str, ...]:
        """The names in these phrasings that no document within the scope writes now.

        Raises:
            ScopeViolation: the scope names another project.
        """
        return await self._pipeline.absent_names(caller.principal, self._scoping.apply(scope), phrasings)

    async def explain_empty(self, found: Found) -> EmptyResult:
        """Why a search shows nothing."""
        return await self._scoping.explain_empty(
            found.ranking.allowed,
            phrasings_of(found.request.query, found.request.also),
            scope=found.request.scope,
            withheld=found.page.withheld,
            filters=found.request.filters,
            absence=found.ranking.absence,
            arguments=found.request.arguments,
            denied=found.page.denied,
        )

    async def _next_page(self, caller: Caller, request: SearchRequest, cursor: str) -> tuple[Found, str, int]:
        """A later page of a stored list, the list's id, and how many hits were shown before.

        The limits were settled for the first page: the scope is applied again, but its values are not looked up again.
        """
        request = replace(request, scope=self._scoping.apply(request.scope))
        list_id, start, shown, candidates = await self._handles.ranking(caller, request, cursor)
        sources = await self._sources.allowed(caller.principal, request.scope)
        state = await self._pipeline.contexts.open(request.read_context, sources)
        size = min(request.page_size, request.top_k - shown)
        collapser = _collapser(request)
        # Earlier hits are checked again, so that nothing is collapsed into a hit that has gone in the meantime.
        await self._pipeline.page(
            caller.principal, state.allowed, candidates, start=0, size=start, end=start, collapser=collapser
        )
        page = await self._pipeline.page(
            caller.principal, state.allowed, candidates, start=start, size=size, collapser=collapser
        )
        # The list was stored with the titles of linked documents, which their sources may not confirm any more.
        page = replace(page, hits=await self._pipeline.with_confirmed_links(caller.principal, state.allowed, page.hits))
        ranking = Ranking(tuple(candidates), state.allowed, state.context, state.notes)
        return Found(request, ranking, page), list_id, shown

    async def _offer(
        self,
        caller: Caller,
        request: SearchRequest,
        found: Sequence[VerifiedHit],
        context: ResolvedContext,
        *,
        first_rank: int,
    ) -> list[SearchHit]:
        phrasings = phrasings_of(request.query, request.also)
        spans = [best_first(phrasings[hit.candidate.why.phrasing], hit.chunk.text) for hit in found]
        best = [ranked[0].piece.span if ranked else Span(0, 0) for ranked in spans]
        offered = [(hit.chunk, span) for hit, span in zip(found, best, strict=True)]
        handles = await self._handles.offer(caller, offered, context)
        return [
            SearchHit(
                rank=rank,
                passage_id=handle,
                section_id=hit.chunk.section_native_id,
                doc_tag=hit.source.doc_tag,
                title=title_of(hit.chunk),
                score=hit.candidate.score,
                origin=hit.candidate.why.origin,
                preview=preview_of(ranked, hit.chunk.text, request.max_snippet_chars, header=hit.chunk.table_header),
                size_bytes=hit.chunk.size_bytes,
                anchor=slug_of(hit.chunk),
                citation=cite(hit.chunk, hit.source, context),
                also_in=hit.other_sections,
                why=hit.candidate.why,
                found_by=phrasings[hit.candidate.why.phrasing],
                text=hit.chunk.text,
                context=hit.chunk.context,
                last_modified=hit.chunk.modified_at,
                occasion=hit.occasion,
            )
            for rank, (hit, handle, ranked) in enumerate(zip(found, handles, spans, strict=True), start=first_rank)
        ]
