"""The two retrievers, the fusion of their hits, and the lookup of both scores for every candidate."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import chain, repeat
from math import isnan
from typing import NamedTuple

import numpy as np

from citemark.model.candidates import (
    NO_HITS,
    NO_ROWS,
    CandidateRows,
    MissingScores,
    NearestQuery,
    QuestionTerms,
    RetrieverHits,
    looked_at,
)
from citemark.model.ids import EmbeddingSetId
from citemark.model.sources import AllowedSources
from citemark.model.vectors import Calibration, Vector
from citemark.retrieval.calibration import EVERY_LANGUAGE, CosineWeights, Ids, Values, weigh
from citemark.retrieval.names import (
    NameCandidate,
    Spelling,
    StopWords,
    candidates_in,
    is_absent,
    is_ordinary,
    lower_words,
    without,
    wording_in,
    words_in,
)
from citemark.retrieval.ports import SearchIndex
from citemark.retrieval.question import Link, RankedCandidate, Why, stage
from citemark.retrieval.question_words import Words, idle_words, plan_sparse
from citemark.retrieval.scale import Names, QuestionScale


class ScoredCandidate(NamedTuple):
    """A chunk with its scores, before its reasons are recorded; hundreds are made for one question.

    Cosine and BM25 are those under `phrasing`, the one that it is most relevant to, counted from 0, the question
    itself. `relevances`, `shares_words` and `near` are as in `Why`; `scores` has the score under each phrasing in the
    same way.
    """

    score: float
    relevance: float
    chunk_id: int
    source_id: int
    page_id: int
    text_hash: bytes
    cosine: float | None
    bm25: float
    phrasing: int = 0
    relevances: tuple[float, ...] = ()
    shares_words: bool = True
    link: Link | None = None
    scores: tuple[float, ...] = ()
    near: bool = True

    def score_under(self, phrasing: int) -> float:
        """The score that it would have if only this phrasing were asked."""
        return self.scores[phrasing] if self.scores else self.score

    def relevance_under(self, phrasing: int) -> float:
        """The relevance that it would have if only this phrasing were asked."""
        return self.relevances[phrasing] if self.relevances else self.relevance


def collapse(
    candidates: Iterable[ScoredCandidate], *, max_per_doc: int, depth: int
) -> dict[ScoredCandidate, list[int]]:
    """The first `depth` candidates, with repeats collapsed into the best one shown, and `max_per_doc` per page at most.

    A candidate that its page has no room for does not count as shown: the same text on another page may still be shown.

    Returns:
        The candidates that are kept, in their order, each with the ids of the other chunks that have the same text.
    """
    kept: dict[ScoredCandidate, list[int]] = {}
    by_text: dict[bytes, list[int]] = {}
    taken: Counter[int] = Counter()
    for candidate in candidates:
        same_text = by_text.get(candidate.text_hash)
        if same_text is not None:
            same_text.append(candidate.chunk_id)
            continue
        if taken[candidate.page_id] >= max_per_doc or len(kept) >= depth:
            continue
        taken[candidate.page_id] += 1
        kept[candidate] = by_text[candidate.text_hash] = []
    return kept


RRF_K = 60
"""The usual constant of reciprocal rank fusion (Cormack et al., 2009); no other ranks better (ADR 33)."""


@dataclass(frozen=True, slots=True)
class Fusion:
    """What orders candidates: with `rrf_only` their fused ranks alone, else scores, in which the ranks count too.

    `k` is the constant of the fusion; a larger one makes the first ranks count less.
    """

    rrf_only: bool = False
    k: int = RRF_K


CALIBRATED = Fusion()

CANDIDATES = 200
"""A hundred from each retriever, if they do not overlap; only these get both scores."""


def reciprocal_ranks(rankings: Sequence[Sequence[int]], *, limit: int = CANDIDATES, k: int = RRF_K) -> dict[int, float]:
    """The fused value of the best `limit` ids over several rankings, best first; ties go to the smaller id."""
    fused: dict[int, float] = defaultdict(float)
    for ranking in rankings:
        for rank, entry in enumerate(ranking, start=1):
            fused[entry] += 1.0 / (k + rank)
    best = sorted(fused.items(), key=lambda pair: (-pair[1], pair[0]))
    return dict(best[:limit])


RETRIEVER_DEPTH = 100
"""Hits requested from each retriever: ADR 33 measured recall@100."""

_EXACT_LIMIT = 20_000
"""Up to this many chunks, all vectors are compared: faster than the graph index behind a filter (ADR 33)."""

_MEASURED_DIMENSIONS = 384
"""The number of dimensions that the limit was measured with; the time to compare is proportional to it."""


_LOOKS = 2
"""How often words look again for chunks that have ended meanwhile: the index knows those of the first time."""


@dataclass(frozen=True, slots=True)
class DenseQuestion:
    """The vectors of a question's phrasings, the set they belong to, and how its cosines become scores by language.

    `chance` is the cosine that one pair in a hundred of the index's own texts reaches, or None while it is unknown; if
    there is a `scale`, it is a cosine on that.
    """

    set_id: EmbeddingSetId
    vectors: Sequence[Vector]
    calibration: Calibration
    weights: CosineWeights = EVERY_LANGUAGE
    chance: float | None = None

    @property
    def scale(self) -> QuestionScale | None:
        """What its cosines are worth by language, if its model was shipped with references."""
        references = self.calibration.references
        return None if references is None else QuestionScale(self.vectors, references)

    @property
    def own_languages(self) -> Sequence[str]:
        """The languages whose chunks need not be told from each other: those of its model, and none with a scale."""
        return self.weights.own if self.calibration.references is None else ()

    def of(self, vectors: Sequence[Vector]) -> "DenseQuestion":
        """The same with other vectors."""
        return replace(self, vectors=vectors)


@dataclass(frozen=True, slots=True)
class Filtered:
    """The pages that pass the caller's filters, and the number of chunks that they hold."""

    pages: Sequence[int]
    chunks: int


@dataclass(frozen=True, slots=True)
class CandidatePool:
    """Candidates in their final order, and the hits and fused ranks that they came from.

    `confidence` in [0, 1] says how certain it is that anything answers. `calibration` is what the scores were computed
    with. `origins` is as in `Words`.
    """

    candidates: tuple[ScoredCandidate, ...]
    fused: Mapping[int, float]
    dense: Sequence[RetrieverHits]
    sparse: Sequence[RetrieverHits]
    upper_bounds: Sequence[float]
    confidence: float
    calibration: Calibration
    origins: Sequence[int] = ()

    @property
    def phrasings(self) -> range:
        """The numbers of the phrasings."""
        return range(len(self.upper_bounds))

    def found_under(self, phrasing: int) -> set[int]:
        """The chunks that the retrievers found for a phrasing."""
        lists = [hits[phrasing] for hits in (self.dense, self.sparse) if hits]
        return {chunk_id for hits in lists for chunk_id in hits.chunk_ids}

    def ranked(self, kept: Mapping[ScoredCandidate, Sequence[int]]) -> list[RankedCandidate]:
        """The candidates in `kept`, each with its reasons and the chunks that have the same text."""
        dense_ranks, sparse_ranks = _ranks(self.dense), _ranks(self.sparse)
        return [
            RankedCandidate(
                chunk_id=entry.chunk_id,
                source_id=entry.source_id,
                page_id=entry.page_id,
                score=entry.score,
                why=Why(
                    vector_rank=dense_ranks.get(entry.chunk_id),
                    bm25_rank=sparse_ranks.get(entry.chunk_id),
                    cosine=entry.cosine,
                    bm25=entry.bm25,
                    bm25_upper_bound=self.upper_bounds[entry.phrasing],
                    relevance=entry.relevance,
                    rrf=self.fused.get(entry.chunk_id, 0.0),
                    phrasing=self.origins[entry.phrasing] if self.origins else entry.phrasing,
                    relevances=self._relevances(entry),
                    shares_words=entry.shares_words,
                    near=entry.near,
                    link=entry.link,
                ),
                same_text=tuple(same_text),
            )
            for entry, same_text in kept.items()
        ]

    def _relevances(self, entry: ScoredCandidate) -> tuple[float, ...]:
        """The relevance under each of several phrasings, the best with and without its unknown names."""
        if not self.origins or not entry.relevances:
            return entry.relevances
        best = [0.0] * (max(self.origins) + 1)
        for origin, relevance in zip(self.origins, entry.relevances, strict=True):
            best[origin] = max(best[origin], relevance)
        return tuple(best) if len(best) > 1 else ()


@dataclass(frozen=True, slots=True)
class Found:
    """What both retrievers found for each phrasing, and what ranking needs of all of it.

    `unlooked` is as in `CandidateRows`.
    """

    rows: CandidateRows
    dense: Sequence[RetrieverHits]
    sparse: Sequence[RetrieverHits]
    unlooked: frozenset[int] = frozenset()


class CandidateFinder:
    """Finds, fuses and orders the candidates of one question."""

    def __init__(self, store: SearchIndex, calibration: Calibration, fusion: Fusion = CALIBRATED) -> None:
        """Store what ranking needs.

        Args:
            store: the index to search.
            calibration: for questions without a vector; the others bring the calibration of their embedding set.
            fusion: what orders candidates.
        """
        self.index = store
        self._calibration = calibration
        self._fusion = fusion

    async def words(self, allowed: AllowedSources, phrasings: Sequence[str]) -> Words:
        """Look up the words of the phrasings, and individually their names and all words of the first one."""
        named, every = [candidates_in(phrasing) for phrasing in phrasings], words_in(phrasings[0])
        looked_up = {each.text: each for each in (*chain.from_iterable(named), *every)}
        others = {word.text: word for phrasing in phrasings[1:] for word in words_in(phrasing)}
        forms = {text: each.forms for text, each in (others | looked_up).items()}
        found = await self.index.terms(allowed, phrasings, forms)
        configurations = {lexicon.configuration for lexicon in allowed.lexicons}
        idle = idle_words(found.of_names, configurations)
        plans = tuple(plan_sparse(terms, allowed, idle, found.segments) for terms in found.phrasings)
        lacking = {
            text for text, each in looked_up.items() if is_absent(each, found.of_names.get(text, ()), configurations)
        }
        if not lacking:
            return Words(plans)
        stop_words = await self.index.stop_words(lower_words(phrasings))
        whole = {text: looked_up[text].whole_forms(found.of_names[text]) for text in lacking}
        lacking -= await self.index.written(allowed, whole)
        spellings = [Spelling(phrasing, stop_words) for phrasing in phrasings]
        unknown = [
            [name for name in names if name.text in lacking and spelling.is_name(name)]
            for names, spelling in zip(named, spellings, strict=True)
        ]
        nameless = {
            number: rest
            for number, (phrasing, names) in enumerate(zip(phrasings, unknown, strict=True))
            if names and (rest := without(phrasing, names)) and rest not in phrasings
        }
        further = await self.index.terms(allowed, list(nameless.values())) if nameless else QuestionTerms(())
        return Words(
            plans=(*plans, *(plan_sparse(terms, allowed, idle, further.segments) for terms in further.phrasings)),
            nameless=tuple(nameless.values()),
            origins=(*range(len(phrasings)), *nameless) if nameless else (),
            unknown=tuple(name.text for name in _each_once(unknown)),
            in_all=_in_all(unknown, phrasings),
            absent=_absent_words(
                every, lacking - wording_in(phrasings[0]), stop_words, spellings[0].languages, configurations
            ),
        )

    @stage("words")
    async def sparse_hits(
        self, words: Words, depth: int, filtered: Filtered | None, ended: Sequence[int] = ()
    ) -> list[RetrieverHits]:
        """The best chunks by BM25 for each phrasing, without those that are known to have ended."""
        plans = [plan for plan in words.plans if plan is not None]
        if not plans:
            return [NO_HITS] * len(words.plans)
        pages = None if filtered is None else filtered.pages
        found = iter(await self.index.sparse(plans, depth, pages, ended))
        return [NO_HITS if plan is None else next(found) for plan in words.plans]

    @stage("vectors")
    async def found(
        self,
        allowed: AllowedSources,
        question: DenseQuestion | None,
        words: Words,
        sparse: Sequence[RetrieverHits],
        depth: int,
        filtered: Filtered | None,
    ) -> Found:
        """The nearest chunks of each phrasing (none without a model), and what ranking needs of all candidates.

        Where chunks that words have found turn out to have ended, words look again. What was recorded since the
        question began is looked at too: a document replaced meanwhile has its new text there and nowhere else.
        """
        by_words = _union(sparse)
        dense: Sequence[RetrieverHits] = ()
        if question is None:
            rows = await self._complete(allowed, question, words, by_words, by_words)
        else:
            dense, rows = await self._nearest(allowed, question, words, by_words, depth, filtered)
        ended: set[int] = set()
        looks = 0
        while looks < _LOOKS and (not rows.chunk_ids or {*by_words}.difference(rows.chunk_ids)):
            looks += 1
            ended |= {*by_words}.difference(rows.chunk_ids)
            sparse = await self.sparse_hits(words, depth, filtered, sorted(ended))
            by_words = _union(sparse)
            more = [number for number in by_words if number not in {*rows.chunk_ids}]
            rows = rows.with_more(await self._complete(allowed, question, words, more, by_words))
        if looks or question is None:  # what was looked at last may be later than what `nearest` saw
            fresh = await self.index.since(allowed)
            more = [number for number in fresh if number not in {*rows.chunk_ids}]
            rows = rows.with_more(await self._complete(allowed, question, words, more, by_words))
            rows = looked_at(rows, fresh, None if filtered is None else filtered.pages)
        here = {*rows.chunk_ids}
        return Found(rows, dense, [hits.among(here) for hits in sparse], rows.unlooked)

    async def _nearest(
        self,
        allowed: AllowedSources,
        question: DenseQuestion,
        words: Words,
        by_words: Sequence[int],
        depth: int,
        filtered: Filtered | None,
    ) -> tuple[Sequence[RetrieverHits], CandidateRows]:
        """The nearest chunks, by the graph index or an exact scan.

        An exact scan if scope and filters leave few chunks or exclude what the index finds.
        """
        size = allowed.chunks if filtered is None else filtered.chunks
        # The limit was measured on short vectors; a scan reads every byte of them.
        limit = _EXACT_LIMIT * _MEASURED_DIMENSIONS / max(_MEASURED_DIMENSIONS, len(question.vectors[0]))
        asked = NearestQuery(
            set_id=question.set_id,
            vectors=question.vectors,
            plans=words.plans,
            by_words=by_words,
            limit=depth,
            pages=None if filtered is None else filtered.pages,
            exact=size <= limit,
            own_languages=question.own_languages,
        )
        hits, rows = await self.index.nearest(allowed, asked)
        if not asked.exact and min(map(len, hits)) < depth:
            hits, rows = await self.index.nearest(allowed, replace(asked, exact=True))
        return hits, rows

    @stage("fuse")
    async def pool(
        self, question: DenseQuestion | None, words: Words, found: Found, depth: int, min_score: float
    ) -> CandidatePool:
        """Fuse the hits by rank, and order by relevance what reaches `min_score`."""
        bounds = words.upper_bounds
        lists = [hits.chunk_ids for hits in (*found.dense, *found.sparse)]
        fused = reciprocal_ranks(lists, limit=max(2 * depth, CANDIDATES) * len(bounds), k=self._fusion.k)
        candidates, confidence = self._weighed(found.rows, question, words, found.sparse, found.dense, fused, min_score)
        calibration = self._fit(question)
        return CandidatePool(
            candidates, fused, found.dense, found.sparse, bounds, confidence, calibration, words.origins
        )

    def leaves_out(
        self,
        allowed: AllowedSources,
        pool: CandidatePool,
        question: DenseQuestion | None,
        words: Words,
        depth: int,
        min_score: float,
    ) -> set[int]:
        """The phrasings under which a chunk not among the first `depth` hits of their lists could reach `min_score`.

        Such a chunk is at best as near, and has at best as many words, as the last hits of the lists that are full.
        """
        full = {
            number for hits in (pool.sparse, pool.dense) for number in range(len(hits)) if len(hits[number]) >= depth
        }
        if not full:
            return full
        bm25s = [hits.values[-1] if len(hits) >= depth else 0.0 for hits in pool.sparse]
        cosines = [hits.values[-1] if len(hits) >= depth else np.nan for hits in pool.dense] or [np.nan] * len(bm25s)
        calibration = self._fit(question)
        # The second of the two has no vector yet.
        near = np.array([[cosine, np.nan] for cosine in cosines])
        if question is not None and (scale := question.scale) is not None:
            near = scale.highest(near, {lexicon.configuration for lexicon in allowed.lexicons})
        worded = np.array([[bm25, bm25] for bm25 in bm25s])
        best = weigh(near, worded, words.upper_bounds, calibration, [(1.0, np.arange(2))])
        reached = best.scores.max(axis=1) >= min_score
        return {number for number in full if reached[number]}

    async def scored(
        self, allowed: AllowedSources, question: DenseQuestion | None, words: Words, chunk_ids: Sequence[int]
    ) -> Sequence[ScoredCandidate]:
        """Chunks that no retriever found, scored in the same way as those that were found."""
        rows = await self._complete(allowed, question, words, chunk_ids, ())
        nothing = [NO_HITS] * len(words.plans)
        return self._weighed(rows, question, words, nothing, [] if question is None else nothing, {}, 0.0)[0]

    def _fit(self, question: DenseQuestion | None) -> Calibration:
        """The calibration that turns relevances into scores."""
        return self._calibration if question is None else question.calibration

    def _weighed(
        self,
        rows: CandidateRows,
        question: DenseQuestion | None,
        words: Words,
        sparse: Sequence[RetrieverHits],
        dense: Sequence[RetrieverHits],
        fused: Mapping[int, float],
        min_score: float,
    ) -> tuple[tuple[ScoredCandidate, ...], float]:
        """The candidates that reach `min_score`, best first, and the confidence that anything answers."""
        calibration = self._fit(question)
        bounds = words.upper_bounds
        weights = EVERY_LANGUAGE if question is None else question.weights
        chunk_ids = np.array(rows.chunk_ids, np.int64)
        cosines = _by_phrasing(chunk_ids, rows.cosines, dense, len(bounds), absent=np.nan)
        bm25s = _by_phrasing(chunk_ids, rows.bm25s, sparse, len(bounds), absent=0.0)
        spoken = _languages(rows)
        scale = None if question is None else question.scale
        near = cosines if scale is None else scale.of(cosines, spoken)
        found = weigh(near, bm25s, bounds, calibration, _by_weight(spoken, weights), words.origins)
        reached, relevance = found.best_scores, found.best_relevances
        first = np.array([fused[each] for each in rows.chunk_ids]) if self._fusion.rrf_only else reached
        order = np.lexsort((chunk_ids, -relevance, -first))
        order = order[reached[order] >= min_score]
        places: list[int] = order.tolist()
        under = found.phrasings[order]
        chance = None if question is None else question.chance
        several = len(bounds) > 1
        candidates = tuple(
            map(
                ScoredCandidate,
                reached[order].tolist(),
                relevance[order].tolist(),
                (rows.chunk_ids[place] for place in places),
                (rows.source_ids[place] for place in places),
                (rows.page_ids[place] for place in places),
                (rows.text_hashes[place] for place in places),
                (None if isnan(cosine) else cosine for cosine in cosines[under, order].tolist()),
                bm25s[under, order].tolist(),
                under.tolist(),
                map(tuple, found.relevances.T[order].tolist()) if several else repeat(()),
                np.any(bm25s > 0, axis=0)[order].tolist(),
                repeat(None),
                map(tuple, found.scores.T[order].tolist()) if several else repeat(()),
                repeat(True) if chance is None else (~(near[under, order] < chance)).tolist(),
            )
        )
        return candidates, found.confidence

    async def _complete(
        self,
        allowed: AllowedSources,
        question: DenseQuestion | None,
        words: Words,
        chunk_ids: Sequence[int],
        by_words: Sequence[int],
    ) -> CandidateRows:
        """The sources and pages of candidates, with their cosines, and the scores that words did not give them.

        Where several phrasings are asked, words gave none its score under every one of them.
        """
        if not chunk_ids:
            return NO_ROWS
        without_vector: Sequence[int] = () if question is None else chunk_ids
        known_words = {*by_words} if len(words.plans) == 1 else set[int]()
        without_words = [each for each in chunk_ids if each not in known_words]
        missing = MissingScores(
            set_id=None if question is None else question.set_id,
            vectors=() if question is None else question.vectors,
            plans=words.plans,
            without_vector=without_vector,
            without_words=without_words,
            own_languages=EVERY_LANGUAGE.own if question is None else question.own_languages,
        )
        return await self.index.complete(allowed, chunk_ids, missing)


def _in_all(unknown: Sequence[Sequence[NameCandidate]], phrasings: Sequence[str]) -> tuple[str, ...]:
    """The unknown names that stand in every one of several phrasings."""
    if len(phrasings) == 1:
        return ()
    return tuple(name.text for name in _each_once(unknown) if all(map(name.stands_in, phrasings)))


def _each_once(names: Sequence[Sequence[NameCandidate]]) -> list[NameCandidate]:
    """The names of all phrasings in order, each as it is spelled first."""
    spelled: dict[str, NameCandidate] = {}
    for name in chain.from_iterable(names):
        spelled.setdefault(name.text.casefold(), name)
    return list(spelled.values())


def _absent_words(
    words: Sequence[NameCandidate],
    lacking: AbstractSet[str],
    stop_words: StopWords,
    languages: AbstractSet[str],
    configurations: AbstractSet[str],
) -> tuple[str, ...]:
    """The words of a question that no document has; none for a question in a language that no document is in."""
    if languages and not languages & configurations:
        return ()
    return tuple(word.text for word in words if word.text in lacking and not is_ordinary(word.text, stop_words))


def _union(lists: Sequence[RetrieverHits]) -> list[int]:
    """The chunks of several lists, each once, in the order of the lists."""
    return list(dict.fromkeys(chunk_id for hits in lists for chunk_id in hits.chunk_ids))


def _ranks(lists: Sequence[RetrieverHits]) -> dict[int, int]:
    """The best rank of each chunk in any of the lists, from 1."""
    ranks: dict[int, int] = {}
    for hits in lists:
        for rank, chunk_id in enumerate(hits.chunk_ids, start=1):
            ranks[chunk_id] = min(rank, ranks.get(chunk_id, rank))
    return ranks


def _by_phrasing(
    chunk_ids: Ids,
    completed: Sequence[RetrieverHits],
    found: Sequence[RetrieverHits],
    phrasings: int,
    *,
    absent: float,
) -> Values:
    """One retriever's value of each chunk, one row per phrasing: the one it found, else the one looked up later."""
    values = np.full((phrasings, len(chunk_ids)), absent)
    order = np.argsort(chunk_ids)
    for hits in (completed, found) if len(order) else ():
        for number, each in enumerate(hits):
            wanted = np.array(each.chunk_ids, np.int64)
            places = order[np.minimum(np.searchsorted(chunk_ids, wanted, sorter=order), len(order) - 1)]
            there = chunk_ids[places] == wanted
            values[number, places[there]] = np.array(each.values, np.float64)[there]
    return values


def _languages(rows: CandidateRows) -> Names:
    """The languages of candidates; "" for those of the model's own languages, if these are not told apart."""
    if not rows.foreign_ids:
        return np.zeros(len(rows.chunk_ids), np.str_)
    foreign = dict(zip(rows.foreign_ids, rows.foreign_languages, strict=True))
    return np.array([foreign.get(each, "") for each in rows.chunk_ids], np.str_)


def _by_weight(spoken: Names, weights: CosineWeights) -> list[tuple[float, Ids]]:
    """The positions of candidates whose cosines have the same weight, language by language."""
    places = np.arange(len(spoken))
    if not np.any(spoken != ""):
        return [(1.0, places)]
    weighed = (
        (weights.of(language) if language else 1.0, spoken == language) for language in sorted(set(spoken.tolist()))
    )
    return [(weight, places[here]) for weight, here in weighed]
