import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.evaluation.fit import BestHits, as_json, describe, fit, lower_share, pooled_quantile
from citemark.retrieval.calibration import interpolate


def hits(name: str, values: list[float]) -> BestHits:
    return BestHits(name, tuple(values), tuple(value / 2 for value in values))


relevances = st.lists(st.floats(0, 2, allow_nan=False), min_size=1, max_size=40)


def test_each_collection_weighs_the_same_however_large_it_is() -> None:
    assert pooled_quantile([[0.1] * 100, [0.9]], 0.4) == 0.1
    assert pooled_quantile([[0.1] * 100, [0.9]], 0.6) == 0.9


@given(relevances, st.floats(0, 0.99))
def test_no_more_than_the_share_lies_below_a_quantile(values: list[float], share: float) -> None:
    quantile = pooled_quantile([values], share)
    assert sum(value < quantile for value in values) <= share * len(values) + 1e-9


@given(st.lists(relevances, min_size=1, max_size=4))
def test_a_fit_rises_strictly_and_spans_the_scores(groups: list[list[float]]) -> None:
    calibration = fit([hits(str(number), group) for number, group in enumerate(groups)])
    for knots in (calibration.fused, calibration.lexical):
        assert [score for _, score in knots] == [0.0, 0.5, 0.7, 1.0]
        assert all(low < high for (low, _), (high, _) in pairwise(knots))


@pytest.mark.requirement("R3-points")
def test_the_thresholds_keep_at_least_98_and_90_of_a_hundred_best_hits() -> None:
    values = [0.5 + number / 1000 for number in range(1000)]
    knots = fit([hits("one", values)]).fused
    assert 980 < sum(interpolate(knots, value) >= 0.5 for value in values) < 995
    assert 900 < sum(interpolate(knots, value) >= 0.7 for value in values) < 925


def test_fewer_questions_ask_for_more_caution() -> None:
    few, many = [[0.0] * 50], [[0.0] * 5000]
    assert lower_share(few, 0.1) < lower_share(many, 0.1) < 0.1
    assert lower_share([[0.0]], 0.02) == 0.0


def test_the_shipped_form_is_read_back_as_written() -> None:
    calibration = fit([hits("one", [0.5, 0.7, 0.9])])
    data = json.loads(as_json(calibration))
    assert [tuple(knot) for knot in data["fused"]] == list(calibration.fused)
    assert [tuple(knot) for knot in data["lexical"]] == list(calibration.lexical)


def test_the_description_shows_what_a_new_collection_may_expect() -> None:
    one, two = hits("one", [0.5] * 10), hits("two", [0.9] * 10)
    text = describe(fit([one, two]), [one, two])
    line = next(line for line in text.splitlines() if line.startswith("one"))
    kept_at_half, blind_at_half = line.split()[2], line.split()[4]
    assert (kept_at_half, blind_at_half) == ("1.000", "0.000")
