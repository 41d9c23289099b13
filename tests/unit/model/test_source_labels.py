"""`model.source_labels`: the labels of a source as one value."""

from dataclasses import fields

import pytest

from citemark.model.source_labels import LabelChange, SourceLabels

ALL = SourceLabels(("ops", "pumps"), "default", "prod", "git.example/works")


@pytest.mark.requirement("labels-are-one-value")
def test_labels_come_out_of_a_row_as_they_went_into_it() -> None:
    row = {**ALL.data(), "name": "manual", "kind": "docs"}
    assert row["tags"] == ["ops", "pumps"]
    assert SourceLabels.of_row(row) == ALL


def test_a_label_that_is_not_set_is_taken_from_the_other_value() -> None:
    assert SourceLabels(environment="test").or_else(ALL) == SourceLabels(ALL.tags, "default", "test", ALL.repository)
    assert ALL.or_else(SourceLabels(("other",), "p")) == ALL


def test_a_change_leaves_what_it_does_not_name_and_removes_what_it_empties() -> None:
    assert LabelChange().of(ALL) == ALL
    assert LabelChange((), environment="", repository="new").of(ALL) == SourceLabels((), "default", None, "new")


def test_every_label_can_be_changed() -> None:
    assert [each.name for each in fields(LabelChange)] == list(SourceLabels.names())
