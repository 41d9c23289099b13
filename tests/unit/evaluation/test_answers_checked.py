"""Golden answers: the check held against what people found in them."""

from pathlib import Path

import pytest

from citemark.evaluation.answers_checked import figures, holds_answers, load_answers, run_answers
from citemark.model.errors import InvalidArgument

_CASE = """\
# two answers
- id: a
  question: When does it open?
  sources:
  - {n: 1, title: House, text: The library opens at nine.}
  answer: The library opens at nine [1]. It closes at ten [1][4].
  expect:
    citations:
    - {sentence: 0, n: [1]}
    - {sentence: 1, n: [1, 4]}
    out_of_range: [4]
    uncited_sentences: []
    unsupported_sentences: [1]
    unsupported_claims: [ten]
  kind: wrong
- id: b
  question: When?
  sources: [{n: 1, title: House, text: The library opens at nine.}]
  answer: The library opens at nine [1].
  expect: {citations: [{sentence: 0, n: [1]}], unsupported_sentences: [0], uncited_sentences: [0]}
"""


def test_false_and_missed_findings_of_a_check_are_named(tmp_path: Path) -> None:
    file = tmp_path / "answers.yaml"
    file.write_text(_CASE, "utf-8")
    assert holds_answers(file)
    report = run_answers(file)
    found = report.as_dict()
    assert (found["answers"], found["citations"], found["uncited"]) == (2, 1.0, 0.5)
    assert (found["unsupported_precision"], found["unsupported_recall"]) == (1.0, 0.5)
    assert found["kinds"]["wrong"]["claims_recall"] == 1.0
    assert [row["id"] for row in found["failures"]] == ["b"]
    assert "b (answer): uncited; sentence 0 not seen to be unsupported" in report.render()


@pytest.mark.parametrize(
    ("text", "told"),
    [("- id: a\n  sources: []\n", "0.answer"), ("sources: 1\n", "top"), ("- [", "YAML")],
)
def test_a_wrong_file_is_named_where_it_is_wrong(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "answers.yaml"
    file.write_text(text, "utf-8")
    with pytest.raises(InvalidArgument, match=told):
        load_answers(file)


def test_questions_are_not_taken_for_answers(tmp_path: Path) -> None:
    file = tmp_path / "questions.yaml"
    file.write_text("- id: a\n  question: Sources?\n  expect: []\n", "utf-8")
    assert not holds_answers(file)


@pytest.mark.requirement("checking-of-golden-citations")
def test_the_check_reaches_its_bars_on_the_golden_answers_and_on_the_half_it_was_not_fitted_to(
    golden_questions: Path,
) -> None:
    report = run_answers(golden_questions / "citations-dev.yaml")
    for found in (figures(report.rows), figures([row for row in report.rows if not row.odd])):
        assert min(found.citations, found.out_of_range, found.uncited) >= 0.98
        assert min(found.unsupported_precision, found.unsupported_recall) >= 0.75
        assert min(found.claims_precision, found.claims_recall) >= 0.95
