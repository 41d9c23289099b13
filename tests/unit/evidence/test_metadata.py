"""The properties of a page are told from what it says."""

import pytest

from citemark.evidence.metadata import names_a_key, property_keys

TABLE = "| Field | Value |\n| --- | --- |\n| **Status** | Final |\n| **Created** | 2025-10-29 |"


@pytest.mark.requirement("front-matter-is-no-evidence")
@pytest.mark.parametrize(
    ("text", "keys"),
    [
        (TABLE, ("Status", "Created")),
        ("|  |  |\n|---|---|\n| Owner | Ines |", ("Owner",)),
        ("| Fact | Told |\n|---|---|\n| **Owner** | Ines |", ("Owner",)),
        ("status: final\nowner: Ines", ("status", "owner")),
        ("| valve | opens at |\n|---|---|\n| V1 | 3 bar |", ()),
        ("| a | b | c |\n|---|---|---|\n| d | e | f |", ()),
        ("| **Status** | Final |", ("Status",)),
        (f"Prose before it.\n\n{TABLE}", ()),
        ("Prose alone.", ()),
        ("# Only a heading", ()),
    ],
)
def test_a_passage_of_properties_has_keys(text: str, keys: tuple[str, ...]) -> None:
    assert property_keys(text) == keys


def test_a_question_may_ask_for_a_property() -> None:
    assert names_a_key(["Which pumps exist?", "the status of the pump"], ["Status", "Created"])
    assert not names_a_key(["Which pumps exist?"], ["Status", "Created"])
