"""The two retrievers side by side, fused, with both scores looked up for every candidate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citemark.model.candidates import NO_HITS, NO_ROWS, CandidateRows, MissingScores, RetrieverHits, SparsePlan
from citemark.model.ids import EmbeddingSetId
from citemark.model.sources import AllowedSources
from citemark.model.vectors import Calibration, Vector
from citemark.retrieval.bm25 import plan_sparse
from citemark.retrieval.calibration import aligned, lexical_share, score, weighed
from citemark.retrieval.collapse import Collapsed, ScoredCandidate
from citemark.retrieval.foreign import EVERY_LANGUAGE, CosineWeights
from citemark.retrieval.fusion import reciprocal_ranks
from citemark.retrieval.names import capitals_name, names_in, unknown_names
from citemark.retrieval.question import RankedCandidate, Why
from citemark.store.search import SearchStore

RETRIEVER_DEPTH = 100
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
    """What the words of a question weigh in the allowed sources; `unknown` are its names that occur nowhere in them."""

    plan: SparsePlan | None
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DenseHits:
    """The nearest chunks, and what else ranking needs of them."""

    hits: RetrieverHits
    rows: CandidateRows


@dataclass(frozen=True, slots=True)
class CandidatePool:
    """Candidates in their final order, and what each came from.

    `deeper`: all of them reached the least score, and a retriever had more than was asked of it.
    """

    candidates: tuple[ScoredCandidate, ...]
    fused: Mapping[int, float]
    dense: RetrieverHits
    sparse: RetrieverHits
    upper_bound: float
    deeper: bool

    def ranked(self, kept: Sequence[Collapsed]) -> list[RankedCandidate]:
        """The candidates that were kept, each with its reasons."""
        dense_ranks = {chunk_id: rank for rank, chunk_id in enumerate(self.dense.chunk_ids, start=1)}
        sparse_ranks = {chunk_id: rank for rank, chunk_id in enumerate(self.sparse.chunk_ids, start=1)}
        return [
            RankedCandidate(
                chunk_id=entry.candidate.chunk_id,
                source_id=entry.candidate.source_id,
                page_id=entry.candidate.page_id,
                score=entry.candidate.score,
                why=Why(
                    vector_rank=dense_ranks.get(entry.candidate.chunk_id),
                    bm25_rank=sparse_ranks.get(entry.candidate.chunk_id),
                    cosine=entry.candidate.cosine,
                    bm25=entry.candidate.bm25,
                    bm25_upper_bound=self.upper_bound,
                    relevance=entry.candidate.relevance,
                    rrf=self.fused[entry.candidate.chunk_id],
                ),
                same_text=tuple(entry.same_text),
            )
            for entry in kept
        ]


class CandidateFinder:
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

    async def words(self, allowed: AllowedSources, text: str) -> Words:
        """Look the words of a question up."""
        names = names_in(text)
        found = await self._store.terms(allowed, text, {name.text: name.forms for name in names})
        configurations = {lexicon.configuration for lexicon in allowed.lexicons}
        unknown = unknown_names(names, found.of_names, configurations, capitals=capitals_name(found.terms))
        return Words(plan_sparse(found.terms, allowed), unknown)

    async def sparse_hits(self, words: Words, depth: int, filtered: Filtered | None) -> RetrieverHits:
        """The best chunks by BM25."""
        if words.plan is None:
            return NO_HITS
        return await self._store.sparse(words.plan, depth, None if filtered is None else filtered.pages)

    async def dense_hits(
        self,
        allowed: AllowedSources,
        question: DenseQuestion | None,
        words: Words,
        depth: int,
        filtered: Filtered | None,
    ) -> DenseHits:
        """The nearest chunks, with what the words say of each, looked up here while the other retriever still works."""
        if question is None:
            return DenseHits(NO_HITS, NO_ROWS)
        hits = await self._nearest(allowed, question, depth, filtered)
        return DenseHits(
            hits, await self._complete(allowed, question, words, hits.chunk_ids, without_words=hits.chunk_ids)
        )

    async def _nearest(
        self, allowed: AllowedSources, question: DenseQuestion, depth: int, filtered: Filtered | None
    ) -> RetrieverHits:
        """By the graph index; exact where scope and filters leave little or keep out what it finds."""
        size = allowed.chunks if filtered is None else filtered.chunks
        # The limit was measured on short vectors; a scan reads every byte of them.
        limit = _EXACT_LIMIT * _MEASURED_DIMENSIONS / max(_MEASURED_DIMENSIONS, len(question.vector))
        pages = None if filtered is None else filtered.pages
        exact = size <= limit
        hits = await self._store.dense(question.set_id, question.vector, allowed, depth, pages=pages, exact=exact)
        if not exact and len(hits) < depth:
            hits = await self._store.dense(question.set_id, question.vector, allowed, depth, pages=pages, exact=True)
        return hits

    async def pool(
        self,
        allowed: AllowedSources,
        question: DenseQuestion | None,
        words: Words,
        sparse: RetrieverHits,
        near: DenseHits,
        depth: int,
        min_score: float,
    ) -> CandidatePool:
        """Fuse the hits by rank, look up the scores that are missing, order by relevance what reaches `min_score`.

        A question with names that occur nowhere in the allowed sources is answered with half the score.
        """
        plan, dense = words.plan, near.hits
        calibration = self._calibration if question is None else question.calibration
        trust = _DOUBTED if words.unknown else 1.0
        upper_bound = 0.0 if plan is None else plan.upper_bound
        fused = reciprocal_ranks([dense.chunk_ids, sparse.chunk_ids], limit=max(2 * depth, 200))
        cosines, bm25s = dict(dense.pairs()), dict(sparse.pairs())
        weights = EVERY_LANGUAGE if question is None else question.weights
        far = [chunk_id for chunk_id in sparse.chunk_ids if chunk_id not in cosines]
        rows = near.rows.concat(await self._complete(allowed, question, words, far, without_vector=far))
        cosines.update(rows.cosines.pairs())
        bm25s = {**dict(rows.bm25s.pairs()), **bm25s}
        foreign = dict(zip(rows.foreign_ids, rows.foreign_languages, strict=True))
        own = (1.0, calibration)
        fits = {language: _fit(calibration, weights.of(language)) for language in set(rows.foreign_languages)}
        candidates: list[ScoredCandidate] = []
        for chunk_id, source_id, page_id, text_hash in rows.rows():
            cosine, bm25 = cosines.get(chunk_id), bm25s.get(chunk_id, 0.0)
            lexical = lexical_share(bm25, upper_bound)
            weight, fit = fits[foreign[chunk_id]] if chunk_id in foreign else own
            scaled = None if cosine is None else weight * aligned(cosine, fit)
            reached = trust * score(scaled, lexical, fit)
            if reached >= min_score:
                relevance = (scaled or 0.0) + lexical
                candidates.append(
                    ScoredCandidate(reached, relevance, chunk_id, source_id, page_id, text_hash, cosine, bm25)
                )
        if self._rrf_only:
            candidates.sort(
                key=lambda candidate: (-fused[candidate.chunk_id], -candidate.relevance, candidate.chunk_id)
            )
        else:
            candidates.sort(key=lambda candidate: (-candidate.score, -candidate.relevance, candidate.chunk_id))
        deeper = len(candidates) == len(rows.chunk_ids) and (len(sparse) >= depth or len(dense) >= depth)
        return CandidatePool(tuple(candidates), fused, dense, sparse, upper_bound, deeper)

    async def _complete(
        self,
        allowed: AllowedSources,
        question: DenseQuestion | None,
        words: Words,
        chunk_ids: Sequence[int],
        *,
        without_vector: Sequence[int] = (),
        without_words: Sequence[int] = (),
    ) -> CandidateRows:
        if not chunk_ids:
            return NO_ROWS
        missing = MissingScores(
            set_id=None if question is None else question.set_id,
            vector=None if question is None else question.vector,
            plan=words.plan,
            without_vector=without_vector,
            without_words=without_words,
            own_languages=EVERY_LANGUAGE.own if question is None else question.weights.own,
        )
        return await self._store.complete(allowed, chunk_ids, missing)


def _fit(calibration: Calibration, weight: float) -> tuple[float, Calibration]:
    return weight, weighed(calibration, weight)
