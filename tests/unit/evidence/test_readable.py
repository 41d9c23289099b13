"""A quote as a reader sees it: fences closed, the header of its table above it, a mark where a sentence is cut."""

import pytest

from citemark.evidence.readable import readable


@pytest.mark.requirement("i9-8-whole")
def test_a_cut_sentence_has_a_mark_on_the_side_where_it_is_cut() -> None:
    assert readable("the valve opens", cut="start") == "[…] the valve opens"
    assert readable("The valve", cut="end") == "The valve […]"
    assert readable("valve", cut="both") == "[…] valve […]"
    assert readable("The valve opens.") == "The valve opens."


@pytest.mark.requirement("i9-8-fences")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Text.\n```py\na = 1", "Text.\n```py\na = 1\n```"),
        ("a = 1\n```\n\nText.", "```\na = 1\n```\n\nText."),
        ("```py\na = 1\n```", "```py\na = 1\n```"),
        ("~~~~\na = 1", "~~~~\na = 1\n~~~~"),
        ("No code.", "No code."),
    ],
)
def test_fences_that_a_quote_opens_or_closes_are_whole(words: str, expected: str) -> None:
    assert readable(words) == expected


@pytest.mark.requirement("i9-10-tables")
def test_rows_stand_below_the_header_of_their_table() -> None:
    assert readable("| V1 | 1 bar |", "| valve | opens at |") == "| valve | opens at |\n| V1 | 1 bar |"
