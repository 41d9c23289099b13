"""A file is read by what it is: its suffix, unless its first bytes say otherwise."""

import pytest

from citemark.extraction.formats import FORMATS, SUFFIXES, format_of


@pytest.mark.parametrize(
    ("path", "data", "name"),
    [
        ("a.html", b"<p>x", "html"),
        ("A.HTM", b"<p>x", "html"),
        ("a.pdf", b"%PDF-1.7", "pdf"),
        ("a.eml", b"From: a@b", "mail"),
        ("a.html", b"%PDF-1.4 and so on", "pdf"),
        ("a.docx", b"PK\x03\x04...word/document.xml...", "docx"),
        ("a.docx", b"PK\x03\x04...xl/workbook.xml...", "xlsx"),
        ("a.pptx", b"PK\x03\x04 and nothing that tells", "pptx"),
        ("a.ods", b"PK\x03\x04..mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "odt"),
        ("a.pdf", b"\n <!DOCTYPE html><p>an error page that was saved as a PDF", "html"),
    ],
)
def test_suffix_and_first_bytes_name_the_format(path: str, data: bytes, name: str) -> None:
    found = format_of(path, data)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize("path", ["a.md", "a.txt", "notes", "a.rst", "html", ".html"])
def test_plain_text_is_parsed_by_nobody_else(path: str) -> None:
    assert format_of(path, b"<!doctype html>") is None


def test_every_format_has_its_reader_and_suffixes_of_its_own() -> None:
    assert all(callable(each.load()) for each in FORMATS)
    assert len(SUFFIXES) == sum(len(each.suffixes) for each in FORMATS)
