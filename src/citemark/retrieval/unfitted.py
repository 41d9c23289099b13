"""Scores for a model that nobody fitted: its cosines are brought to the scale of the model that was.

Models differ in how close two unrelated texts are to each other: at .1 in one, at .75 in another. The quantiles of the
cosines of random pairs of the corpus's own chunks show that, without a single judged question. The map takes them to
the quantiles that the fitted model has, and 1 to 1; from there on the fit holds for order, score and thresholds.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from citemark.model.vectors import Calibration

REFERENCE = (0.03, 0.19, 0.38, 0.56)
"""Quantiles .1, .5, .9 and .99 of the bundled model's cosines of random pairs, mean of the test collections."""

_STEP = 1e-3
_LOWEST = -1.0


def calibration_for(random_pairs: Sequence[float], fitted: Calibration) -> Calibration:
    """The fitted model's calibration behind a map of cosines; the fit itself while nothing is known of the model's.

    Args:
        random_pairs: quantiles of the cosines of random pairs, at the shares that `REFERENCE` has; or none.
        fitted: the calibration of the model that was fitted.
    """
    if len(random_pairs) != len(REFERENCE):
        return fitted
    knots = list(zip(_rising(random_pairs), REFERENCE, strict=True))
    if knots[-1][0] >= 1 - _STEP:
        # Nearly all pairs alike: there is no scale to be had from them.
        return fitted
    return replace(fitted, cosine=(_below(knots), *knots, (1.0, 1.0)))


def _rising(values: Sequence[float]) -> list[float]:
    """Equal quantiles moved apart by the least step: the map must rise."""
    rising = list(values)
    for place, (before, after) in enumerate(pairwise(values), start=1):
        rising[place] = max(after, before + _STEP, rising[place - 1] + _STEP)
    return rising


def _below(knots: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Where the first piece of the map reaches the lowest cosine there is, so that nothing below it is equal."""
    (x0, y0), (x1, y1) = knots[0], knots[1]
    return (x0 - (y0 - _LOWEST) * (x1 - x0) / (y1 - y0), _LOWEST)
