"""Expansion along the graph: passages linked to the best candidates of a question move up with them.

Each phrasing has its own best candidates, and what they lift does not depend on the other phrasings: a further phrasing
never takes a passage's lift away.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from citemark.model.candidates import LinkedChunk
from citemark.model.scope import Principal
from citemark.model.sources import AllowedSources
from citemark.model.vectors import Calibration
from citemark.retrieval.access import Access
from citemark.retrieval.calibration import interpolate
from citemark.retrieval.question import Link
from citemark.retrieval.question_words import Words
from citemark.retrieval.retrievers import CandidateFinder, CandidatePool, DenseQuestion, ScoredCandidate
from citemark.retrieval.verification import AccessCheck

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
    seeds_of = [_seeds(pool.candidates, phrasing, min_score) for phrasing in pool.phrasings]
    by_id = {each.chunk_id: each for seeds in seeds_of for each in seeds}
    linked = [
        each
        for each in await context.finder.index.linked(context.allowed, list(by_id), _EDGES)
        if pages is None or each.page_id in pages
    ]
    if not linked:
        return pool
    confirmed = await context.confirmed(list(by_id.values()))
    links_of = [
        _best(linked, {each.chunk_id: each.relevance_under(number) for each in seeds if each.chunk_id in confirmed})
        for number, seeds in enumerate(seeds_of)
    ]
    known = {each.chunk_id for each in pool.candidates}
    unknown = list(dict.fromkeys(number for links in links_of for number in links if number not in known))
    lifted = [*pool.candidates, *await context.finder.scored(context.allowed, question, words, unknown)]
    for number, links in enumerate(links_of):
        lifted = [
            _lifted(each, number, link, SHARE * by_id[link.chunk_id].relevance_under(number), pool.calibration)
            if (link := links.get(each.chunk_id)) is not None
            else each
            for each in lifted
        ]
    kept = [each for each in lifted if each.score >= min_score]
    kept.sort(key=lambda each: (-each.score, -each.relevance, each.chunk_id))
    return replace(pool, candidates=tuple(kept))


def _seeds(candidates: Sequence[ScoredCandidate], phrasing: int, min_score: float) -> list[ScoredCandidate]:
    """The best candidates of the first pages under one phrasing."""
    passing = [each for each in candidates if each.score_under(phrasing) >= min_score]
    passing.sort(key=lambda each: (-each.score_under(phrasing), -each.relevance_under(phrasing), each.chunk_id))
    seeds: dict[int, ScoredCandidate] = {}
    for each in passing:
        if each.page_id not in seeds and each.relevance_under(phrasing) > 0:
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


def _lifted(
    candidate: ScoredCandidate, phrasing: int, link: Link, more: float, calibration: Calibration
) -> ScoredCandidate:
    """A candidate with more relevance under one phrasing; its score rises by what the fit gives for the difference."""
    knots = calibration.lexical if candidate.cosine is None else calibration.fused
    before = candidate.relevance_under(phrasing)
    gain = interpolate(knots, before + more) - interpolate(knots, before)
    score = min(1.0, candidate.score_under(phrasing) + gain)
    lifted = candidate._replace(
        score=max(candidate.score, score),
        relevance=max(candidate.relevance, before + more),
        scores=_changed(candidate.scores, phrasing, score),
        relevances=_changed(candidate.relevances, phrasing, before + more),
    )
    rises = candidate.link is None or lifted.relevance > candidate.relevance
    return lifted._replace(link=link) if rises else lifted


def _changed(values: tuple[float, ...], phrasing: int, value: float) -> tuple[float, ...]:
    """The values with another one for one phrasing; none if there is only one phrasing."""
    return (*values[:phrasing], value, *values[phrasing + 1 :]) if values else ()
