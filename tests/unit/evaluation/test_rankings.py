from collections.abc import Callable, Mapping
from math import log2
from typing import cast

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import RR, R, nDCG

from citemark.evaluation.rankings import collapsed_ranking, hit, ndcg, recall, reciprocal_rank

IDS = [f"d{number}" for number in range(15)]


def test_ndcg_weighs_grades_linearly_and_discounts_by_rank() -> None:
    grades = {"a": 3, "b": 1, "c": 2}
    ideal = 3 + 2 / log2(3) + 1 / log2(4)
    assert ndcg(["a", "c", "b"], grades, 10) == pytest.approx(1.0)
    assert ndcg(["x", "b", "a"], grades, 10) == pytest.approx((1 / log2(3) + 3 / log2(4)) / ideal)


def test_ndcg_cuts_ranking_and_ideal_at_its_depth() -> None:
    grades = dict.fromkeys(IDS[:12], 1)
    assert ndcg(IDS[:10], grades, 10) == pytest.approx(1.0)
    assert ndcg([*["x"] * 10, "d0"], grades, 10) == 0


def test_a_question_with_nothing_relevant_scores_zero() -> None:
    assert ndcg(["a"], {"a": 0}, 10) == 0
    assert recall(["a"], {"a": -1}, 10) == 0
    assert reciprocal_rank(["a"], {}) == 0


def test_recall_counts_only_results_within_the_depth() -> None:
    assert recall(["a", "x", "b"], {"a": 1, "b": 1, "c": 2, "d": 0}, 2) == pytest.approx(1 / 3)


def test_the_reciprocal_rank_is_that_of_the_first_relevant_document() -> None:
    assert reciprocal_rank(["x", "a", "b"], {"a": 1, "b": 2}) == 0.5
    assert hit(["x", "a"], {"a": 1}, 2)
    assert not hit(["x", "a"], {"a": 1}, 1)


@given(
    st.lists(st.sampled_from(IDS), unique=True, max_size=15),
    st.dictionaries(st.sampled_from(IDS), st.integers(0, 3), min_size=1),
)
def test_the_measures_agree_with_ir_measures(ranking: list[str], grades: dict[str, int]) -> None:
    qrels = {"q": grades}
    run = {"q": {document: 100.0 - rank for rank, document in enumerate(ranking)}}
    aggregate = cast("Callable[..., Mapping[object, float]]", ir_measures.calc_aggregate)  # pyright: ignore[reportUnknownMemberType]
    reference = aggregate([nDCG @ 10, R @ 5, RR], qrels, run)
    if any(grade > 0 for grade in grades.values()) and ranking:
        assert ndcg(ranking, grades, 10) == pytest.approx(reference[nDCG @ 10])
        assert recall(ranking, grades, 5) == pytest.approx(reference[R @ 5])
        assert reciprocal_rank(ranking, grades) == pytest.approx(reference[RR])


def test_a_result_that_matches_several_expected_pages_is_one_document() -> None:
    ranking, grades = collapsed_ranking([["x"], ["a", "b", "c"]], ["a", "b", "c"])
    assert ndcg(ranking, grades, 10) == pytest.approx(1 / log2(3))
    assert reciprocal_rank(ranking, grades) == 0.5


def test_a_result_that_repeats_an_earlier_one_gains_nothing() -> None:
    ranking, grades = collapsed_ranking([["a"], ["a"], ["b"]], ["a", "b"])
    ideal = 1 + 1 / log2(3)
    assert ndcg(ranking, grades, 10) == pytest.approx((1 + 1 / log2(4)) / ideal)


def test_expected_pages_that_never_came_lower_the_figure() -> None:
    ranking, grades = collapsed_ranking([["a"]], ["a", "b"])
    assert ndcg(ranking, grades, 10) == pytest.approx(1 / (1 + 1 / log2(3)))
