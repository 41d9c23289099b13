"""Documents of accounts that answer a question: the one pipeline, over the types of a Nextcloud."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from citemark.evidence.accounts.dating import dates_of, in_order
from citemark.evidence.accounts.requests import AccountSearch
from citemark.evidence.accounts.results import AccountHit, AccountHits
from citemark.evidence.budget import Usage
from citemark.evidence.citing import cite
from citemark.evidence.handles import Handles, cursor_of
from citemark.evidence.requests import Caller
from citemark.evidence.results import ResponseMeta
from citemark.evidence.scoping import Scoping
from citemark.evidence.scoring import rank_spans
from citemark.model.ids import RevisionId, SourceId
from citemark.model.scope import Filters, RequestScope
from citemark.model.text import Span
from citemark.retrieval.pipeline import Pipeline
from citemark.retrieval.question import PermittedPage, Question, Ranking
from citemark.store.accounts import AccountStore
from citemark.store.sources import SourceStore

Revision = tuple[SourceId, RevisionId]

_UNDATED = ("",)
_DEEPEST = 150
"""How many documents a question reaches at most, over all its pages: three of the largest."""


class AccountSearching:
    """Ranks, verifies and shows documents of accounts."""

    def __init__(
        self, pipeline: Pipeline, sources: SourceStore, accounts: AccountStore, handles: Handles, scoping: Scoping
    ) -> None:
        self._pipeline = pipeline
        self._sources = sources
        self._accounts = accounts
        self._handles = handles
        self._scoping = scoping

    async def search(self, caller: Caller, request: AccountSearch) -> AccountHits:
        """One page of the documents that reach the score, each vouched for by its server a moment ago.

        Raises:
            InvalidArgument: the read context asks for a state that is not kept.
            UnknownCursor: the cursor is not of this caller and question.
            BackendUnavailable: the database does not answer.
        """
        scope, filters = await self._scoping.settle(caller.principal, RequestScope(), request.filters)
        list_id, start, before, ranking = await self._ranked(caller, request, scope, filters)
        places = ranking.candidates
        page, dates = await self._page(caller, request, ranking, start)
        confirmed = before + len(page.hits)
        cursor = None
        if page.next_start is not None:
            list_id = list_id or await self._handles.keep_candidates(caller, request.digest, places)
            cursor = cursor_of(list_id, page.next_start, confirmed)
        keys = [(hit.chunk.source_id, hit.chunk.revision_id) for hit in page.hits]
        vouched = [key for key, hit in zip(keys, page.hits, strict=True) if hit.vouched]
        metadata = await self._accounts.metadata(ranking.allowed, vouched)
        spans = [rank_spans(request.query, hit.chunk.text) for hit in page.hits]
        handles = await self._handles.offer(
            caller,
            [
                (hit.chunk, best[0].piece.span if best else Span(0, 0))
                for hit, best in zip(page.hits, spans, strict=True)
            ],
        )
        hits = tuple(
            AccountHit(
                native_id=hit.chunk.native_id,
                doc_type=hit.chunk.doc_type,
                title=hit.chunk.title,
                text=hit.chunk.text,
                spans=tuple(best),
                score=hit.candidate.score,
                metadata=in_order(metadata.get(key, {}), dates.get(key, ())),
                citation=cite(hit.chunk, hit.source, ranking.read_context),
                passage_id=passage_id,
            )
            for key, hit, best, passage_id in zip(keys, page.hits, spans, handles, strict=True)
        )
        meta = ResponseMeta(
            session_id=caller.session_id,
            read_context=ranking.read_context,
            partial=cursor is not None,
            limit_reason="none" if cursor is None else "page_size",
            next_cursor=cursor,
            withheld_unverified=page.withheld,
            usage=Usage.of_bytes(0),
            notes=ranking.notes,
            # Places before this page that were not shown may have been withheld.
            whole=page.whole and start == before and len(places) < _DEEPEST,
            empty=None
            if hits
            else await self._scoping.explain_empty(
                ranking.allowed, request.query, scope=scope, withheld=page.withheld, filters=filters
            ),
        )
        return AccountHits(hits, meta, confirmed)

    async def _page(
        self, caller: Caller, request: AccountSearch, ranking: Ranking, start: int
    ) -> tuple[PermittedPage, Mapping[Revision, Sequence[str]]]:
        """The documents of a page, and the dates of those that repeat; series without one in the days are left out."""
        allowed, withheld = ranking.allowed, 0
        while True:
            page = await self._pipeline.page(
                caller.principal, allowed, ranking.candidates, start=start, size=request.limit
            )
            if request.date_from is None and request.date_to is None:
                return page, {}
            keys = [(hit.chunk.source_id, hit.chunk.revision_id) for hit in page.hits if hit.vouched]
            dates = await dates_of(await self._accounts.series(allowed, keys), request)
            kept = [hit for hit in page.hits if dates.get((hit.chunk.source_id, hit.chunk.revision_id), _UNDATED)]
            withheld += page.withheld
            if kept or page.next_start is None:
                return replace(page, hits=tuple(kept), withheld=withheld), dates
            start = page.next_start

    async def _ranked(
        self, caller: Caller, request: AccountSearch, scope: RequestScope, filters: Filters
    ) -> tuple[str | None, int, int, Ranking]:
        """The list that is paged, its id where it is kept, the next place, and how many documents were shown."""
        if request.cursor is not None:
            list_id, start, shown, places = await self._handles.candidates(caller, request.digest, request.cursor)
            allowed = await self._sources.allowed(caller.principal, scope)
            context = await self._pipeline.resolve(request.read_context, allowed.ids)
            return list_id, start, shown, Ranking(tuple(places), allowed, context)
        ranking = await self._pipeline.rank(
            Question(
                principal=caller.principal,
                query=request.query,
                scope=scope,
                filters=filters,
                read_context=request.read_context,
                depth=_DEEPEST,
                max_per_doc=1,
                min_score=request.min_score,
            )
        )
        return None, 0, 0, ranking
