"""The whole ranking of a question, including what is below the threshold, and the measures over it.

Gains are linear (a document of grade 2 is worth two of grade 1) and discounts log2(rank + 1), as trec_eval computes
nDCG (Jarvelin and Kekalainen, 2002). Grades of zero and below are not relevant.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from statistics import fmean

from citemark.model.candidates import StoredChunk
from citemark.model.scope import Principal
from citemark.retrieval.absence import Absence
from citemark.retrieval.question import Question, RankedCandidate, Why
from citemark.services.app_context import AppContext
from citemark.services.scoping import default_scope

Grades = Mapping[str, int]
"""Grade by document id."""


def ndcg(ranking: Sequence[str], grades: Grades, depth: int) -> float:
    """Normalised discounted cumulative gain of the first `depth` documents, in 0..1; 0 when nothing is relevant."""
    best = sorted((grade for grade in grades.values() if grade > 0), reverse=True)
    return _dcg([grades.get(document, 0) for document in ranking[:depth]]) / _dcg(best[:depth]) if best else 0.0


def recall(ranking: Sequence[str], grades: Grades, depth: int) -> float:
    """Share of the relevant documents among the first `depth`, in 0..1."""
    relevant = {document for document, grade in grades.items() if grade > 0}
    return len(relevant.intersection(ranking[:depth])) / len(relevant) if relevant else 0.0


def reciprocal_rank(ranking: Sequence[str], grades: Grades) -> float:
    """1 / rank of the first relevant document, or 0 if there is none."""
    for rank, document in enumerate(ranking, start=1):
        if grades.get(document, 0) > 0:
            return 1.0 / rank
    return 0.0


def hit(ranking: Sequence[str], grades: Grades, depth: int) -> bool:
    """True when a relevant document is among the first `depth`."""
    return any(grades.get(document, 0) > 0 for document in ranking[:depth])


def mean(values: Collection[float]) -> float:
    """The arithmetic mean, or 0 if there are no values."""
    return fmean(values) if values else 0.0


def collapsed_ranking(places: Sequence[Collection[str]], relevant: Collection[str]) -> tuple[list[str], Grades]:
    """A ranking of passages that each represent several pages with the same text, as a ranking of single documents.

    Relevant pages that one passage represents count as one document, found at its rank; a later passage that shows
    only pages shown before is worth nothing. A ranking that collapses duplicates is thus neither punished for the
    pages that it does not list one by one nor rewarded for each of them.
    """
    ranking: list[str] = []
    label_of: dict[str, str] = {}
    for rank, pages in enumerate(places):
        new = [page for page in pages if page in relevant and page not in label_of]
        label = f"place {rank}"
        label_of |= dict.fromkeys(new, label)
        ranking.append(label)
    missing = [page for page in dict.fromkeys(relevant) if page not in label_of]
    return ranking, dict.fromkeys([*label_of.values(), *missing], 1)


def _dcg(gains: Sequence[int]) -> float:
    return sum(max(gain, 0) / log2(rank + 1) for rank, gain in enumerate(gains, start=1))


DEPTH = 100
"""Measures look this far down: recall@100 is what BEIR reports."""


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """One place of a ranking: the page shown and those that repeat its text word for word, with the score's reasons.

    `documents` are the same pages as (id, type, title).
    """

    pages: tuple[str, ...]
    documents: tuple[tuple[str, str, str], ...]
    section: str
    score: float
    why: Why


@dataclass(frozen=True, slots=True)
class WholeRanking:
    """All places of a question, best first, the `confidence`, in [0, 1], that something answers, and what is absent."""

    places: list[RankedPassage]
    confidence: float
    absence: Absence


async def rank_all(app: AppContext, question: str, depth: int = DEPTH, also: tuple[str, ...] = ()) -> WholeRanking:
    """The first `depth` places of a question, one per page, with no threshold and without asking the sources."""
    ranking = await app.rankings.rank(
        Question(
            principal=Principal.local(),
            query=question,
            also=also,
            scope=default_scope(app.settings),
            depth=depth,
            max_per_doc=1,
            min_score=0.0,
        )
    )
    chunk_ids = [chunk_id for place in ranking.candidates for chunk_id in (place.chunk_id, *place.same_text)]
    chunks = await app.rankings.chunks(ranking.allowed, chunk_ids)
    places = [_passage(place, chunks) for place in ranking.candidates if place.chunk_id in chunks]
    return WholeRanking(places, ranking.confidence, ranking.absence)


def documents(places: Sequence[RankedPassage]) -> list[str]:
    """The documents in order of their first passage, duplicates directly after the page that represents them."""
    return list(dict.fromkeys(page for place in places for page in place.pages))


def _passage(place: RankedCandidate, chunks: Mapping[int, StoredChunk]) -> RankedPassage:
    group = [chunks[chunk_id] for chunk_id in (place.chunk_id, *place.same_text) if chunk_id in chunks]
    return RankedPassage(
        pages=tuple(dict.fromkeys(chunk.native_id for chunk in group)),
        documents=tuple(dict.fromkeys((chunk.native_id, chunk.doc_type, chunk.title) for chunk in group)),
        section=group[0].section_native_id,
        score=place.score,
        why=place.why,
    )
