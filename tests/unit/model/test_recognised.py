"""`model.recognised`: what of a text was read by OCR."""

import pytest

from citemark.model.recognised import (
    READ_BY_OCR,
    RecognisedPart,
    confidence_at,
    confidence_in_title,
    in_title,
    recognised_in,
    recognised_text,
)
from citemark.model.text import Span

PARTS = (RecognisedPart(Span(0, 120), 0.97), RecognisedPart(Span(300, 400), 0.5))


@pytest.mark.requirement("scans-are-marked")
def test_parts_come_out_of_metadata_as_they_went_into_it() -> None:
    assert recognised_text(PARTS) == "0-120 0.97, 300-400 0.50"
    assert recognised_in({READ_BY_OCR: recognised_text(PARTS)}) == PARTS
    assert recognised_in({}) == ()
    assert recognised_text(()) == ""


@pytest.mark.requirement("scans-are-marked")
def test_a_span_is_as_sure_as_the_least_sure_part_that_it_touches() -> None:
    assert confidence_at(PARTS, Span(119, 130)) == 0.97
    assert confidence_at(PARTS, Span(100, 301)) == 0.5
    assert confidence_at(PARTS, Span(120, 300)) is None
    assert confidence_at(PARTS, None) == 0.5
    assert confidence_at((), None) is None


@pytest.mark.requirement("scans-are-marked")
def test_the_title_of_a_section_tells_the_confidence() -> None:
    assert confidence_in_title(f"Plan > Page 2 ({in_title(0.934)})") == 0.93
    assert confidence_in_title("Page 2") is None
