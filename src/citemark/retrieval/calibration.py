"""Relevance, and the score in [0, 1] that people and thresholds see.

Relevance is w * cos + bm25 / ub(q): both scores on scales that compare across questions (measured in ADR 33). w is 1
in the languages of the embedding model.
"""

from bisect import bisect_right
from dataclasses import replace
from math import inf

from citemark.model.vectors import Calibration, Knots


def lexical_share(bm25: float, upper_bound: float) -> float:
    """bm25 as a share of the most the question could get, in [0, 1]."""
    return min(1.0, bm25 / upper_bound) if upper_bound > 0 else 0.0


def interpolate(knots: Knots, value: float) -> float:
    """The piecewise linear function through `knots`, constant beyond its ends."""
    place = bisect_right(knots, (value, inf))
    if place == 0:
        return knots[0][1]
    if place == len(knots):
        return knots[-1][1]
    (x0, y0), (x1, y1) = knots[place - 1], knots[place]
    return y0 if x1 == x0 else y0 + (y1 - y0) * (value - x0) / (x1 - x0)


def aligned(cosine: float, calibration: Calibration) -> float:
    """A model's cosine on the scale that the fit speaks of."""
    return interpolate(calibration.cosine, cosine) if calibration.cosine else cosine


def score(cosine: float | None, lexical: float, calibration: Calibration, *, phrasings: int = 1) -> float:
    """The calibrated score of a passage, under the phrasing of the question that it is most relevant to.

    Args:
        cosine: aligned; without one the lexical fit decides, so that new text is never lost.
        lexical: share of the most that BM25 could give, in [0, 1].
        calibration: of the model.
        phrasings: how many there are; the best of several is higher by chance than that of one.
    """
    if cosine is None:
        return interpolate(calibration.lexical, lexical)
    return interpolate(calibration.fused_for(phrasings), cosine + lexical)


class Agreement:
    """How sure it is that something answers: what nothing answers is near under one phrasing, seldom under all.

    The mean, over the phrasings, of the score that the best passage has under each. With one phrasing that is the score
    of the best passage.
    """

    def __init__(self, phrasings: int) -> None:
        self._phrasings = phrasings
        self._best: dict[tuple[int, bool], tuple[Calibration, list[float]]] = {}

    def add(self, phrasing: int, relevance: float, fit: Calibration, *, with_vector: bool) -> None:
        """Take note of a passage's relevance under a phrasing, and of the fit for its language."""
        key = (id(fit), with_vector)
        if key not in self._best:
            self._best[key] = (fit, [0.0] * self._phrasings)
        best = self._best[key][1]
        best[phrasing] = max(best[phrasing], relevance)

    def confidence(self, calibration: Calibration) -> float:
        """In [0, 1]; 0.5 and 0.7 are kept by 98 % and 90 % of the questions that something answers."""
        scores = [0.0] * self._phrasings
        for (_, with_vector), (fit, best) in self._best.items():
            knots = fit.fused if with_vector else fit.lexical
            scores = [max(score, interpolate(knots, value)) for score, value in zip(scores, best, strict=True)]
        mean = sum(scores) / len(scores)
        knots = calibration.agreement_of(self._phrasings)
        return interpolate(knots, mean) if knots else mean


def weighed(calibration: Calibration, weight: float) -> Calibration:
    """The calibration for chunks whose cosine is worth `weight` of its value.

    As the cosine counts for less, so does what the fit expects of it: between the fit of both (weight 1) and that
    of words alone (weight 0), in proportion.
    """
    if weight >= 1:
        return calibration
    by_words = tuple((reached, relevance) for relevance, reached in calibration.lexical)

    def moved(knots: Knots) -> Knots:
        return tuple(
            (weight * relevance + (1 - weight) * interpolate(by_words, reached), reached)
            for relevance, reached in knots
        )

    return replace(calibration, fused=moved(calibration.fused), phrased=tuple(map(moved, calibration.phrased)))
