"""Which files text recognition has a part in, where a source asks for it."""

import pytest

from citemark.extraction.dispatch import READER_VERSIONS, readers_of_name
from citemark.extraction.text_recognition import OCR, TESSERACT, TextRecognition, asks_for_ocr
from citemark.model.errors import ConfigurationError
from citemark.model.readers import TextVersion


@pytest.mark.requirement("scans-are-asked-for")
@pytest.mark.parametrize(
    ("name", "plain", "asked"),
    [
        ("plan.PDF", ("pdf",), ("pdf", OCR, TESSERACT)),
        ("letter.eml", ("mail", "html", "icalendar"), ("mail", "html", "icalendar", OCR, TESSERACT)),
        ("scan.jpg", ("code",), (OCR, TESSERACT)),
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
    recognition = TextRecognition()
    assert recognition.versions(READER_VERSIONS, asked=False) == READER_VERSIONS
    added = recognition.versions(READER_VERSIONS, asked=True).keys() - READER_VERSIONS.keys()
    assert added == ({recognition.reader} if recognition.is_installed else set())


@pytest.mark.requirement("scans-by-tesseract")
def test_scans_are_read_again_by_another_program_and_kept_where_none_is_left() -> None:
    names = readers_of_name("scan.png", ocr=True)
    by_packages, by_program = (TextVersion.of(1, names, {reader: 1}) for reader in (OCR, TESSERACT))
    assert not by_packages.covers(by_program)
    assert not by_program.covers(by_packages)
    assert by_program.covers(TextVersion.of(1, names, {}))


@pytest.mark.requirement("scans-are-asked-for")
def test_a_source_asks_for_it_with_true_and_with_nothing_else() -> None:
    assert [asks_for_ocr(config) for config in ({}, {"ocr": False}, {"ocr": True})] == [False, False, True]
    with pytest.raises(ConfigurationError, match="true or false, not 'yes'"):
        asks_for_ocr({"ocr": "yes"})
