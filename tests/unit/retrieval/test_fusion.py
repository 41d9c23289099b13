"""Reciprocal rank fusion."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.retrieval.retrievers import CANDIDATES, RRF_K, reciprocal_ranks

rankings = st.lists(st.lists(st.integers(1, 30), unique=True, max_size=20), max_size=3)


@pytest.mark.requirement("rank-fusion-chooses-200-candidates")
def test_the_ranks_of_both_legs_add_up_with_k_60() -> None:
    assert reciprocal_ranks([[7, 8], [8]]) == {8: 1 / 62 + 1 / 61, 7: 1 / 61}
    assert (RRF_K, CANDIDATES) == (60, 200)


@given(rankings)
def test_no_fused_score_exceeds_one_over_sixty_one_per_ranking(lists: list[list[int]]) -> None:
    assert all(0 < value <= len(lists) / 61 for value in reciprocal_ranks(lists).values())


@given(rankings, st.integers(1, 10))
def test_the_best_come_first_and_ties_go_to_the_smaller_id(lists: list[list[int]], limit: int) -> None:
    fused = reciprocal_ranks(lists, limit=limit)
    everything = {entry for ranking in lists for entry in ranking}
    assert list(fused) == sorted(fused, key=lambda entry: (-fused[entry], entry))
    assert len(fused) == min(limit, len(everything))


@given(rankings)
@pytest.mark.requirement("dense-and-sparse-legs-are-merged")
def test_each_candidate_is_listed_once_whichever_searches_found_it(lists: list[list[int]]) -> None:
    assert set(reciprocal_ranks(lists)) == {entry for ranking in lists for entry in ranking}


@pytest.mark.requirement("fusion-and-batch-sizes-are-settings")
def test_a_larger_constant_makes_the_first_ranks_count_less() -> None:
    rankings = [[1, 2], [3, 2]]
    assert list(reciprocal_ranks(rankings, k=1000)) == [2, 1, 3]
    assert reciprocal_ranks([[7]], k=9) == {7: 0.1}
