"""The two legs side by side, fused, with both scores looked up for every candidate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citemark.model.candidates import NO_HEADS, NO_HITS, Gaps, Heads, Leg, SparsePlan
from citemark.model.ids import EmbeddingSetId
from citemark.model.sources import Fence
from citemark.model.vectors import Calibration, Vector
from citemark.retrieval.bm25 import plan_sparse
from citemark.retrieval.calibration import aligned, lexical_share, score, weighed
from citemark.retrieval.folding import Folded, Place
from citemark.retrieval.foreign import EVERY_LANGUAGE, CosineWeights
from citemark.retrieval.fusion import reciprocal_ranks
from citemark.retrieval.names import capitals_name, names_in, unknown_names
from citemark.retrieval.question import Ranked, Why
from citemark.store.search import SearchStore

LEG_DEPTH = 100
_EXACT_LIMIT = 20_000
_MEASURED_DIMENSIONS = 384
_DOUBTED = 0.5


@dataclass(frozen=True, slots=True)
class DenseQuestion:
    """A question's vector, the set it belongs to, and how cosines of that set become scores in which language."""

    set_id: EmbeddingSetId
    vector: Vector
    calibration: Calibration
    weights: CosineWeights = EVERY_LANGUAGE


@dataclass(frozen=True, slots=True)
class Filtered:
    """Pages that the caller's filters leave, and how many chunks they hold."""

    pages: Sequence[int]
    chunks: int


@dataclass(frozen=True, slots=True)
class Words:
    """What the words of a question weigh in the fence; `unknown` are its names that stand nowhere in it."""

    plan: SparsePlan | None
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DenseLeg:
    """The nearest chunks, and what else ranking needs of them."""

    hits: Leg
    heads: Heads


@dataclass(frozen=True, slots=True)
class Pool:
    """Candidates in their final order, and what each came from.

    `deeper`: all of them reached the least score, and a leg had more than was asked of it.
    """

    places: tuple[Place, ...]
    fused: Mapping[int, float]
    dense: Leg
    sparse: Leg
    upper_bound: float
    deeper: bool

    def ranked(self, kept: Sequence[Folded]) -> list[Ranked]:
        """The places that folding kept, each with its reasons."""
        dense_ranks = {chunk_id: rank for rank, chunk_id in enumerate(self.dense.chunk_ids, start=1)}
        sparse_ranks = {chunk_id: rank for rank, chunk_id in enumerate(self.sparse.chunk_ids, start=1)}
        return [
            Ranked(
                chunk_id=entry.place.chunk_id,
                source_id=entry.place.source_id,
                page_id=entry.place.page_id,
                score=entry.place.score,
                why=Why(
                    vector_rank=dense_ranks.get(entry.place.chunk_id),
                    bm25_rank=sparse_ranks.get(entry.place.chunk_id),
                    cosine=entry.place.cosine,
                    bm25=entry.place.bm25,
                    bm25_upper_bound=self.upper_bound,
                    relevance=entry.place.relevance,
                    rrf=self.fused[entry.place.chunk_id],
                ),
                same_text=tuple(entry.same_text),
            )
            for entry in kept
        ]


class Candidates:
    """Finds, fuses and orders the candidates of one question."""

    def __init__(self, store: SearchStore, calibration: Calibration, *, rrf_only: bool) -> None:
        """Keep what ranks.

        Args:
            store: of the index.
            calibration: for questions without a vector; the others bring that of their set.
            rrf_only: order by fused ranks alone.
        """
        self._store = store
        self._calibration = calibration
        self._rrf_only = rrf_only

    async def words(self, fence: Fence, text: str) -> Words:
        """Look the words of a question up."""
        names = names_in(text)
        found = await self._store.terms(fence, text, {name.text: name.forms for name in names})
        configurations = {lexicon.configuration for lexicon in fence.lexicons}
        unknown = unknown_names(names, found.of_names, configurations, capitals=capitals_name(found.terms))
        return Words(plan_sparse(found.terms, fence), unknown)

    async def sparse_leg(self, words: Words, depth: int, filtered: Filtered | None) -> Leg:
        """The best chunks by BM25."""
        if words.plan is None:
            return NO_HITS
        return await self._store.sparse(words.plan, depth, None if filtered is None else filtered.pages)

    async def dense_leg(
        self, fence: Fence, question: DenseQuestion | None, words: Words, depth: int, filtered: Filtered | None
    ) -> DenseLeg:
        """The nearest chunks, with what the words say of each: looked up here, as this leg is done before the other."""
        if question is None:
            return DenseLeg(NO_HITS, NO_HEADS)
        hits = await self._nearest(fence, question, depth, filtered)
        return DenseLeg(
            hits, await self._complete(fence, question, words, hits.chunk_ids, without_words=hits.chunk_ids)
        )

    async def _nearest(self, fence: Fence, question: DenseQuestion, depth: int, filtered: Filtered | None) -> Leg:
        """By the graph index; exact where fence and filters leave little or keep out what it finds."""
        size = fence.chunks if filtered is None else filtered.chunks
        # The limit was measured on short vectors; a scan reads every byte of them.
        limit = _EXACT_LIMIT * _MEASURED_DIMENSIONS / max(_MEASURED_DIMENSIONS, len(question.vector))
        pages = None if filtered is None else filtered.pages
        exact = size <= limit
        hits = await self._store.dense(question.set_id, question.vector, fence, depth, pages=pages, exact=exact)
        if not exact and len(hits) < depth:
            hits = await self._store.dense(question.set_id, question.vector, fence, depth, pages=pages, exact=True)
        return hits

    async def pool(
        self,
        fence: Fence,
        question: DenseQuestion | None,
        words: Words,
        sparse: Leg,
        leg: DenseLeg,
        depth: int,
        min_score: float,
    ) -> Pool:
        """Fuse the legs by rank, look up what the words' leg lacks, order by relevance what reaches `min_score`.

        A question with names that stand nowhere in the fence is answered with half the score.
        """
        plan, dense = words.plan, leg.hits
        calibration = self._calibration if question is None else question.calibration
        trust = _DOUBTED if words.unknown else 1.0
        upper_bound = 0.0 if plan is None else plan.upper_bound
        fused = reciprocal_ranks([dense.chunk_ids, sparse.chunk_ids], limit=max(2 * depth, 200))
        cosines, bm25s = dict(dense.pairs()), dict(sparse.pairs())
        weights = EVERY_LANGUAGE if question is None else question.weights
        far = [chunk_id for chunk_id in sparse.chunk_ids if chunk_id not in cosines]
        heads = leg.heads.and_(await self._complete(fence, question, words, far, without_vector=far))
        cosines.update(heads.cosines.pairs())
        bm25s = {**dict(heads.bm25s.pairs()), **bm25s}
        foreign = dict(zip(heads.foreign_ids, heads.foreign_languages, strict=True))
        own = (1.0, calibration)
        fits = {language: _fit(calibration, weights.of(language)) for language in set(heads.foreign_languages)}
        places: list[Place] = []
        for chunk_id, source_id, page_id, text_hash in heads.rows():
            cosine, bm25 = cosines.get(chunk_id), bm25s.get(chunk_id, 0.0)
            lexical = lexical_share(bm25, upper_bound)
            weight, fit = fits[foreign[chunk_id]] if chunk_id in foreign else own
            scaled = None if cosine is None else weight * aligned(cosine, fit)
            reached = trust * score(scaled, lexical, fit)
            if reached >= min_score:
                relevance = (scaled or 0.0) + lexical
                places.append(Place(reached, relevance, chunk_id, source_id, page_id, text_hash, cosine, bm25))
        if self._rrf_only:
            places.sort(key=lambda place: (-fused[place.chunk_id], -place.relevance, place.chunk_id))
        else:
            places.sort(key=lambda place: (-place.score, -place.relevance, place.chunk_id))
        deeper = len(places) == len(heads.chunk_ids) and (len(sparse) >= depth or len(dense) >= depth)
        return Pool(tuple(places), fused, dense, sparse, upper_bound, deeper)

    async def _complete(
        self,
        fence: Fence,
        question: DenseQuestion | None,
        words: Words,
        chunk_ids: Sequence[int],
        *,
        without_vector: Sequence[int] = (),
        without_words: Sequence[int] = (),
    ) -> Heads:
        if not chunk_ids:
            return NO_HEADS
        gaps = Gaps(
            set_id=None if question is None else question.set_id,
            vector=None if question is None else question.vector,
            plan=words.plan,
            without_vector=without_vector,
            without_words=without_words,
            own_languages=EVERY_LANGUAGE.own if question is None else question.weights.own,
        )
        return await self._store.complete(fence, chunk_ids, gaps)


def _fit(calibration: Calibration, weight: float) -> tuple[float, Calibration]:
    return weight, weighed(calibration, weight)
