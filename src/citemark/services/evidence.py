"""Evidence: the verbatim quotes that answer a question, cut from what a search finds or from passages given."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from citemark.embedding.contract import Embedder
from citemark.evidence.budget import QuoteLimits
from citemark.evidence.quotes import choose_quotes
from citemark.evidence.scoring import RERANKED, rank_all, rerank
from citemark.model.candidates import StoredChunk
from citemark.model.ids import PassageId
from citemark.model.scope import ReadContext, RequestScope, ResolvedContext
from citemark.model.sources import Source
from citemark.model.text import Span
from citemark.retrieval.pipeline import Pipeline
from citemark.retrieval.question import phrasings_of
from citemark.services.empty import nothing_in_passages
from citemark.services.handles import Handles
from citemark.services.passage_handles import PassageService
from citemark.services.requests import Caller, SearchRequest
from citemark.services.responses import Evidence, Quote, ResponseMeta, cite, title_of
from citemark.services.search import SearchService

_NOW = ReadContext()


@dataclass(frozen=True, slots=True)
class QuoteCandidate:
    """A passage that quotes may be cut from; `relevance` is what it was ranked by, None when read by handle."""

    passage_id: PassageId
    chunk: StoredChunk
    source: Source
    relevance: float | None = None


class EvidenceService:
    """Cuts quotes. Without an embedder the overlap with the question alone orders the spans."""

    def __init__(
        self,
        search: SearchService,
        passages: PassageService,
        pipeline: Pipeline,
        handles: Handles,
        embedder: Callable[[], Embedder | None],
    ) -> None:
        """Keep what quotes are found with.

        Args:
            search: finds hits for questions.
            passages: opens passages by handle.
            pipeline: resolves read contexts.
            handles: mints a handle for each passage that is quoted.
            embedder: the model that the weights of the spans were fitted with; it runs on this machine.
        """
        self._search = search
        self._passages = passages
        self._pipeline = pipeline
        self._handles = handles
        self._embedder = embedder

    async def retrieve(self, caller: Caller, request: SearchRequest, limits: QuoteLimits) -> Evidence:
        """Search and cut quotes in one call.

        Raises:
            InvalidArgument, ScopeViolation, BackendUnavailable.
        """
        found = await self._search.all_hits(caller, replace(request, cursor=None), size=request.top_k)
        ranking, page = found.ranking, found.page
        handles = await self._handles.offer(caller, [(hit.chunk, Span(0, 0)) for hit in page.hits])
        candidates = [
            QuoteCandidate(handle, hit.chunk, hit.source, hit.candidate.why.relevance)
            for handle, hit in zip(handles, page.hits, strict=True)
        ]
        phrasings = phrasings_of(request.query, request.also)
        quotes = await self._quotes(phrasings, candidates, limits, ranking.read_context)
        empty = None if quotes else await self._search.explain_empty(found)
        meta = ResponseMeta.of(caller, ranking.read_context, withheld=page.withheld, notes=ranking.notes, empty=empty)
        return Evidence(tuple(quotes), meta, ranking.confidence)

    async def extract(
        self,
        caller: Caller,
        question: str,
        passage_ids: Sequence[str],
        limits: QuoteLimits,
        *,
        scope: RequestScope,
        also: Sequence[str] = (),
        read_context: ReadContext = _NOW,
    ) -> Evidence:
        """The quotes of given passages that answer a question.

        Raises:
            UnknownPassage, ScopeViolation, BackendUnavailable.
        """
        opened = await self._passages.open(caller, list(dict.fromkeys(passage_ids)), scope)
        context = await self._pipeline.resolve(read_context, [entry.source.source_id for entry in opened])
        candidates = [QuoteCandidate(entry.passage_id, entry.chunk, entry.source) for entry in opened]
        quotes = await self._quotes(phrasings_of(question, also), candidates, limits, context)
        empty = None if quotes else nothing_in_passages()
        return Evidence(tuple(quotes), ResponseMeta.of(caller, context, empty=empty))

    async def _quotes(
        self,
        phrasings: Sequence[str],
        candidates: Sequence[QuoteCandidate],
        limits: QuoteLimits,
        context: ResolvedContext,
    ) -> list[Quote]:
        """The best quotes over all passages, within the limits; cut in a thread, as embedding blocks."""
        return await asyncio.to_thread(self._cut, phrasings, candidates, limits, context)

    def _cut(
        self,
        phrasings: Sequence[str],
        candidates: Sequence[QuoteCandidate],
        limits: QuoteLimits,
        context: ResolvedContext,
    ) -> list[Quote]:
        texts = [entry.chunk.text for entry in candidates]
        ranked = rank_all(phrasings[0], texts, phrasings[1:])
        embedder = self._embedder()
        cosines = None
        if embedder is not None and ranked:
            asked = embedder.embed_queries(phrasings)
            head = [entry.piece.span.of(texts[entry.passage]) for entry in ranked[:RERANKED]]
            cosines = [float(value) for value in (embedder.embed_documents(head) @ asked.T).max(axis=1)]
        known = [entry.relevance for entry in candidates if entry.relevance is not None]
        ranked = rerank(ranked, cosines, known if len(known) == len(candidates) else None)
        return [
            Quote(
                quote=cut.text,
                passage_id=candidates[cut.passage].passage_id,
                section_id=candidates[cut.passage].chunk.section_native_id,
                title=title_of(candidates[cut.passage].chunk),
                confidence=cut.confidence,
                citation=cite(candidates[cut.passage].chunk, candidates[cut.passage].source, context, cut.span),
            )
            for cut in choose_quotes(ranked, texts, limits)
        ]
