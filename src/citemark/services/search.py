"""Search: turns a question into pages of cited hits with previews, each with a handle for the rest of its text."""

from collections.abc import Sequence
from dataclasses import replace

from citemark.evidence.preview import preview_of
from citemark.model.ids import PassageId
from citemark.model.scope import RequestScope, ResolvedContext
from citemark.retrieval.pipeline import Pipeline
from citemark.retrieval.ports import SourceReader
from citemark.retrieval.question import HitCollapser, Question, Ranking, phrasings_of
from citemark.retrieval.retrievers import CANDIDATES
from citemark.services.empty import EmptyResult
from citemark.services.handles import Handles, cursor_of
from citemark.services.question_search import Found, OfferedHit, Search, SearchSpec, offered
from citemark.services.requests import Caller, SearchRequest
from citemark.services.responses import SearchHit, SearchPage, cite, slug_of, title_of
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


def question_of(caller: Caller, request: SearchRequest) -> Question:
    """The question of a request, with its limits as they were given."""
    return Question(
        principal=caller.principal,
        query=request.query,
        also=request.also,
        scope=request.scope,
        filters=request.filters,
        read_context=request.read_context,
        depth=depth_for(request.top_k),
        needed=_needed_for(request.top_k, request.max_per_doc),
        most=CANDIDATES,
        max_per_doc=request.max_per_doc * _OVERLAPPING,
        min_score=request.min_score,
        graph=request.mode != "vector_only",
        nearest=True,
    )


class SearchService:
    """Finds the hits of a question."""

    def __init__(self, pipeline: Pipeline, sources: SourceReader, handles: Handles, scoping: Scoping) -> None:
        self._pipeline = pipeline
        self._handles = handles
        self._scoping = scoping
        self._search = Search(pipeline, sources, scoping)

    async def find(self, caller: Caller, request: SearchRequest) -> SearchPage:
        """One page of hits with previews and handles.

        Raises:
            UnknownCursor: the cursor is not of this caller and question.
            InvalidArgument, ScopeViolation, BackendUnavailable.
        """
        if request.cursor is None:
            size = min(request.page_size, request.top_k)
            found, list_id, shown = await self._search.run(caller, _spec(caller, request, size)), None, 0
        else:
            found, list_id, shown = await self._next_page(caller, request, request.cursor)
        page, shown_now = found.page, shown + len(found.page.hits)
        cursor = None
        if (
            page.next_start is not None
            and shown_now < request.top_k
            and page.hits
            and not found.ranking.absence.central
        ):
            settled = replace(request, scope=found.question.scope, filters=found.question.filters)
            list_id = list_id or await self._handles.keep_ranking(caller, settled, found.ranking.candidates)
            cursor = cursor_of(list_id, page.next_start, shown_now)
        found = await self._search.dated(found)
        context = found.ranking.read_context
        offers = await offered(self._handles, caller, found)
        hits = tuple(_hit(offer, request, context, rank) for rank, offer in enumerate(offers, start=shown + 1))
        empty = None if hits or request.cursor is not None else await self._search.explain_empty(found)
        return SearchPage(
            hits, found.meta(caller, cursor=cursor, notes=_graph_notes(request, found.ranking), empty=empty)
        )

    async def ranked(self, caller: Caller, request: SearchRequest) -> tuple[Question, Ranking]:
        """Settle the scope and the filters of a request and rank its question; nothing is verified.

        Raises:
            InvalidArgument, ScopeViolation, BackendUnavailable.
        """
        return await self._search.ranked(caller, question_of(caller, request))

    async def explain_empty(self, found: Found) -> EmptyResult:
        """Why a search shows nothing."""
        return await self._search.explain_empty(found)

    async def absent_names(self, caller: Caller, scope: RequestScope, phrasings: Sequence[str]) -> tuple[str, ...]:
        """The names in these phrasings that no document within the scope writes now.

        Raises:
            ScopeViolation: the scope names another project.
        """
        return await self._pipeline.absent_names(caller.principal, self._scoping.apply(scope), phrasings)

    async def _next_page(self, caller: Caller, request: SearchRequest, cursor: str) -> tuple[Found, str, int]:
        """A later page of a stored list, the list's id, and how many hits were shown before."""
        request = replace(request, scope=self._scoping.apply(request.scope))
        list_id, start, shown, candidates = await self._handles.ranking(caller, request, cursor)
        spec = _spec(caller, request, min(request.page_size, request.top_k - shown))
        question, ranking = await self._search.reopened(caller, spec.question, candidates)
        # Earlier hits are checked again, so that nothing is collapsed into a hit that has gone in the meantime.
        await self._pipeline.page(
            caller.principal, ranking.allowed, candidates, start=0, size=start, end=start, collapser=spec.collapser
        )
        found = await self._search.page(caller, replace(spec, question=question), ranking, start=start)
        # The list was stored with the titles of linked documents, which their sources may not confirm any more.
        hits = await self._pipeline.with_confirmed_links(caller.principal, ranking.allowed, found.page.hits)
        return replace(found, page=replace(found.page, hits=hits)), list_id, shown


def _spec(caller: Caller, request: SearchRequest, size: int) -> SearchSpec:
    return SearchSpec(question_of(caller, request), size, _collapser(request), arguments=request.arguments)


def _hit(offer: OfferedHit, request: SearchRequest, context: ResolvedContext, rank: int) -> SearchHit:
    hit, chunk, why = offer.hit, offer.hit.chunk, offer.hit.candidate.why
    return SearchHit(
        rank=rank,
        passage_id=PassageId(offer.passage_id),
        section_id=chunk.section_native_id,
        doc_tag=hit.source.doc_tag,
        title=title_of(chunk),
        score=hit.candidate.score,
        origin=why.origin,
        preview=preview_of(offer.spans, chunk.text, request.max_snippet_chars, header=chunk.table_header),
        size_bytes=chunk.size_bytes,
        anchor=slug_of(chunk),
        citation=cite(chunk, hit.source, context),
        also_in=hit.other_sections,
        why=why,
        found_by=offer.found_by,
        text=chunk.text,
        context=chunk.context,
        last_modified=chunk.modified_at,
        occasion=hit.occasion,
    )
