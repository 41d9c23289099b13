"""Documents of accounts that answer a question: the one pipeline, over the types of a Nextcloud."""

from citemark.evidence.accounts.requests import AccountSearch
from citemark.evidence.accounts.results import AccountHit, AccountHits
from citemark.evidence.budget import Usage
from citemark.evidence.citing import cite
from citemark.evidence.handles import Handles, cursor_of
from citemark.evidence.requests import Asker
from citemark.evidence.results import Frame
from citemark.evidence.scoping import Scoping
from citemark.evidence.scoring import rank_spans
from citemark.model.scope import Filters, RequestScope
from citemark.retrieval.pipeline import Pipeline
from citemark.retrieval.question import Question, Ranking
from citemark.store.accounts import AccountStore
from citemark.store.sources import SourceStore

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

    async def search(self, asker: Asker, request: AccountSearch) -> AccountHits:
        """One page of the documents that reach the score, each vouched for by its server a moment ago.

        Raises:
            InvalidArgument: the read context asks for a state that is not kept.
            UnknownCursor: the cursor is not of this asker and question.
            BackendUnavailable: the database does not answer.
        """
        scope, filters = await self._scoping.settle(asker.principal, RequestScope(), request.filters)
        list_id, start, before, ranking = await self._ranked(asker, request, scope, filters)
        places = ranking.places
        page = await self._pipeline.page(asker.principal, ranking.fence, places, start=start, size=request.limit)
        confirmed = before + len(page.hits)
        cursor = None
        if page.next_place is not None:
            list_id = list_id or await self._handles.keep_places(asker, request.digest, places)
            cursor = cursor_of(list_id, page.next_place, confirmed)
        keys = [(hit.chunk.source_id, hit.chunk.revision_id) for hit in page.hits]
        vouched = [key for key, hit in zip(keys, page.hits, strict=True) if hit.vouched]
        metadata = await self._accounts.metadata(ranking.fence, vouched)
        hits = tuple(
            AccountHit(
                native_id=hit.chunk.native_id,
                doc_type=hit.chunk.doc_type,
                title=hit.chunk.title,
                text=hit.chunk.text,
                spans=tuple(rank_spans(request.query, hit.chunk.text)),
                score=hit.place.score,
                metadata=metadata.get(key, {}),
                citation=cite(hit.chunk, hit.source, ranking.read_context),
            )
            for key, hit in zip(keys, page.hits, strict=True)
        )
        frame = Frame(
            session_id=asker.session_id,
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
                ranking.fence, request.query, scope=scope, withheld=page.withheld, filters=filters
            ),
        )
        return AccountHits(hits, frame, confirmed)

    async def _ranked(
        self, asker: Asker, request: AccountSearch, scope: RequestScope, filters: Filters
    ) -> tuple[str | None, int, int, Ranking]:
        """The list that is paged, its id where it is kept, the next place, and how many documents were shown."""
        if request.cursor is not None:
            list_id, start, shown, places = await self._handles.places(asker, request.digest, request.cursor)
            fence = await self._sources.fence(asker.principal, scope)
            context = await self._pipeline.resolve(request.read_context)
            return list_id, start, shown, Ranking(tuple(places), fence, context)
        ranking = await self._pipeline.rank(
            Question(
                principal=asker.principal,
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
