"""Ranking measures over one question: what is relevant against what came, best first.

Gains are linear (a document of grade 2 is worth two of grade 1) and discounts log2(rank + 1), as trec_eval computes
nDCG (Jarvelin and Kekalainen, 2002). Grades of zero and below are not relevant.
"""

from collections.abc import Collection, Mapping, Sequence
from math import log2
from statistics import fmean

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
    """1 / rank of the first relevant document, 0 when none came."""
    for rank, document in enumerate(ranking, start=1):
        if grades.get(document, 0) > 0:
            return 1.0 / rank
    return 0.0


def hit(ranking: Sequence[str], grades: Grades, depth: int) -> bool:
    """True when a relevant document is among the first `depth`."""
    return any(grades.get(document, 0) > 0 for document in ranking[:depth])


def mean(values: Collection[float]) -> float:
    """The arithmetic mean, 0 of nothing."""
    return fmean(values) if values else 0.0


def folded(places: Sequence[Collection[str]], relevant: Collection[str]) -> tuple[list[str], Grades]:
    """A ranking of places that each stand for several pages with the same text, made a plain one.

    Relevant pages that one place stands for count as one document, found at that place; a later place that shows
    only what was shown before is worth nothing. So a ranking that folds repeats is neither punished for the pages
    that it does not list one by one nor rewarded for each of them.
    """
    ranking: list[str] = []
    home: dict[str, str] = {}
    for rank, pages in enumerate(places):
        new = [page for page in pages if page in relevant and page not in home]
        label = f"place {rank}"
        home |= dict.fromkeys(new, label)
        ranking.append(label)
    missing = [page for page in dict.fromkeys(relevant) if page not in home]
    return ranking, dict.fromkeys([*home.values(), *missing], 1)


def _dcg(gains: Sequence[int]) -> float:
    return sum(max(gain, 0) / log2(rank + 1) for rank, gain in enumerate(gains, start=1))
