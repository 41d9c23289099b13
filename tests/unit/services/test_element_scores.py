"""Scores of elements are scores of passages on another scale."""

from hypothesis import given
from hypothesis import strategies as st

from citemark.features.archimate.services.search import element_score, passage_score

_SCORES = st.floats(0, 1)


@given(_SCORES, _SCORES)
def test_the_order_is_kept_and_the_ends_stay(one: float, other: float) -> None:
    assert (one < other) == (element_score(one) < element_score(other)) or abs(one - other) < 1e-9
    assert (element_score(0.0), element_score(1.0)) == (0.0, 1.0)


@given(_SCORES)
def test_a_threshold_on_shown_scores_equals_one_on_computed_scores(score: float) -> None:
    assert abs(passage_score(element_score(score)) - score) < 1e-9


def test_an_element_that_answers_in_other_words_passes_the_usual_threshold() -> None:
    assert element_score(0.27) > 0.5 > element_score(0.22)
