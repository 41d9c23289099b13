"""A question that names several things has sides, and a passage is on one of them."""

import pytest

from citemark.model.candidates import PageNames
from citemark.retrieval.sides import page_parts, sides_of

PAGES = (
    page_parts(PageNames("spec/2025-03-26/changes.md", "Changes"), "docs"),
    page_parts(PageNames("spec/2025-06-18/changes.md", "Changes"), "docs"),
    page_parts(PageNames("registry/intro.md", "Staging", ("eu",)), "wiki"),
    page_parts(PageNames("server/intro.md", "Production", ("eu", "us")), "handbook"),
    page_parts(PageNames("minutes/2026-03-03.md", "Minutes"), "docs"),
    page_parts(PageNames("minutes/2026-03-10.md", "Minutes"), "docs"),
)


def sides(*phrasings: str) -> list[str]:
    return sides_of(phrasings, PAGES)


@pytest.mark.requirement("both-sides")
@pytest.mark.parametrize(
    ("phrasings", "expected"),
    [
        (["What changed between 2025-03-26 and 2025-06-18?"], ["2025-03-26", "2025-06-18", "", "", "", ""]),
        (["What changed?", "new in 2025-06-18", "old in 2025-03-26"], ["2025-03-26", "2025-06-18", "", "", "", ""]),
        (["Is staging or production faster?"], ["", "", "Staging", "Production", "", ""]),
        (["Do the wiki and the handbook agree?"], ["", "", "wiki", "handbook", "", ""]),
        (["the minutes of 3 March 2026 and of 10.03.2026"], ["", "", "", "", "2026-03-03", "2026-03-10"]),
        (["What is new in 2025-06-18?"], [""] * 6),
        (["What does the registry do when it takes a server down, and who does it?"], [""] * 6),
        (["eu and us"], ["", "", "eu", "", "", ""]),
        (["nothing of this"], [""] * 6),
    ],
)
def test_sides_are_rival_values_that_are_set_against_each_other(phrasings: list[str], expected: list[str]) -> None:
    assert sides(*phrasings) == expected


def test_without_passages_there_are_no_sides() -> None:
    assert sides_of(["a or b"], []) == []
    assert sides_of(["a or b"], [[]]) == [""]
