import pytest

from citemark.extraction.ocr.scans import document_of_pictures
from citemark.extraction.pdf.document import PageContent
from citemark.extraction.pdf.lines import PdfRun
from citemark.extraction.pdf.recognised_page import RecognisedPage
from citemark.model.errors import SkippableSourceError

BLANK = PageContent(height=2339.0)
UNREAD = PageContent(unrecognised=True)


def with_words(words: str) -> PageContent:
    return BLANK.with_recognised(RecognisedPage((PdfRun(words, 200, 2000, 900, 2030, 30),), 2339.0, 0.9))


@pytest.mark.requirement("every-page-of-a-picture-is-told")
def test_pages_of_a_picture_that_were_not_recognised_are_counted() -> None:
    found = document_of_pictures([with_words("The pump is serviced in May."), BLANK, UNREAD, UNREAD], "Fax")
    assert "The pump is serviced in May." in found.body
    assert {part.kind: part.count for part in found.left_out} == {"page not recognised": 2}


@pytest.mark.parametrize(
    ("pages", "told"),
    [
        ([BLANK], "The picture shows no text"),
        ([BLANK] * 200 + [UNREAD], "The first 200 pages of the picture show no text"),
        ([UNREAD] * 201, "Text recognition failed"),
    ],
    ids=["blank", "blank as far as it was recognised", "given up"],
)
def test_a_picture_without_text_is_refused_with_what_is_known_of_it(pages: list[PageContent], told: str) -> None:
    with pytest.raises(SkippableSourceError, match=told):
        document_of_pictures(pages, "Fax")
