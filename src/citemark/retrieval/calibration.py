"""Relevance, and the score in [0, 1] that people and thresholds see.

Relevance is cos + bm25 / ub(q): both legs on scales that compare across questions (measured in RETRIEVAL).
"""

from bisect import bisect_right
from dataclasses import dataclass
from math import inf

from citemark.model.embedding import Calibration


@dataclass(frozen=True, slots=True)
class Relevance:
    """The parts of a chunk's relevance; `cosine` is None while the chunk has no vector yet."""

    cosine: float | None
    bm25: float
    upper_bound: float

    @property
    def lexical(self) -> float:
        """bm25 as a share of the most the question could get, in [0, 1]."""
        return min(1.0, self.bm25 / self.upper_bound) if self.upper_bound > 0 else 0.0

    @property
    def value(self) -> float:
        """What the order goes by where both legs are known."""
        return (self.cosine or 0.0) + self.lexical


def interpolate(knots: tuple[tuple[float, float], ...], value: float) -> float:
    """The piecewise linear function through `knots`, constant beyond its ends."""
    place = bisect_right(knots, (value, inf))
    if place == 0:
        return knots[0][1]
    if place == len(knots):
        return knots[-1][1]
    (x0, y0), (x1, y1) = knots[place - 1], knots[place]
    return y0 if x1 == x0 else y0 + (y1 - y0) * (value - x0) / (x1 - x0)


def score(relevance: Relevance, calibration: Calibration) -> float:
    """The calibrated score. A chunk without a vector goes by the lexical fit, so that new text is never lost."""
    if relevance.cosine is None:
        return interpolate(calibration.lexical, relevance.lexical)
    return interpolate(calibration.fused, relevance.value)
