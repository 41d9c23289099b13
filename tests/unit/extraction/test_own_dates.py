"""Dates in a file's properties that are not the file's own."""

import io
from datetime import UTC, datetime

import docx
import pptx
import pytest

from citemark.extraction.docx.document import extract_docx
from citemark.extraction.own_dates import own_dates
from citemark.extraction.pptx import extract_pptx


@pytest.mark.requirement("dates-are-the-files-own")
@pytest.mark.parametrize(
    ("created", "modified", "left"),
    [
        ("2024-03-05T10:00:00Z", "2025-04-06T10:00:00Z", {"created": "2024-03-05", "modified": "2025-04-06"}),
        ("2013-12-23T23:15:00Z", "2013-12-23T23:15:00Z", {}),
        ("2013-01-27T09:14:16", "2013-01-27T09:15:58", {}),
        ("2006-09-16T00:00:00Z", "2025-04-06T10:00:00Z", {"modified": "2025-04-06"}),
        ("2009-04-16T11:32:48.39", "", {}),
        ("2024-03-05", "2013-12-23T23:15:00Z", {"created": "2024-03-05"}),
        ("1970-01-01T00:00:00Z", "1980-01-01", {}),
        ("1601-01-01T00:00:00Z", "", {}),
        ("2025-04-06", "2024-03-05", {}),
        ("2024", "2024-03-05", {"created": "2024", "modified": "2024-03-05"}),
        ("2013-12-23", "", {"created": "2013-12-23"}),
        (datetime(2024, 3, 5, tzinfo=UTC), None, {"created": "2024-03-05"}),
    ],
)
def test_a_date_that_cannot_be_the_files_own_is_left_out(
    created: datetime | str, modified: datetime | str | None, left: dict[str, str]
) -> None:
    assert own_dates(created, modified) == left


@pytest.mark.requirement("dates-are-the-files-own")
def test_files_made_of_a_librarys_empty_document_state_no_date() -> None:
    document, presentation = docx.Document(), pptx.Presentation()
    document.add_paragraph("The pump is serviced in May.")
    slide = presentation.slides.add_slide(presentation.slide_layouts[5])
    slide.shapes.title.text = "The pump"  # pyright: ignore[reportOptionalMemberAccess]
    for extract, file in ((extract_docx, document), (extract_pptx, presentation)):
        stored = io.BytesIO()
        file.save(stored)
        assert not {"created", "modified"} & set(extract(stored.getvalue(), fallback_title="a").metadata)
