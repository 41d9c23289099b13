"""Expansion along the graph: passages linked to the best candidates of a question move up with them."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from citemark.model.candidates import LinkedChunk
from citemark.model.scope import Principal
from citemark.model.sources import AllowedSources
from citemark.model.vectors import Calibration
from citemark.retrieval.calibration import interpolate
from citemark.retrieval.question import Link
from citemark.retrieval.question_words import Words
from citemark.retrieval.retrievers import CandidateFinder, CandidatePool, DenseQuestion, ScoredCandidate
from citemark.retrieval.verification import Access, AccessCheck

SEEDS = 3
"""Pages whose best candidate is followed: 5 find no more, and 1 is worse than none on two of six sets (ADR 41)."""

SHARE = 0.1
"""The share of a seed's relevance that a passage linked to it gets: up to .2 no golden question is lost, at .4 some
are (ADR 41)."""

_EDGES = 16
"""Edges of one kind that are followed from a candidate: one with more edges is close to everything."""


@dataclass(frozen=True, slots=True)
class ExpansionContext:
    """What one expansion works with: it finds candidates in the allowed sources and has the sources vouch for them."""

    finder: CandidateFinder
    allowed: AllowedSources
    access: AccessCheck
    principal: Principal

    async def confirmed(self, candidates: Sequence[ScoredCandidate]) -> set[int]:
        """The ids of the candidates whose links may be followed: a source on another machine must vouch for its own."""
        elsewhere = {source.source_id for source in self.allowed.sources if self.access.is_remote(source)}
        asked = [each.chunk_id for each in candidates if each.source_id in elsewhere]
        every = {each.chunk_id for each in candidates}
        if not asked:
            return every
        chunks = await self.finder.index.read(self.allowed, asked)
        access = await self.access.check(self.principal, self.allowed, list(chunks.values()))
        return every - {number for number in asked if not access.get(number, Access.WITHHELD).shown}


async def expanded(
    pool: CandidatePool,
    context: ExpansionContext,
    question: DenseQuestion | None,
    words: Words,
    *,
    pages: AbstractSet[int] | None,
    min_score: float,
) -> CandidatePool:
    """The pool, together with what is linked to its best candidates, lifted by a share of their relevance.

    Args:
        pool: the candidates of both retrievers, best first.
        context: what may be read and by whom; a candidate that its source does not vouch for lifts nothing.
        question: the vectors of the question, or None without a model.
        words: the words of the question, as they were looked up.
        pages: the pages that pass the filters, or None without filters.
        min_score: the minimum score.
    """
    seeds = _seeds(pool.candidates)
    by_id = {each.chunk_id: each for each in seeds}
    linked = [
        each
        for each in await context.finder.index.linked(context.allowed, list(by_id), _EDGES)
        if pages is None or each.page_id in pages
    ]
    if not linked:
        return pool
    confirmed = await context.confirmed(seeds)
    best = _best(linked, {number: by_id[number].relevance for number in by_id if number in confirmed})
    known = {each.chunk_id for each in pool.candidates}
    unknown = [number for number in best if number not in known]
    found = await context.finder.scored(context.allowed, question, words, unknown)
    lifted = [
        _lifted(each, best[each.chunk_id], SHARE * by_id[best[each.chunk_id].chunk_id].relevance, pool)
        if each.chunk_id in best
        else each
        for each in (*pool.candidates, *found)
    ]
    kept = [each for each in lifted if each.score >= min_score]
    kept.sort(key=lambda each: (-each.score, -each.relevance, each.chunk_id))
    return replace(pool, candidates=tuple(kept))


def _seeds(candidates: Sequence[ScoredCandidate]) -> list[ScoredCandidate]:
    """The best candidates of the first pages."""
    seeds: dict[int, ScoredCandidate] = {}
    for each in candidates:
        if each.page_id not in seeds and each.relevance > 0:
            seeds[each.page_id] = each
            if len(seeds) == SEEDS:
                break
    return list(seeds.values())


def _best(linked: Sequence[LinkedChunk], relevances: Mapping[int, float]) -> dict[int, Link]:
    """For each linked chunk, the link to the most relevant candidate."""
    best: dict[int, Link] = {}
    for each in sorted(linked, key=lambda each: (-relevances.get(each.from_id, 0.0), each.from_id, each.type)):
        if each.from_id in relevances and each.chunk_id != each.from_id:
            best.setdefault(each.chunk_id, Link(each.from_id, each.from_title, each.type, each.outgoing))
    return best


def _lifted(candidate: ScoredCandidate, link: Link, more: float, pool: CandidatePool) -> ScoredCandidate:
    """A candidate with more relevance; its score rises by what the fit gives for the difference."""
    gain = _gain(candidate, more, pool.calibration, max(1, len(pool.upper_bounds)))
    score = min(1.0, candidate.score + pool.trust * gain)
    return candidate._replace(score=score, relevance=candidate.relevance + more, link=link)


def _gain(candidate: ScoredCandidate, more: float, calibration: Calibration, phrasings: int) -> float:
    knots = calibration.lexical if candidate.cosine is None else calibration.fused_for(phrasings)
    return interpolate(knots, candidate.relevance + more) - interpolate(knots, candidate.relevance)
