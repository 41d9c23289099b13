from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.evaluation.golden import load_golden, same_page
from citemark.model.errors import InvalidArgument


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "golden.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.requirement("evaluation-measures-with-phrasings")
def test_a_document_of_an_account_is_named_by_type_and_id_or_title(tmp_path: Path) -> None:
    (question,) = load_golden(
        write(
            tmp_path,
            """
- id: q1
  question: When is the inspection?
  answer: Tuesday
  expect:
  - {doc_type: calendar_event, native: uid-1}
  - {doc_type: note, title: Inspection plan}
""",
        )
    )
    event, note = question.expected
    assert event.is_document("uid-1", "calendar_event", "Any title")
    assert not event.is_document("uid-1", "note", "Any title")
    assert not event.is_document("uid-10", "calendar_event", "Any title")
    assert note.is_document("77", "note", "Inspection plan")
    assert not note.is_document("77", "deck_card", "Inspection plan")
    assert (event.label, note.label) == ("calendar_event: uid-1", "note: Inspection plan")


@pytest.mark.requirement("evaluation-reads-golden-files")
def test_a_question_carries_its_pages_and_their_answers(tmp_path: Path) -> None:
    (question,) = load_golden(
        write(
            tmp_path,
            """
- id: q1
  question: When?
  kind: temporal
  expect:
  - path: docs/a.md
    heading: Dates
  - path: docs/b.md
    answer: 4 weeks
  answer: 2025-06-18
""",
        )
    )
    assert question.answerable
    assert [entry.answer for entry in question.expected] == ["2025-06-18", "4 weeks"]
    assert question.expected[0].heading == "Dates"
    assert len(question.groups) == 1


def test_every_group_of_expected_pages_is_required(tmp_path: Path) -> None:
    (question,) = load_golden(
        write(
            tmp_path,
            """
- id: q1
  question: What and why?
  kind: multi_document
  expect:
  - {path: a.md, group: what}
  - {path: b.md, group: why}
  - {path: c.md, group: what}
  answer: words
""",
        )
    )
    assert [[entry.path for entry in group] for group in question.groups] == [["a.md", "c.md"], ["b.md"]]


@pytest.mark.parametrize(
    "row",
    [
        "{id: q, question: Why, kind: unanswerable, expect: [], answer: ''}",
        "{id: q, question: Why, kind: unanswerable}",
        "{id: q, question: Why, kind: factual, answerable: false, expect: []}",
    ],
)
def test_an_unanswerable_question_expects_nothing(tmp_path: Path, row: str) -> None:
    (question,) = load_golden(write(tmp_path, f"- {row}\n"))
    assert not question.answerable
    assert question.kind == "unanswerable"
    assert question.groups == ()


@pytest.mark.requirement("evaluation-reads-golden-files")
@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("- {question: Why, expect: []}", ["row 1", "id is missing"]),
        ("- {id: q7, expect: [{path: a, answer: b}]}", ["row 1 (q7)", "question is missing"]),
        ("- {id: q7, question: [a], expect: [{path: a, answer: b}]}", ["q7", "question must be a text"]),
        ('- {id: q7, question: "a\\0b", kind: unanswerable}', ["q7", "question must be text without NUL"]),
        ("- {id: q7, question: Why}", ["q7", "expect lists no page"]),
        ("- {id: q7, question: Why, expect: a.md}", ["q7", "expect must be a list"]),
        ("- {id: q7, question: Why, expect: [a.md]}", ["q7", "expect[1]", "mapping"]),
        ("- {id: q7, question: Why, expect: [{answer: b}]}", ["q7", "expect[1].path is missing"]),
        ("- {id: q7, question: Why, expect: [{path: a}]}", ["q7", "expect[1].answer is missing"]),
        ("- {id: q7, question: Why, expect: [{path: a, answer: '**'}]}", ["q7", "expect[1].answer"]),
        ("- {id: q7, question: Why, kind: unanswerable, expect: [{path: a, answer: b}]}", ["q7", "unanswerable"]),
        ("- {id: q7, question: Why, answerable: maybe}", ["q7", "answerable must be true or false"]),
        ("- {id: q7, question: Why, expect: [{element_id: a}]}", ["q7", "expect[1].name is missing"]),
        (
            "- {id: q7, question: Why, match: most, expect: [{element_id: a, name: A}]}",
            ["q7", "match must be all or any"],
        ),
        ("- plain text", ["row 1", "mapping"]),
        (
            "- {id: q, question: A, kind: unanswerable}\n- {id: q, question: B, kind: unanswerable}",
            ["row 2", "'q' occurs twice"],
        ),
        ("questions: []", ["must hold a list"]),
        ("[]", ["must hold a list"]),
        ("", ["must hold a list"]),
        ("- {id: q", ["not YAML"]),
    ],
)
def test_a_wrong_file_is_refused_with_row_and_key(tmp_path: Path, text: str, named: list[str]) -> None:
    path = write(tmp_path, text)
    with pytest.raises(InvalidArgument) as refused:
        load_golden(path)
    for part in [str(path), *named]:
        assert part in refused.value.message


@pytest.mark.parametrize(("match", "groups"), [("match: all,", 2), ("match: any,", 1), ("", 2)])
def test_expected_elements_of_a_model_may_be_all_or_any(tmp_path: Path, match: str, groups: int) -> None:
    entries = "expect: [{element_id: 1, name: One}, {element_id: 2, name: Two}]"
    (question,) = load_golden(write(tmp_path, f"- {{id: q, question: Why, {match} {entries}}}"))
    assert [(entry.path, entry.element, entry.answer) for entry in question.expected] == [
        ("1", "One", "One"),
        ("2", "Two", "Two"),
    ]
    assert len(question.groups) == groups


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "golden.yaml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidArgument, match="UTF-8"):
        load_golden(path)
    with pytest.raises(InvalidArgument, match="cannot be read"):
        load_golden(tmp_path / "missing.yaml")


def test_every_scalar_is_read_as_text(tmp_path: Path) -> None:
    (question,) = load_golden(write(tmp_path, "- {id: 1, question: true, kind: unanswerable}"))
    assert (question.question_id, question.question) == ("1", "true")


@pytest.mark.parametrize(
    ("expected", "native_id", "same"),
    [
        ("docs/a/b.md", "docs/a/b.md", True),
        ("docs/a/b.md", "a/b.md", True),
        ("a/b.md", "docs/a/b.md", True),
        ("docs/a/b.md", "docs/A/b.md", False),
        ("docs/aa/b.md", "a/b.md", False),
        ("docs/a/b.md", "docs/a", False),
    ],
)
def test_an_expected_page_matches_if_the_tree_was_added_from_another_level(
    expected: str, native_id: str, same: bool
) -> None:
    assert same_page(expected, native_id) is same


@given(st.text("ab/", max_size=8), st.text("ab/", max_size=8))
def test_page_comparison_is_symmetric(one: str, other: str) -> None:
    assert same_page(one, other) == same_page(other, one)
