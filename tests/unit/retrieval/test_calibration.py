"""Relevance becomes a score between 0 and 1, in the same order."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from citemark.embedding.minilm import MiniLM
from citemark.model.vectors import Calibration
from citemark.retrieval.calibration import (
    REFERENCE,
    Agreement,
    CosineWeights,
    better_half,
    chance_of,
    interpolate,
    interpolated,
    lexical_share,
    scores,
    weighed,
)
from citemark.text.languages import language_names

unit = st.floats(0, 1)
MODEL = MiniLM().calibration
KNOTS = ((0.0, 0.0), (0.5, 0.5), (0.5, 0.6), (1.0, 1.0))


def score(cosine: float | None, lexical: float, calibration: Calibration) -> float:
    """The score of one passage; without a cosine where it has no vector."""
    cosines = np.array([np.nan if cosine is None else cosine])
    return float(scores(cosines, np.array([lexical]), calibration)[0])


def share(bm25: float, bound: float) -> float:
    """The lexical share of one passage."""
    return float(lexical_share(np.array([bm25]), bound)[0])


@st.composite
def ascending(draw: st.DrawFn) -> tuple[tuple[float, float], ...]:
    size = draw(st.integers(1, 6))
    xs = sorted(draw(st.lists(st.floats(-1, 2), min_size=size, max_size=size)))
    ys = sorted(draw(st.lists(unit, min_size=size, max_size=size)))
    return tuple(zip(xs, ys, strict=True))


@given(ascending(), st.floats(-3, 3), st.floats(-3, 3))
def test_more_relevance_never_scores_less(knots: tuple[tuple[float, float], ...], one: float, two: float) -> None:
    low, high = sorted((one, two))
    assert interpolate(knots, low) <= interpolate(knots, high) + 1e-9


@given(ascending(), st.floats(allow_nan=False))
def test_a_value_beyond_the_knots_keeps_the_last_score(knots: tuple[tuple[float, float], ...], value: float) -> None:
    assert knots[0][1] - 1e-9 <= interpolate(knots, value) <= knots[-1][1] + 1e-9


@pytest.mark.parametrize(("value", "expected"), [(-1, 0), (0, 0), (0.25, 0.25), (0.75, 0.8), (1, 1), (9, 1)])
def test_between_knots_it_is_linear(value: float, expected: float) -> None:
    assert interpolate(KNOTS, value) == pytest.approx(expected)


@given(ascending(), st.lists(st.floats(allow_nan=False), max_size=5))
@example(((0.0, 0.1), (0.0, 0.2)), [-1.0, 0.0, 1.0])
def test_many_values_are_mapped_to_the_last_bit_as_one_is(
    knots: tuple[tuple[float, float], ...], values: list[float]
) -> None:
    assert interpolated(knots, np.array(values)).tolist() == [interpolate(knots, value) for value in values]
    assert np.isnan(interpolated(knots, np.array([np.nan]))).all()


@pytest.mark.requirement("score-lies-between-zero-and-one", "order-and-score-agree")
@given(st.floats(-1, 1), st.floats(0, 50), st.floats(0.1, 50), st.floats(-1, 1), st.floats(0, 50))
def test_the_models_own_fit_keeps_the_order_of_relevance(
    cosine: float, bm25: float, bound: float, other_cosine: float, other_bm25: float
) -> None:
    lexical, other_lexical = share(bm25, bound), share(other_bm25, bound)
    reached, other = score(cosine, lexical, MODEL), score(other_cosine, other_lexical, MODEL)
    assert 0 <= reached <= 1
    if cosine + lexical <= other_cosine + other_lexical:
        assert reached <= other + 1e-9


@pytest.mark.requirement("chunk-without-vector-scored-by-words")
def test_a_chunk_without_a_vector_goes_by_the_lexical_fit() -> None:
    fit = Calibration(fused=((0.0, 0.1), (2.0, 0.1)), lexical=((0.0, 0.0), (1.0, 0.9)))
    assert score(None, 0.5, fit) == pytest.approx(0.45)
    assert score(0.0, 0.5, fit) == pytest.approx(0.1)


@given(st.floats(0, 1e6), st.floats(-1, 1e6))
def test_the_share_of_the_bound_stays_between_0_and_1(bm25: float, bound: float) -> None:
    assert 0 <= share(bm25, bound) <= 1


@pytest.mark.requirement("english-model-weighs-less-elsewhere")
@given(unit, unit, unit, unit)
def test_a_cosine_that_counts_for_less_moves_the_fit_towards_that_of_words_alone(
    weight: float, cosine: float, lexical: float, more: float
) -> None:
    fit = weighed(MODEL, weight)
    low, high = sorted((lexical, more))
    assert score(weight * cosine, low, fit) <= score(weight * cosine, high, fit) + 1e-9
    assert weighed(MODEL, 1.0) == MODEL
    assert score(0.0, lexical, weighed(MODEL, 0.0)) == pytest.approx(score(None, lexical, MODEL))


@pytest.mark.requirement("english-model-weighs-less-elsewhere")
def test_a_cosine_counts_in_full_only_in_the_languages_of_the_model() -> None:
    english, every, both = CosineWeights(("en",)), CosineWeights(()), CosineWeights(("en", "de"))
    assert [english.of(name) for name in ("english", "simple", "my_own_configuration")] == [1.0, 1.0, 1.0]
    assert all(0 < english.of(name) < 0.5 for name in language_names() if name != "english")
    assert {every.of(name) for name in language_names()} == {1.0}
    assert both.of("german") == 1.0
    assert both.of("french") < 1.0


LINEAR = Calibration(fused=((0.0, 0.0), (1.0, 1.0)), lexical=((0.0, 0.0), (1.0, 1.0)))


def confidence(*best: float, calibration: Calibration = LINEAR) -> float:
    """The confidence when the best passages under the phrasings are so relevant."""
    agreement = Agreement(len(best))
    for phrasing, relevance in enumerate(best):
        relevances = np.zeros((len(best), 1))
        relevances[phrasing] = relevance
        agreement.take(LINEAR, relevances, with_vector=True)
    return agreement.confidence(calibration)


@pytest.mark.requirement("confidence-is-agreement-of-phrasings")
def test_the_confidence_of_one_phrasing_is_the_score_of_its_best_passage() -> None:
    assert confidence(0.6) == pytest.approx(0.6)


@pytest.mark.requirement("confidence-is-agreement-of-phrasings")
@pytest.mark.parametrize(
    ("best", "expected"), [((0.1, 0.9), 0.9), ((0.9, 0.1, 0.8), 0.85), ((0.9, 0.1, 0.7, 0.0), 0.8)]
)
def test_the_better_half_of_several_phrasings_has_to_agree(best: tuple[float, ...], expected: float) -> None:
    assert confidence(*best) == pytest.approx(expected)


@pytest.mark.requirement("confidence-is-agreement-of-phrasings")
def test_a_hit_of_one_phrasing_of_four_is_less_certain_than_a_hit_of_all() -> None:
    assert confidence(0.9, 0.2, 0.2, 0.2) < confidence(0.7, 0.7, 0.7, 0.7)


@pytest.mark.requirement("confidence-is-agreement-of-phrasings")
@given(st.lists(unit, min_size=1, max_size=5), st.integers(0, 4), unit)
def test_a_phrasing_that_finds_more_never_lowers_the_confidence(best: list[float], which: int, more: float) -> None:
    raised = [max(value, more) if at == which % len(best) else value for at, value in enumerate(best)]
    assert confidence(*raised) >= confidence(*best) - 1e-9


@pytest.mark.requirement("confidence-is-agreement-of-phrasings")
def test_the_fit_of_as_many_phrasings_maps_the_agreement() -> None:
    fitted = Calibration(LINEAR.fused, LINEAR.lexical, agreement=(((0.0, 0.0), (1.0, 0.5)),))
    assert confidence(0.8, 0.6, calibration=fitted) == pytest.approx(0.4)
    assert confidence(0.8, calibration=fitted) == pytest.approx(0.8), "one phrasing has its score"
    assert confidence(0.8, 0.8, 0.8, calibration=fitted) == pytest.approx(0.4), "more phrasings take the last fit"


def test_half_of_the_phrasings_is_rounded_up() -> None:
    assert [better_half(number) for number in (1, 2, 3, 4, 5)] == [1, 1, 2, 2, 3]


def test_chance_is_the_cosine_that_one_random_pair_in_a_hundred_reaches() -> None:
    assert chance_of((0.1, 0.2, 0.3, 0.7), MODEL) == 0.7
    assert chance_of((), MODEL) == REFERENCE[-1] == 0.56
    assert chance_of((), None) is None
