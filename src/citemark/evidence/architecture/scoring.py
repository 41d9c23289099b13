"""Scores of elements: the calibrated score of passages, on a scale that suits contextual texts.

The score is fitted on passages of prose, which repeat what they are about. The text of an element says it once, in the
element's name, between words that all elements share: one that answers in other words reaches half of what a passage
does. Most questions that have nothing to do with a model stay below that (docs/decisions/0021).
"""

from bisect import bisect_right

_KNOTS = ((0.0, 0.0), (0.27, 0.5), (1.0, 1.0))
"""(score of a passage, score of an element); rising, so order is kept."""


def element_score(score: float) -> float:
    """What is shown for an element that scores so as a passage."""
    return _through(score, _KNOTS)


def passage_score(score: float) -> float:
    """The score as a passage of an element that is shown with `score`."""
    return _through(score, tuple((shown, scored) for scored, shown in _KNOTS))


def _through(value: float, knots: tuple[tuple[float, float], ...]) -> float:
    """The piecewise linear function through `knots`."""
    place = min(max(1, bisect_right(knots, (value, 1.0))), len(knots) - 1)
    (x0, y0), (x1, y1) = knots[place - 1], knots[place]
    return min(1.0, max(0.0, y0 + (y1 - y0) * (value - x0) / (x1 - x0)))
