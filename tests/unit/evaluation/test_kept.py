"""Golden questions and evaluations that are kept beside an index."""

import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from citemark.evaluation.golden import load_golden
from citemark.evaluation.kept import KeptEvaluation
from citemark.model.errors import InvalidArgument

PUMP = {"path": "pump.md", "answer": "twice a year: always"}
REPORT: dict[str, Any] = {
    "questions": 0,
    "answerable": 0,
    "document_hit_at_5": 0.0,
    "evidence_hit_at_5": 0.0,
    "mrr": 0.0,
    "ndcg_at_10": 0.0,
    "recall_at_100": 0.0,
    "abstained": 0,
    "wrongly_abstained": 0,
    "bytes_median": None,
    "min_score": 0.5,
    "rows": [],
}


@pytest.fixture
def kept(tmp_path: Path) -> KeptEvaluation:
    return KeptEvaluation(tmp_path / "evaluation")


@pytest.mark.requirement("page-evaluate")
def test_a_question_is_appended_in_the_form_that_eval_reads(kept: KeptEvaluation) -> None:
    assert kept.questions("documents") == ()
    assert (
        kept.keep("documents", "How often: is the axle greased?", "factual", [PUMP]) == "how-often-is-the-axle-greased"
    )
    kept.file("documents").write_text(kept.file("documents").read_text("utf-8") + "# by hand", "utf-8")
    kept.keep("documents", "Wo parkt man? 東京", "unanswerable", [])
    assert kept.keep("documents", "How often is the axle greased", "factual", [PUMP]).endswith("greased-2")
    kept.keep("documents", "???", "factual", [PUMP])
    assert "# by hand" in kept.file("documents").read_text("utf-8")
    first, second, _, fourth = load_golden(kept.file("documents"))
    assert (first.question, first.expected[0].answer) == ("How often: is the axle greased?", PUMP["answer"])
    assert (second.answerable, fourth.question_id) == (False, "question")
    assert kept.questions("elements") == ()
    assert stat.S_IMODE(kept.file("documents").stat().st_mode) == 0o600


def test_what_eval_could_not_read_is_refused_and_the_file_stays_as_it_was(kept: KeptEvaluation) -> None:
    kept.keep("documents", "How?", "factual", [PUMP])
    before = kept.file("documents").read_bytes()
    for question, expect in (("How?", [PUMP]), ("Why?", []), ("Why?", [{"path": "pump.md", "answer": "| |"}])):
        with pytest.raises(InvalidArgument):
            kept.keep("documents", question, "factual", expect)
    assert kept.file("documents").read_bytes() == before
    assert [each.name for each in kept.file("documents").parent.iterdir()] == ["questions.yaml"]


def test_evaluations_are_listed_newest_first_and_read_by_their_names_alone(kept: KeptEvaluation) -> None:
    moments = [datetime(2026, 11, 26, hour, tzinfo=UTC) for hour in (1, 2)]
    runs = [kept.save("documents", REPORT, moment) for moment in moments]
    kept.save("elements", REPORT, moments[0])
    (kept.file("documents").parent / "documents-notes.json").write_text("{}", "utf-8")
    assert [each.at for each in kept.runs("documents")] == moments[::-1]
    assert kept.read(runs[0].name).min_score == 0.5
    for name in (
        "",
        "questions.yaml",
        "../secret.json",
        "documents-notes.json",
        "documents-20260101T000000.000000Z.json",
    ):
        with pytest.raises(InvalidArgument, match="There is no evaluation"):
            kept.read(name)
