"""What is only in the look of a text is written down: its place, and whether it is struck out."""

import pytest

from citemark.extraction.builder import inline
from citemark.extraction.text_runs import Look, TextRun

UP, DOWN, GONE = Look(1), Look(-1), Look(struck=True)


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        ([TextRun("holds 10"), TextRun("6", "", UP), TextRun(" litres")], "holds 10⁶ litres"),
        ([TextRun("10"), TextRun("1", "", UP), TextRun("2", "", UP)], "10¹²"),
        ([TextRun("CO"), TextRun("2", "", DOWN), TextRun(".")], "CO₂."),
        ([TextRun("15"), TextRun("1", "#fn1", UP), TextRun("2", "#fn2", UP)], "15[1][2]"),
        ([TextRun("15"), TextRun("1", "a.md", UP), TextRun("2", "b.md", UP)], "15¹ ²"),
        ([TextRun("V"), TextRun("max", "", DOWN)], "V_(max)"),
        ([TextRun("is "), TextRun("not ", "", GONE), TextRun("open")], "is ~~not~~ open"),
        ([TextRun(" a ", "", GONE), TextRun("b", "x.md", GONE), TextRun("c")], "~~a b~~c"),
        ([TextRun("10", "", GONE), TextRun("6", "", Look(1, struck=True)), TextRun(" l")], "~~10⁶~~ l"),
        ([TextRun("a"), TextRun("  ", "", GONE), TextRun("b")], "a b"),
    ],
)
def test_runs_are_written_with_what_their_look_says(runs: list[TextRun], text: str) -> None:
    assert inline(runs).text == text


def test_the_link_of_a_struck_word_spans_the_word_and_not_its_marks() -> None:
    written = inline([TextRun("see "), TextRun("old page", "old.md", GONE)])
    assert [(link.span.of(written.text), link.text) for link in written.links] == [("old page", "old page")]


def test_a_code_without_a_character_is_seen() -> None:
    assert inline("a\ud800b\ufffec").text == "a\ufffdb\ufffdc"
