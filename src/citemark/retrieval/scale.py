"""What the cosines of one question are worth, by the language of the passage.

A multilingual model puts texts of one language closer together than texts of two, whatever they say, and some questions
closer to everything than others. So the same cosine means something else for each question and each language. How near
a question is by chance is seen in its cosines with short texts of that language that have nothing to do with it: a
passage's cosine is measured from their mean, in their standard deviations (docs/decisions/0048).
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from citemark.model.vectors import References, Vector
from citemark.retrieval.calibration import REFERENCE, Values
from citemark.text.languages import UNKNOWN, configuration_for

Names: TypeAlias = npt.NDArray[np.str_]
"""The language of each passage."""

_MEDIAN = REFERENCE[1]
_DEVIATION = (REFERENCE[2] - REFERENCE[1]) / 1.2816
"""The standard deviation of the reference model's cosines, which a normal variable exceeds by 1.2816 once in ten."""


class QuestionScale:
    """Puts the cosines of one question on the scale on which the cosines of all questions and languages mean the same.

    That is the scale of `REFERENCE`. A passage in a language that has no references counts as one in the language of
    the question, which asks the most of it: as near as texts in other languages are by chance, and `apart` nearer.
    """

    def __init__(self, vectors: Sequence[Vector], references: References) -> None:
        """Compare the question with the references.

        Args:
            vectors: one per phrasing.
            references: those of the model that made the vectors.
        """
        asked = np.array(vectors, np.float32)
        known = np.frombuffer(references.vectors, np.float32).reshape(-1, asked.shape[1])
        cosines = (known @ asked.T).astype(np.float64).reshape(len(references.languages), -1, len(asked))
        means, deviations = cosines.mean(axis=1)[:, :, None], cosines.std(axis=1)[:, :, None]
        self._chance = dict(zip(references.languages, zip(means, deviations, strict=True), strict=True))
        self._elsewhere = (np.median(means, axis=0) + references.apart, deviations.mean(axis=0))

    def of(self, cosines: Values, languages: Names) -> Values:
        """Cosines on the common scale, in the same shape; NaN stays NaN.

        Args:
            cosines: one row per phrasing.
            languages: one name per column.
        """
        found = np.empty_like(cosines)
        for language in set(languages.tolist()):
            here = languages == language
            found[:, here] = _standardised(cosines[:, here], self._chance.get(language, self._elsewhere))
        return found

    def highest(self, cosines: Values, configurations: set[str]) -> Values:
        """The most that each cosine can be worth, in any language that may be read with one of these configurations."""
        any_language = UNKNOWN in configurations
        possible = [
            self._elsewhere,
            *(
                chance
                for name, chance in self._chance.items()
                if any_language or configuration_for(name) in configurations
            ),
        ]
        return np.max([_standardised(cosines, chance) for chance in possible], axis=0)


def _standardised(cosines: Values, chance: tuple[Values, Values]) -> Values:
    """Cosines on the common scale, by the mean and the standard deviation of each row (as columns)."""
    mean, deviation = chance
    return _MEDIAN + _DEVIATION * (cosines - mean) / deviation
