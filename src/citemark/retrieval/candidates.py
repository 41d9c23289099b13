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
from citemark.retrieval.names import unknown_names
from citemark.retrieval.question import Ranked, Why
from citemark.store.search import SearchStore

LEG_DEPTH = 100
_EXACT_LIMIT = 20_000
_DOUBTED = 0.5


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
class SparseLeg:
    """What the words of a question gave; `unknown` are its names that stand nowhere in the fence."""

    plan: SparsePlan | None
    hits: list[Scored]
    unknown: tuple[str, ...] = ()


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

    async def sparse_leg(self, fence: Fence, text: str, depth: int, filtered: Filtered | None) -> SparseLeg:
        """The BM25 leg: plan, best chunks, and the names it knows nothing of."""
        terms = await self._store.terms(fence, text)
        plan = plan_sparse(terms, fence)
        # Where nouns are capitalised, a capital names nothing.
        capitals = all(source.language == "english" for source in fence.sources)
        unknown = unknown_names(text, terms, capitals=capitals)
        if plan is None:
            return SparseLeg(None, [], unknown)
        hits = await self._store.sparse(plan, depth, None if filtered is None else filtered.pages)
        return SparseLeg(plan, hits, unknown)

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
        leg: SparseLeg,
        dense: Sequence[Scored],
        depth: int,
        min_score: float,
    ) -> Pool:
        """Fuse the legs by rank, look up what one leg lacks, order by relevance what reaches `min_score`.

        A question with names that stand nowhere in the fence is answered with half the score.
        """
        plan, sparse = leg.plan, leg.hits
        trust = _DOUBTED if leg.unknown else 1.0
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
            reached = trust * score(parts, self._calibration)
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
