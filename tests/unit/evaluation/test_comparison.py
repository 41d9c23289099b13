"""Two runs of the same questions: what moved, and whether chance explains it."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.evaluation.comparison import SavedRun, compare, read_run, sign_test
from citemark.model.errors import InvalidArgument


def row(ident: str, *, kind: str = "factual", evidence: bool | None = True, ndcg: float = 1.0, **fields: Any) -> Any:
    return {
        "id": ident,
        "question": f"What is {ident}?",
        "kind": kind,
        "document_hit": True,
        "evidence_hit": evidence,
        "ndcg_at_10": ndcg,
        "recall_at_100": 1.0,
        "top_score": 0.8,
        **fields,
    }


def run(*rows: Any, **figures: Any) -> SavedRun:
    return SavedRun.model_validate(
        {
            "questions": len(rows),
            "answerable": sum(each.get("answerable", True) for each in rows),
            "document_hit_at_5": 1.0,
            "evidence_hit_at_5": 0.5,
            "mrr": 1.0,
            "ndcg_at_10": 1.0,
            "recall_at_100": 1.0,
            "abstained": 0,
            "wrongly_abstained": 0,
            "bytes_median": 10,
            "min_score": 0.5,
            "rows": list(rows),
            **figures,
        }
    )


@pytest.mark.requirement("two-evaluations-can-be-compared")
def test_questions_won_and_lost_are_named_and_counted_by_kind() -> None:
    before = run(row("a", evidence=False), row("b"), row("c", kind="paraphrase"))
    after = run(row("a"), row("b"), row("c", kind="paraphrase", evidence=False))
    found = compare(before, after)
    assert ([m.question_id for m in found.gained], [m.question_id for m in found.lost]) == (["a"], ["c"])
    assert [(s.kind, s.questions, s.before, s.after) for s in found.kinds] == [
        ("factual", 2, 0.5, 1.0),
        ("paraphrase", 1, 1.0, 0.0),
    ]
    text = found.render()
    assert "1 gained, 1 lost of 3 questions in both; chance alone: 1.00." in text
    assert "a (factual) 0.00 -> 1.00: What is a?" in text


def test_a_collection_is_compared_by_its_rankings() -> None:
    before, after = run(row("a", evidence=None, ndcg=0.2)), run(row("a", evidence=None, ndcg=0.6))
    found = compare(before, after)
    assert found.measure == "ndcg_at_10"
    assert [(m.before, m.after) for m in found.gained] == [(0.2, 0.6)]


def test_only_questions_that_both_asked_and_that_have_an_answer_are_compared() -> None:
    silent = row("u", evidence=False, answerable=False, abstained=True)
    found = compare(run(row("a"), row("old"), silent), run(row("a"), row("new"), silent))
    assert (found.common, found.only_before, found.only_after) == (1, 1, 1)
    assert "Not compared: 1 only in the earlier run, 1 only in this one." in found.render()


def test_a_figure_that_one_run_lacks_shows_no_change() -> None:
    found = compare(run(row("a"), evidence_hit_at_5=None), run(row("a")))
    assert found.as_dict()["figures"]["evidence_hit_at_5"] == {"before": None, "after": 0.5}
    (line,) = [line.split() for line in found.render().splitlines() if line.startswith("evidence hit at 5")]
    assert line[-3:] == ["-", "0.500", "-"]


@pytest.mark.parametrize(("gained", "lost", "chance"), [(0, 0, 1.0), (1, 1, 1.0), (5, 0, 0.0625), (10, 0, 2 / 1024)])
def test_the_sign_test_gives_the_binomials_tails(gained: int, lost: int, chance: float) -> None:
    assert sign_test(gained, lost) == pytest.approx(chance)


@given(st.integers(0, 60), st.integers(0, 60))
def test_the_sign_test_gives_a_probability_and_is_symmetric(gained: int, lost: int) -> None:
    assert 0 < sign_test(gained, lost) <= 1
    assert sign_test(gained, lost) == sign_test(lost, gained)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"questions": "many"}', "\x00"])
def test_a_file_that_is_not_an_evaluation_is_refused_with_the_reason(tmp_path: Path, content: str) -> None:
    file = tmp_path / "run.json"
    file.write_text(content)
    with pytest.raises(InvalidArgument, match="is not an evaluation as `citemark eval --json` prints it"):
        read_run(file)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=r"gone\.json cannot be read"):
        read_run(tmp_path / "gone.json")
