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


def score(cosine: float | None, lexical: float, calibration: Calibration) -> float:
    """The calibrated score; `cosine` is aligned. Without one the lexical fit decides: new text is never lost."""
    if cosine is None:
        return interpolate(calibration.lexical, lexical)
    return interpolate(calibration.fused, cosine + lexical)


def weighed(calibration: Calibration, weight: float) -> Calibration:
    """The calibration for chunks whose cosine is worth `weight` of its value.

    As the cosine counts for less, so does what the fit expects of it: between the fit of both (weight 1) and that
    of words alone (weight 0), in proportion.
    """
    if weight >= 1:
        return calibration
    by_words = tuple((reached, relevance) for relevance, reached in calibration.lexical)
    fused = tuple(
        (weight * relevance + (1 - weight) * interpolate(by_words, reached), reached)
        for relevance, reached in calibration.fused
    )
    return replace(calibration, fused=fused)
