"""Documents of accounts that answer a question: the one pipeline, over the types of a Nextcloud."""

from citemark.evidence.accounts.requests import AccountSearch
from citemark.evidence.accounts.results import AccountHit, AccountHits
from citemark.evidence.budget import Usage
from citemark.evidence.citing import cite
from citemark.evidence.requests import Asker
from citemark.evidence.results import Frame
from citemark.evidence.scoping import Scoping
from citemark.evidence.scoring import rank_spans
from citemark.model.scope import RequestScope
from citemark.retrieval.pipeline import Pipeline
from citemark.retrieval.question import Question
from citemark.store.accounts import AccountStore

_RESERVE = 3
"""How many places per wanted document are kept, so that those withheld at the source can be replaced."""

_DEEPEST = 150


class AccountSearching:
    """Ranks, verifies and shows documents of accounts."""

    def __init__(self, pipeline: Pipeline, accounts: AccountStore, scoping: Scoping) -> None:
        self._pipeline = pipeline
        self._accounts = accounts
        self._scoping = scoping

    async def search(self, asker: Asker, request: AccountSearch) -> AccountHits:
        """The documents that reach the score, each vouched for by its server a moment ago.

        Raises:
            InvalidArgument: the read context asks for a state that is not kept.
            BackendUnavailable: the database does not answer.
        """
        scope, filters = await self._scoping.settle(asker.principal, RequestScope(), request.filters)
        ranking = await self._pipeline.rank(
            Question(
                principal=asker.principal,
                query=request.query,
                scope=scope,
                filters=filters,
                read_context=request.read_context,
                depth=min(request.limit * _RESERVE, _DEEPEST),
                max_per_doc=1,
                min_score=request.min_score,
            )
        )
        page = await self._pipeline.page(asker.principal, ranking.fence, ranking.places, start=0, size=request.limit)
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
            partial=False,
            limit_reason="none",
            next_cursor=None,
            withheld_unverified=page.withheld,
            usage=Usage.of_bytes(0),
            notes=ranking.notes,
            empty=None
            if hits
            else await self._scoping.explain_empty(
                ranking.fence, request.query, scope=scope, withheld=page.withheld, filters=filters
            ),
        )
        return AccountHits(hits, frame)
