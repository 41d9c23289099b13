"""The two legs side by side, fused, with both scores looked up for every candidate."""

from collections.abc import Sequence
from dataclasses import dataclass

from citemark.model.candidates import ChunkHead, Gaps, Scored, SparsePlan
from citemark.model.embedding import Calibration, Vector
from citemark.model.ids import EmbeddingSetId
from citemark.model.sources import Fence
from citemark.retrieval.bm25 import plan_sparse
from citemark.retrieval.calibration import Relevance, score
from citemark.retrieval.fusion import reciprocal_ranks
from citemark.retrieval.question import Ranked, Why
from citemark.store.search import SearchStore

LEG_DEPTH = 100
_EXACT_LIMIT = 20_000


@dataclass(frozen=True, slots=True)
class DenseQuestion:
    """A question's vector and the set it belongs to."""

    set_id: EmbeddingSetId
    vector: Vector


@dataclass(frozen=True, slots=True)
class Filtered:
    """Pages that the caller's filters leave, and how many chunks they hold."""

    pages: Sequence[int]
    chunks: int


@dataclass(frozen=True, slots=True)
class Pool:
    """Candidates in their final order, with what folding needs.

    `deeper`: all of them reached the least score, and a leg had more than was asked of it.
    """

    places: tuple[Ranked, ...]
    heads: dict[int, ChunkHead]
    deeper: bool


class Candidates:
    """Finds, fuses and orders the candidates of one question."""

    def __init__(self, store: SearchStore, calibration: Calibration, *, rrf_only: bool) -> None:
        self._store = store
        self._calibration = calibration
        self._rrf_only = rrf_only

    async def sparse_leg(
        self, fence: Fence, text: str, depth: int, filtered: Filtered | None
    ) -> tuple[SparsePlan | None, list[Scored]]:
        """The BM25 leg: plan and best chunks."""
        plan = plan_sparse(await self._store.terms(fence, text), fence)
        if plan is None:
            return None, []
        return plan, await self._store.sparse(plan, depth, None if filtered is None else filtered.pages)

    async def dense_leg(
        self, fence: Fence, question: DenseQuestion | None, depth: int, filtered: Filtered | None
    ) -> list[Scored]:
        """The vector leg: exact where fence and filters leave little, the graph index above."""
        if question is None:
            return []
        size = fence.chunks if filtered is None else filtered.chunks
        return await self._store.dense(
            question.set_id,
            question.vector,
            fence,
            depth,
            pages=None if filtered is None else filtered.pages,
            exact=size <= _EXACT_LIMIT,
        )

    async def pool(
        self,
        fence: Fence,
        question: DenseQuestion | None,
        plan: SparsePlan | None,
        sparse: Sequence[Scored],
        dense: Sequence[Scored],
        depth: int,
        min_score: float,
    ) -> Pool:
        """Fuse the legs by rank, look up what one leg lacks, order by relevance what reaches `min_score`."""
        fused = reciprocal_ranks(
            [[hit.chunk_id for hit in dense], [hit.chunk_id for hit in sparse]], limit=max(2 * depth, 200)
        )
        cosines = {int(hit.chunk_id): hit.value for hit in dense}
        bm25s = {int(hit.chunk_id): hit.value for hit in sparse}
        without_vector = [chunk_id for chunk_id in fused if chunk_id not in cosines]
        without_words = [chunk_id for chunk_id in fused if chunk_id not in bm25s]
        gaps = Gaps(
            set_id=None if question is None else question.set_id,
            vector=None if question is None else question.vector,
            plan=plan,
            without_vector=without_vector,
            without_words=without_words,
        )
        heads: dict[int, ChunkHead] = {}
        for found in await self._store.complete(fence, list(fused), gaps):
            heads[found.head.chunk_id] = found.head
            if found.cosine is not None:
                cosines[found.head.chunk_id] = found.cosine
            if found.bm25 is not None:
                bm25s[found.head.chunk_id] = found.bm25
        dense_ranks = {hit.chunk_id: rank for rank, hit in enumerate(dense, start=1)}
        sparse_ranks = {hit.chunk_id: rank for rank, hit in enumerate(sparse, start=1)}
        upper_bound = 0.0 if plan is None else plan.upper_bound
        places: list[Ranked] = []
        for chunk_id, rrf in fused.items():
            head = heads.get(chunk_id)
            if head is None:
                continue
            parts = Relevance(cosines.get(chunk_id), bm25s.get(chunk_id, 0.0), upper_bound)
            reached = score(parts, self._calibration)
            if reached < min_score:
                continue
            why = Why(
                vector_rank=dense_ranks.get(head.chunk_id),
                bm25_rank=sparse_ranks.get(head.chunk_id),
                cosine=parts.cosine,
                bm25=parts.bm25,
                bm25_upper_bound=upper_bound,
                relevance=parts.value,
                rrf=rrf,
            )
            places.append(Ranked(chunk_id, head.source_id, head.page_id, reached, why))
        return Pool(
            places=tuple(sorted(places, key=self._order)),
            heads=heads,
            deeper=len(places) == len(heads) and (len(sparse) >= depth or len(dense) >= depth),
        )

    def _order(self, place: Ranked) -> tuple[float, float, int]:
        if self._rrf_only:
            return (-place.why.rrf, -place.why.relevance, place.chunk_id)
        return (-place.score, -place.why.relevance, place.chunk_id)
