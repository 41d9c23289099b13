"""Which files text recognition has a part in, where a source asks for it."""

import pytest

from citemark.extraction.dispatch import READER_VERSIONS, readers_of_name
from citemark.extraction.ocr.availability import OCR, asks_for_ocr, is_installed, versions_with_ocr
from citemark.model.errors import ConfigurationError


@pytest.mark.requirement("scans-are-asked-for")
@pytest.mark.parametrize(
    ("name", "plain", "asked"),
    [
        ("plan.PDF", ("pdf",), ("pdf", OCR)),
        ("letter.eml", ("mail", "html", "icalendar"), ("mail", "html", "icalendar", OCR)),
        ("scan.jpg", ("code",), (OCR,)),
        ("notes.md", ("markdown",), ("markdown",)),
    ],
)
def test_recognition_has_a_part_in_pages_and_pictures_where_it_is_asked_for(
    name: str, plain: tuple[str, ...], asked: tuple[str, ...]
) -> None:
    assert readers_of_name(name) == plain
    assert readers_of_name(name, ocr=True) == asked


@pytest.mark.requirement("scans-are-asked-for")
def test_a_version_of_recognition_is_told_only_where_it_is_asked_for_and_installed() -> None:
    assert versions_with_ocr(READER_VERSIONS, asked=False) == READER_VERSIONS
    assert (OCR in versions_with_ocr(READER_VERSIONS, asked=True)) is is_installed()


@pytest.mark.requirement("scans-are-asked-for")
def test_a_source_asks_for_it_with_true_and_with_nothing_else() -> None:
    assert [asks_for_ocr(config) for config in ({}, {"ocr": False}, {"ocr": True})] == [False, False, True]
    with pytest.raises(ConfigurationError, match="true or false, not 'yes'"):
        asks_for_ocr({"ocr": "yes"})
