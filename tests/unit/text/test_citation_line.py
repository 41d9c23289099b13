"""Printed citations are read back."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from citemark.model.citation import Anchor, Citation
from citemark.model.text import Lines, Span
from citemark.text.citation_line import CitedPlace, line_of, printed_places

CITATION = Citation(
    source="docs",
    doc_type="page",
    document_id="a, b: c.md",
    revision_id="17",
    baseline_id=None,
    as_of=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    anchor=Anchor("oil", Lines(3, 5), Span(10, 20)),
    span=Span(10, 20),
    title="Oil",
    url=None,
)


@pytest.mark.requirement("open-what-was-printed")
@pytest.mark.parametrize("around", ["{}", "[{}]", "   [{}]", "[1] Oil: all of it ({})", "[before: {}]"])
@pytest.mark.parametrize("dated", ["", "2024-05-06"])
@pytest.mark.parametrize("baseline", [None, "release 1, final"])
def test_a_printed_citation_is_read_back_whatever_stands_around_it(
    around: str, dated: str, baseline: str | None
) -> None:
    printed = line_of(replace(CITATION, dated=dated, baseline_id=baseline))
    found = list(printed_places(around.format(printed)))
    assert CitedPlace("docs", "a, b: c.md#oil", "17", Lines(3, 5), None) in found
    assert CitedPlace("docs", "a, b: c.md", "17", Lines(3, 5), None) in found


@pytest.mark.requirement("open-what-was-printed")
@pytest.mark.parametrize(
    ("printed", "place"),
    [
        ("(d: a.md, lines 4-6, 9, revision 2; passage_id abc)", CitedPlace("d", "a.md", "2", Lines(4, 9), None)),
        (
            "(d: a.md, line 4, dated 2024-01-02, revision 2; passage_id a)",
            CitedPlace("d", "a.md", "2", Lines(4, 4), None),
        ),
        ("d: a.md, characters 4-9, revision 2", CitedPlace("d", "a.md", "2", None, Span(4, 9))),
        ('n: 12 "Oil, "new""#x, line 1, revision 2', CitedPlace("n", "12", "2", Lines(1, 1), None)),
        ('n: 12 "Oil", line 1, revision 2', CitedPlace("n", "12", "2", Lines(1, 1), None)),
        ("d: a.md, line 3", CitedPlace("d", "a.md", None, Lines(3, 3), None)),
        ("(d: a.md, lines 4-6, 9; p_0123456789)", CitedPlace("d", "a.md", None, Lines(4, 9), None)),
        ("(d: 7, line 4, past: 2026-01-30T09:00; p_0123456789)", CitedPlace("d", "7", None, Lines(4, 4), None)),
        ("(d: a.md, line 4, dated 2024-01-02; p_0123456789)", CitedPlace("d", "a.md", None, Lines(4, 4), None)),
    ],
)
def test_the_lines_of_tools_are_read_too(printed: str, place: CitedPlace) -> None:
    assert place in list(printed_places(printed))


def test_a_sentence_is_no_citation() -> None:
    assert not list(printed_places("See also: the axle, greased on line two."))
