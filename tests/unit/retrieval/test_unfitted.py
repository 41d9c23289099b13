"""The scale of a model that nobody fitted, from random pairs of the corpus."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.embedding.minilm import MiniLM
from citemark.model.vectors import Calibration
from citemark.retrieval.calibration import REFERENCE, calibration_for, scores
from citemark.retrieval.calibration import aligned as aligned_all

FITTED = MiniLM().calibration
COSINES = st.floats(-1, 1, allow_nan=False)


def aligned(cosine: float, calibration: Calibration) -> float:
    """One cosine, aligned."""
    return float(aligned_all(np.array([cosine]), calibration)[0])


def score(cosine: float, lexical: float, calibration: Calibration) -> float:
    """The score of one passage."""
    return float(scores(np.array([cosine]), np.array([lexical]), calibration)[0])


@pytest.mark.requirement("unfitted-model-uses-random-pairs")
@given(floor=st.floats(0, 0.9), cosine=st.floats(REFERENCE[0], 1), lexical=st.floats(0, 1))
def test_a_model_with_the_same_neighbours_on_another_scale_gets_the_same_scores(
    floor: float, cosine: float, lexical: float
) -> None:
    def seen(value: float) -> float:
        return floor + (1 - floor) * value

    other = calibration_for([seen(value) for value in REFERENCE], FITTED)
    assert score(aligned(seen(cosine), other), lexical, other) == pytest.approx(
        score(cosine, lexical, FITTED), abs=0.02
    )


@pytest.mark.requirement("unfitted-model-uses-random-pairs")
@given(quantiles=st.lists(st.floats(-1, 1, allow_nan=False), min_size=4, max_size=4), pair=st.tuples(COSINES, COSINES))
def test_the_map_keeps_the_order_of_cosines_whatever_the_quantiles(
    quantiles: list[float], pair: tuple[float, float]
) -> None:
    found = calibration_for(sorted(quantiles), FITTED)
    low, high = sorted(pair)
    assert aligned(low, found) <= aligned(high, found)
    assert aligned(1.0, found) == pytest.approx(1.0)


def test_before_anything_was_measured_cosines_count_as_they_are() -> None:
    assert calibration_for((), FITTED) == FITTED
    assert aligned(0.4, FITTED) == 0.4


def test_a_model_to_which_all_texts_are_alike_is_left_as_it_is() -> None:
    assert calibration_for((0.99, 0.995, 0.9999, 1.0), FITTED) == FITTED
