"""Phrasings of golden questions: how they are read, and which of them hold words of the answer."""

from pathlib import Path

import pytest

from citemark.evaluation.golden import Expected, GoldenQuestion
from citemark.evaluation.phrasings import load_phrasings, phrased, without_golden_words
from citemark.model.errors import InvalidArgument

QUESTION = GoldenQuestion(
    "q1", "How long is the notice period?", "factual", (Expected("hr.md", "The notice period is four weeks."),)
)


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "phrasings.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.requirement("evaluation-measures-with-phrasings")
def test_questions_get_their_phrasings_by_id(tmp_path: Path) -> None:
    (question,) = phrased([QUESTION], load_phrasings(written(tmp_path, "q1: [termination, resignation period]\n")))
    assert question.also == ("termination", "resignation period")
    (alone,) = phrased([QUESTION], {})
    assert alone.also == ()


@pytest.mark.requirement("evaluation-measures-with-phrasings")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- q1\n", "must map the ids"),
        ("q1: one text\n", "must be a list"),
        ("q1: ['']\n", "must say something"),
        (f"q1: ['{'x' * 301}']\n", "at most 300 characters"),
        ("q1: [a, b, c, d, e]\n", "more than 4"),
        ("q1: [{a: b}]\n", "must be text"),
    ],
)
def test_a_file_of_another_form_is_refused_with_the_id_and_what_is_wrong(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(InvalidArgument, match=message):
        load_phrasings(written(tmp_path, text))


@pytest.mark.requirement("evaluation-measures-with-phrasings")
def test_phrasings_of_a_question_that_is_not_there_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="'q2'"):
        phrased([QUESTION], {"q2": ("termination",)})


@pytest.mark.requirement("evaluation-measures-with-phrasings")
def test_phrasings_with_words_of_the_answer_that_the_question_lacks_are_left_out() -> None:
    (question,) = phrased([QUESTION], {"q1": ("notice of four months", "resignation notice", "termination in weeks")})
    assert without_golden_words(question).also == ("resignation notice",)
