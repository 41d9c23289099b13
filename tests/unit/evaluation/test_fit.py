import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.embedding.minilm import MiniLM
from citemark.evaluation.beir import load_collection
from citemark.evaluation.fit import BestHits, as_json, describe, fit, lower_share, pooled_quantile
from citemark.evaluation.golden import GoldenQuestion, load_golden
from citemark.extraction.markdown.document import extract_markdown
from citemark.model.errors import InvalidArgument
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
def test_a_calibration_rises_strictly_and_covers_the_scores(groups: list[list[float]]) -> None:
    calibration = fit([hits(str(number), group) for number, group in enumerate(groups)])
    for knots in (calibration.fused, calibration.lexical):
        assert [score for _, score in knots] == [0.0, 0.5, 0.7, 1.0]
        assert all(low < high for (low, _), (high, _) in pairwise(knots))


@pytest.mark.requirement("thresholds-keep-most-best-hits")
def test_the_thresholds_keep_at_least_98_and_90_of_a_hundred_best_hits() -> None:
    values = [0.5 + number / 1000 for number in range(1000)]
    knots = fit([hits("one", values)]).fused
    assert 980 < sum(interpolate(knots, value) >= 0.5 for value in values) < 995
    assert 900 < sum(interpolate(knots, value) >= 0.7 for value in values) < 925


def test_fewer_questions_ask_for_more_caution() -> None:
    few, many = [[0.0] * 50], [[0.0] * 5000]
    assert lower_share(few, 0.1) < lower_share(many, 0.1) < 0.1
    assert lower_share([[0.0]], 0.02) == 0.0


def test_a_handful_of_questions_in_many_phrasings_does_not_decide_their_agreement() -> None:
    many = BestHits("many", (1.0,), (1.0,), (tuple(0.7 + number / 1000 for number in range(100)),))
    few = BestHits("few", (1.0,), (1.0,), ((0.55, 0.55),))
    assert fit([many, few]).agreement == fit([many]).agreement
    assert fit([few]).agreement[0][2][0] == 0.55


@pytest.mark.requirement("confidence-fitted-per-phrasing-count")
def test_the_confidence_of_several_phrasings_has_a_map_of_its_own() -> None:
    values = tuple(0.5 + number / 1000 for number in range(1000))
    means = tuple(0.5 + number / 2000 for number in range(1000))
    calibration = fit([BestHits("one", values, values, (means,)), BestHits("two", values, values)])
    (agreement,) = calibration.agreement
    assert interpolate(agreement, 0.5) == 0.5, "phrasings that find less than others do not refuse a question"
    assert 0.88 < sum(interpolate(agreement, value) >= 0.7 for value in means) / len(means) < 0.93


def test_the_shipped_form_is_read_back_as_written() -> None:
    shares = (0.6, 0.8, 0.9)
    calibration = fit([BestHits("one", shares, shares, (shares, shares))])
    data = json.loads(as_json(calibration))
    assert [tuple(knot) for knot in data["fused"]] == list(calibration.fused)
    assert [tuple(knot) for knot in data["lexical"]] == list(calibration.lexical)
    maps = [tuple(tuple(knot) for knot in knots) for knots in data["agreement"]]
    assert maps == list(calibration.agreement)
    assert len(maps) == 2


def test_the_description_shows_what_a_new_collection_may_expect() -> None:
    one, two = hits("one", [0.5] * 10), hits("two", [0.9] * 10)
    text = describe(fit([one, two]), [one, two])
    line = next(line for line in text.splitlines() if line.startswith("one"))
    kept_at_half, blind_at_half = line.split()[2], line.split()[4]
    assert (kept_at_half, blind_at_half) == ("1.000", "0.000")


@pytest.mark.requirement("fit-never-saw-golden-questions")
def test_the_fit_ships_with_the_model_and_puts_the_two_thresholds_where_callers_expect_them() -> None:
    shipped = json.loads(files("citemark_minilm").joinpath("calibration.json").read_text("utf-8"))
    calibration = MiniLM().calibration
    assert [list(knot) for knot in calibration.fused] == shipped["fused"]
    assert [list(knot) for knot in calibration.lexical] == shipped["lexical"]
    assert len(calibration.agreement) == len(shipped["agreement"]) == 3
    assert {0.5, 0.7} <= {height for _, height in calibration.fused} & {height for _, height in calibration.lexical}


@pytest.mark.requirement("fit-never-saw-golden-questions")
def test_the_fit_takes_test_collections_and_refuses_golden_questions(golden_questions: Path) -> None:
    with pytest.raises(InvalidArgument, match="not a test collection"):
        load_collection(golden_questions)


@pytest.mark.requirement("fit-never-saw-golden-questions")
def test_the_collections_of_the_fit_hold_no_golden_question_and_no_golden_document(
    shared_data: Path, golden_questions: Path
) -> None:
    folders = [folder for folder in (shared_data / "ir").iterdir() if folder.is_dir()]
    fitted = {" ".join(text.casefold().split()) for folder in folders for text in texts_of(folder)}
    paths = golden_questions.glob("*-dev.yaml")
    golden = [question.question for path in paths for question in questions_of(path)]
    found = (shared_data / "docs-mcp").rglob("*.mdx")
    pages = [extract_markdown(path.read_text("utf-8"), fallback_title="").body for path in found]
    assert len(folders) == 3
    assert len(golden) >= 40
    assert len(pages) > 300
    assert not {" ".join(text.casefold().split()) for text in [*golden, *pages]} & fitted


def texts_of(folder: Path) -> Iterator[str]:
    for name in ("queries.jsonl", "corpus.jsonl"):
        with (folder / name).open(encoding="utf-8") as lines:
            yield from (json.loads(line)["text"] for line in lines)


def questions_of(path: Path) -> Sequence[GoldenQuestion]:
    try:
        return load_golden(path)
    except InvalidArgument:
        return ()
