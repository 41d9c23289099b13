"""Relevance, and the score in [0, 1] that people and thresholds see.

Relevance is w * cos + bm25 / ub(q), so that both scores are on scales that are comparable across questions (measured
in ADR 33). w is 1 for the languages of the embedding model.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from citemark.model.vectors import Calibration, Knots
from citemark.text.languages import language_named, language_names

Values: TypeAlias = npt.NDArray[np.float64]
"""One number per passage: hundreds are weighed for one question, so each step handles all of them at the same time."""

Ids: TypeAlias = npt.NDArray[np.int64]


def lexical_share(bm25: Values, upper_bound: float) -> Values:
    """BM25 as a share of the highest score that the question could get, in [0, 1]."""
    return np.minimum(1.0, bm25 / upper_bound) if upper_bound > 0 else np.zeros_like(bm25)


def interpolate(knots: Knots, value: float) -> float:
    """The value of the piecewise linear function through `knots`, which is constant beyond its ends."""
    place = bisect_right(knots, (value, inf))
    if place == 0:
        return knots[0][1]
    if place == len(knots):
        return knots[-1][1]
    (x0, y0), (x1, y1) = knots[place - 1], knots[place]
    return y0 if x1 == x0 else y0 + (y1 - y0) * (value - x0) / (x1 - x0)


def interpolated(knots: Knots, values: Values) -> Values:
    """`interpolate` applied to each value; NaN stays NaN."""
    places, images = np.array(knots, np.float64).T
    inside = np.clip(values, places[0], places[-1])
    before = np.maximum(np.searchsorted(places, values, side="right") - 1, 0)
    after = np.minimum(before + 1, len(places) - 1)
    width = np.where(places[after] > places[before], places[after] - places[before], 1.0)
    return images[before] + (images[after] - images[before]) * (inside - places[before]) / width


def aligned(cosines: Values, calibration: Calibration) -> Values:
    """A model's cosines, mapped to the scale that the fit was made for."""
    return interpolated(calibration.cosine, cosines) if calibration.cosine else cosines


def scores(cosines: Values, lexical: Values, calibration: Calibration) -> Values:
    """The calibrated scores of passages; how many phrasings the question has makes no difference.

    Args:
        cosines: aligned; where one is NaN the lexical fit decides, so that new text without a vector is never lost.
        lexical: shares of the highest possible BM25 score, in [0, 1].
        calibration: the model's.
    """
    by_words = interpolated(calibration.lexical, lexical)
    fused = interpolated(calibration.fused, cosines + lexical)
    return np.where(np.isnan(cosines), by_words, fused)


def better_half(phrasings: int) -> int:
    """The number of phrasings that have to agree: half of them, rounded up."""
    return (phrasings + 1) // 2


class Agreement:
    """How certain it is that any passage answers the question.

    A question that nothing answers may be close to a passage under one phrasing, but seldom under several. So the
    confidence is the mean, over the better half of the phrasings, of the best passage's score under each. With one
    phrasing that is the score of the best passage. The mean over all phrasings separates answered questions from others
    no better (docs/benchmarks.md), and phrasings in languages that no document is in would hide what the others find.
    """

    def __init__(self, phrasings: int) -> None:
        self._phrasings = phrasings
        self._best: dict[tuple[int, bool], tuple[Calibration, list[float]]] = {}

    def take(self, fit: Calibration, relevances: Values, *, with_vector: bool) -> None:
        """Add passages: their relevances, one row per phrasing, under the fit that applies to them."""
        _, best = self._best.setdefault((id(fit), with_vector), (fit, [0.0] * self._phrasings))
        best[:] = map(max, best, relevances.max(axis=1, initial=0.0).tolist())

    def confidence(self, calibration: Calibration) -> float:
        """The confidence in [0, 1]; of the questions that have an answer, 98 % reach 0.5 and 90 % reach 0.7."""
        scores = [0.0] * self._phrasings
        for (_, with_vector), (fit, best) in self._best.items():
            if not any(best):
                continue
            knots = fit.fused if with_vector else fit.lexical
            scores = [max(score, interpolate(knots, value)) for score, value in zip(scores, best, strict=True)]
        better = sorted(scores, reverse=True)[: better_half(len(scores))]
        mean = sum(better) / len(better)
        knots = calibration.agreement_of(self._phrasings)
        return interpolate(knots, mean) if knots else mean


def weighed(calibration: Calibration, weight: float) -> Calibration:
    """The calibration for chunks whose cosine is worth `weight` of its value.

    The less the cosine counts, the less of it the fit expects: the result lies between the fit of both scores (weight
    1) and that of words alone (weight 0), in proportion to the weight.
    """
    if weight >= 1:
        return calibration
    by_words = tuple((reached, relevance) for relevance, reached in calibration.lexical)

    def moved(knots: Knots) -> Knots:
        return tuple(
            (weight * relevance + (1 - weight) * interpolate(by_words, reached), reached)
            for relevance, reached in knots
        )

    return replace(calibration, fused=moved(calibration.fused))


@dataclass(frozen=True, slots=True)
class Weighed:
    """The relevances and scores of passages, each with one row per phrasing.

    `phrasings` is the index of the phrasing that each passage is most relevant to. `confidence` is
    `Agreement.confidence`.
    """

    relevances: Values
    scores: Values
    phrasings: Ids
    confidence: float

    @property
    def best_relevances(self) -> Values:
        """The relevance of each passage under its best phrasing."""
        return np.max(self.relevances, axis=0)

    @property
    def best_scores(self) -> Values:
        """The score of each passage: the best over all phrasings, so that a further one never lowers it."""
        return np.max(self.scores, axis=0)


def weigh(
    cosines: Values,
    bm25s: Values,
    upper_bounds: Sequence[float],
    calibration: Calibration,
    by_weight: Iterable[tuple[float, Ids]],
    origins: Sequence[int] = (),
) -> Weighed:
    """Compute the relevance and score of passages.

    Args:
        cosines: one row per phrasing; NaN where a passage has no vector.
        bm25s: one row per phrasing; 0 where a passage contains none of the phrasing's words.
        upper_bounds: the highest BM25 score that any passage could get from each phrasing's words.
        calibration: the model's.
        by_weight: weights of the cosine, each with the positions of the passages that it applies to.
        origins: for each row, the phrasing that it belongs to, if some are variants of others: in the confidence, a
            phrasing and its variants count as one.
    """
    origins = origins or range(len(upper_bounds))
    relevances = np.stack([lexical_share(found, bound) for found, bound in zip(bm25s, upper_bounds, strict=True)])
    reached = np.zeros_like(relevances)
    agreement = Agreement(max(origins, default=0) + 1)
    for weight, places in by_weight:
        fit = weighed(calibration, weight)
        near = weight * aligned(cosines[:, places], fit)
        has_vector = ~np.isnan(near)
        reached[:, places] = scores(near, relevances[:, places], fit)
        relevances[:, places] = told = relevances[:, places] + np.where(has_vector, near, 0.0)
        agreement.take(fit, best_of_each(np.where(has_vector, told, 0.0), origins), with_vector=True)
        agreement.take(fit, best_of_each(np.where(has_vector, 0.0, told), origins), with_vector=False)
    phrasings = np.argmax(relevances, axis=0).astype(np.int64)
    return Weighed(relevances, reached, phrasings, agreement.confidence(calibration))


def best_of_each(values: Values, origins: Sequence[int]) -> Values:
    """The best values over the rows of each phrasing; the phrasings themselves come before their variants."""
    phrasings = max(origins, default=0) + 1
    best = values[:phrasings].copy()
    for row, origin in enumerate(origins[phrasings:], start=phrasings):
        best[origin] = np.maximum(best[origin], values[row])
    return best


REFERENCE = (0.03, 0.19, 0.38, 0.56)
"""Quantiles .1, .5, .9 and .99 of the bundled model's cosines of random pairs, averaged over the test collections."""

_STEP = 1e-3
"""Smallest rise between two knots, so that better relevance never gets the same score."""

_LOWEST = -1.0
"""The lowest possible cosine."""


def calibration_for(random_pairs: Sequence[float], fitted: Calibration) -> Calibration:
    """The fitted calibration with a map of this model's cosines put in front, or unchanged if those are unknown.

    Args:
        random_pairs: quantiles of the cosines of random pairs, at the same shares as in `REFERENCE`; may be empty.
        fitted: the calibration of the model that was fitted.
    """
    if len(random_pairs) != len(REFERENCE):
        return fitted
    knots = list(zip(_rising(random_pairs), REFERENCE, strict=True))
    if knots[-1][0] >= 1 - _STEP:
        # Nearly all pairs have the same cosine, so no scale can be derived from them.
        return fitted
    return replace(fitted, cosine=(_below(knots), *knots, (1.0, 1.0)))


def chance_of(random_pairs: Sequence[float], fitted: Calibration | None) -> float | None:
    """The cosine that one random pair in a hundred reaches, or None if nothing is known about the model's cosines.

    Args:
        random_pairs: quantiles of the cosines of random pairs, as in `calibration_for`; may be empty.
        fitted: the model's own fit, if it was shipped with one; the model then behaves as `REFERENCE` says, and one
            with a scale for each question does so on that scale, whatever its cosines are.
    """
    if len(random_pairs) == len(REFERENCE) and (fitted is None or fitted.references is None):
        return random_pairs[-1]
    return None if fitted is None else REFERENCE[-1]


def _rising(values: Sequence[float]) -> list[float]:
    """Move equal quantiles apart by the smallest step, because the map must rise."""
    rising = list(values)
    for place, (before, after) in enumerate(pairwise(values), start=1):
        rising[place] = max(after, before + _STEP, rising[place - 1] + _STEP)
    return rising


def _below(knots: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The point where the first piece of the map reaches the lowest cosine, so that lower values stay distinct."""
    (x0, y0), (x1, y1) = knots[0], knots[1]
    return (x0 - (y0 - _LOWEST) * (x1 - x0) / (y1 - y0), _LOWEST)


# How much a cosine counts across languages, where English is 1: measured on translated questions (docs/languages.md).
_WEIGHTS = {
    "german": 0.45,
    "french": 0.35,
    "russian": 0.25,
    "chinese": 0.25,
    "japanese": 0.25,
    "korean": 0.2,
    "thai": 0.1,
}
_LATIN = 0.3
"""Languages written in Latin letters share names and loanwords with English, so their cosines say a little more."""

_OTHER = 0.2
# fmt: off
_IN_LATIN_LETTERS = frozenset({
    "afrikaans", "albanian", "azerbaijani", "basque", "bosnian", "catalan", "croatian", "czech", "danish", "dutch",
    "estonian", "filipino", "finnish", "galician", "hungarian", "icelandic", "indonesian", "irish", "italian",
    "latvian", "lithuanian", "malay", "norwegian", "polish", "portuguese", "romanian", "slovak", "slovenian", "spanish",
    "swahili", "swedish", "turkish", "vietnamese", "welsh",
})
# fmt: on


class CosineWeights:
    """The factor that a chunk's cosine is multiplied by, depending on the chunk's language.

    An English model notices that a text is foreign before it notices what it is about: two unrelated pages in Dutch are
    nearly as close to each other as an English question is to its answer, two in Korean even closer. The factor pushes
    the cosine that one unrelated pair in a hundred reaches below the half score that a chunk of that language needs
    (measured with all-MiniLM-L6-v2 on six topics in twelve languages; docs/decisions/0017).
    """

    def __init__(self, codes: Sequence[str]) -> None:
        """Take the codes of the model's languages; an empty sequence means that it reads all of them."""
        self.own = tuple(name for code in codes if (name := language_named(code)) is not None)

    def of(self, language: str) -> float:
        """The factor in (0, 1]; 1 for the model's own languages and for names that are not known languages."""
        if not self.is_foreign(language):
            return 1.0
        return _WEIGHTS.get(language, _LATIN if language in _IN_LATIN_LETTERS else _OTHER)

    def is_foreign(self, language: str) -> bool:
        """Whether the model was made for languages other than this one; False if either is unknown."""
        return bool(self.own) and language not in self.own and language in _KNOWN


_KNOWN = frozenset(language_names())
EVERY_LANGUAGE = CosineWeights(())
