"""`model.source_labels`: the labels of a source as one value."""

from dataclasses import fields, replace

import pytest

from citemark.model.errors import InvalidArgument
from citemark.model.source_labels import LONGEST_NOTE, LabelChange, SourceLabels, note_of

ALL = SourceLabels(("ops", "pumps"), "default", "prod", "git.example/works", "The rules of the works")


@pytest.mark.requirement("labels-are-one-value")
def test_labels_come_out_of_a_row_as_they_went_into_it() -> None:
    row = {**ALL.data(), "name": "manual", "kind": "docs"}
    assert row["tags"] == ["ops", "pumps"]
    assert SourceLabels.of_row(row) == ALL


def test_a_label_that_is_not_set_is_taken_from_the_other_value() -> None:
    assert SourceLabels(environment="test").or_else(ALL) == replace(ALL, environment="test")
    assert ALL.or_else(SourceLabels(("other",), "p")) == ALL


def test_a_change_leaves_what_it_does_not_name_and_removes_what_it_empties() -> None:
    assert LabelChange().of(ALL) == ALL
    assert LabelChange((), environment="", repository="new", about="").of(ALL) == SourceLabels(
        (), "default", None, "new"
    )


def test_every_label_can_be_changed() -> None:
    assert [each.name for each in fields(LabelChange)] == list(SourceLabels.names())


@pytest.mark.requirement("sources-carry-a-note")
def test_a_note_is_one_line_of_a_limited_length() -> None:
    assert note_of(" Rules of the works.\n\tAsk them first.\u2028") == "Rules of the works. Ask them first."
    assert note_of(" \n ") == ""
    assert note_of("x" * LONGEST_NOTE) == "x" * LONGEST_NOTE
    with pytest.raises(InvalidArgument, match="at most 300 characters, and this one has 301"):
        note_of("x" * (LONGEST_NOTE + 1))
