"""Relevance, and the score in [0, 1] that people and thresholds see.

Relevance is w * cos + bm25 / ub(q): both scores on scales that compare across questions (measured in ADR 33). w is 1
in the languages of the embedding model.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf

from citemark.model.languages import language_named, language_names
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


def better_half(phrasings: int) -> int:
    """How many phrasings have to agree: half of them, rounded up."""
    return (phrasings + 1) // 2


class Agreement:
    """How sure it is that something answers: what nothing answers is near under one phrasing, seldom under several.

    The mean, over the better half of the phrasings, of the score that the best passage has under each. With one
    phrasing that is the score of the best passage. The mean over all phrasings tells answered questions from others no
    better (docs/benchmarks.md), and phrasings in languages that no document is in would hide what the others find.
    """

    def __init__(self, phrasings: int) -> None:
        self._phrasings = phrasings
        self._best: dict[tuple[int, bool], tuple[Calibration, list[float]]] = {}

    def best(self, fit: Calibration, *, with_vector: bool) -> list[float]:
        """The best relevance under each phrasing of the passages with this fit, which the caller raises.

        Called thousands of times for a question, so that what is found is kept by the caller and not told here.
        """
        key = (id(fit), with_vector)
        if key not in self._best:
            self._best[key] = (fit, [0.0] * self._phrasings)
        return self._best[key][1]

    def confidence(self, calibration: Calibration) -> float:
        """In [0, 1]; 0.5 and 0.7 are kept by 98 % and 90 % of the questions that something answers."""
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


REFERENCE = (0.03, 0.19, 0.38, 0.56)
"""Quantiles .1, .5, .9 and .99 of the bundled model's cosines of random pairs, mean of the test collections."""

_STEP = 1e-3
"""Least rise between two knots, so that better relevance never gets the same score."""

_LOWEST = -1.0
"""The least cosine there is."""


def calibration_for(random_pairs: Sequence[float], fitted: Calibration) -> Calibration:
    """The fitted model's calibration behind a map of cosines; the fit itself while nothing is known about the model's.

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


def chance_of(random_pairs: Sequence[float], fitted: Calibration | None) -> float | None:
    """The cosine that one random pair in a hundred reaches; None where nothing is known about the model's.

    Args:
        random_pairs: quantiles of the cosines of random pairs, as in `calibration_for`; or none.
        fitted: the model's own fit, if it was shipped with one; it then behaves as `REFERENCE` says.
    """
    if len(random_pairs) == len(REFERENCE):
        return random_pairs[-1]
    return None if fitted is None else REFERENCE[-1]


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


# How much a cosine says across languages, beside 1 for English: measured on translated questions (docs/languages.md).
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
"""Languages in Latin letters share names and loanwords with English, so their cosines say a little more."""

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
    """The factor on a chunk's cosine, by its language.

    An English model sees that a foreign text is foreign before it sees what it is about: two unrelated pages in Dutch
    are nearly as close to each other as an English question is to its answer, two in Korean closer. The factor takes
    the cosine that one unrelated pair in a hundred reaches below the half score that a chunk of that language needs
    (measured with all-MiniLM-L6-v2 on six topics in twelve languages; docs/decisions/0017).
    """

    def __init__(self, codes: Sequence[str]) -> None:
        """Name the model's languages by their codes; none means that it reads all."""
        self.own = tuple(name for code in codes if (name := language_named(code)) is not None)

    def of(self, language: str) -> float:
        """The factor in (0, 1]; 1 for the model's own languages, and where the language is not known by name."""
        if not self.is_foreign(language):
            return 1.0
        return _WEIGHTS.get(language, _LATIN if language in _IN_LATIN_LETTERS else _OTHER)

    def is_foreign(self, language: str) -> bool:
        """Whether the model was made for other languages than this one, as far as either is known."""
        return bool(self.own) and language not in self.own and language in _KNOWN


_KNOWN = frozenset(language_names())
EVERY_LANGUAGE = CosineWeights(())
