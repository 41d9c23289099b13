"""What is shown of a document: long ones in parts, verdicts in sentences."""

import pytest

from citemark.model.text import Span
from citemark.web.document_page import part_shown

LINES = "".join(f"Line {number} of the record says nothing much about anything.\n" for number in range(4000))


def test_a_document_of_usual_length_is_shown_whole() -> None:
    body = LINES[:70_000]
    assert part_shown(body, Span(60_000, 60_010), None) == Span(0, 70_000)


@pytest.mark.requirement("page-long-documents")
def test_a_long_document_is_shown_in_whole_lines_around_what_was_cited() -> None:
    cited = Span(150_000, 150_100)
    part = part_shown(LINES, cited, None)
    assert part.start < cited.start < cited.end < part.end
    assert len(part.of(LINES)) < 70_000
    assert part.of(LINES).startswith("Line ")
    assert part.of(LINES).endswith("anything.\n")


@pytest.mark.requirement("page-long-documents")
def test_parts_lead_from_one_end_of_a_document_to_the_other() -> None:
    at, read = 0, ""
    while at < len(LINES):
        part = part_shown(LINES, Span(5, 9), at)
        assert part.start == at
        read += part.of(LINES)
        at = part.end
    assert read == LINES


@pytest.mark.requirement("page-long-documents")
def test_a_document_of_one_line_and_a_long_citation_are_shown_too() -> None:
    body = "x" * 500_000
    part = part_shown(body, Span(250_000, 250_010), None)
    assert part.start < 250_000
    assert part.end > 250_010
    assert part.end - part.start < 80_000
    assert part_shown(body, Span(100_000, 400_000), None).end == 400_000
    assert part_shown(body, None, 600_000) == Span(500_000, 500_000)
