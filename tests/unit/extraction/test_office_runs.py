"""Texts beside the pages of office files: their figures keep their place, and their words their marks."""

import pytest

from citemark.extraction.office import parse_xml
from citemark.extraction.office_runs import words_in


@pytest.mark.requirement("raised-figures-stay-apart", "struck-words-are-marked")
@pytest.mark.parametrize(
    ("properties", "words"),
    [
        ('<rPr><vertAlign val="superscript"/></rPr>', "holds 10⁶ l"),
        ('<rPr baseline="30000"/>', "holds 10⁶ l"),
        ('<rPr baseline="-25000"/>', "holds 10₆ l"),
        ("<rPr><strike/></rPr>", "holds 10~~6~~ l"),
        ('<rPr strike="sngStrike"/>', "holds 10~~6~~ l"),
        ('<rPr strike="noStrike" baseline="0"/>', "holds 106 l"),
        ("", "holds 106 l"),
    ],
)
def test_the_look_of_a_run_is_written(properties: str, words: str) -> None:
    node = parse_xml(
        f"<text><r><t>holds 10</t></r><r>{properties}<t>6</t></r><r><t xml:space='preserve'> l</t></r></text>".encode()
    )
    assert words_in(node) == words


def test_paragraphs_are_parted_and_phonetic_hints_left_out() -> None:
    first, second = "<p><r><t>one</t></r></p>", "<p><r><t>two</t></r><rPh><t>tu</t></rPh></p>"
    assert words_in(parse_xml(f"<body>{first}{second}</body>".encode())) == "one two"
