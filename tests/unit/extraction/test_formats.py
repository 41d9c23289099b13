"""A file is read by what it is: its suffix, unless its first bytes say otherwise."""

import re

import pytest

from citemark.extraction.formats import FOREIGN, FORMATS, SUFFIXES, format_of
from citemark.model.errors import SkippableSourceError


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
        ("a.pptx", b"PK\x03\x04 word/document.xml packed into ppt/presentation.xml", "pptx"),
        ("a.doc", b"PK\x03\x04 word/document.xml", "docx"),
        ("a.xls", b"<html xmlns:x='urn:office:excel'><table>", "html"),
        ("a.docx", bytes.fromhex("d0cf11e0a1b11ae1"), "docx"),
        ("a.txt", b"%PDF-1.4 and so on", "pdf"),
        ("a.md", b"<!-- saved from url=(0014)about:internet -->\n<!DOCTYPE html>", "html"),
        ("a.xhtml", b"<?xml version='1.0'?><html>", "html"),
        ("a.mht", b"From: <Saved by Blink>", "mhtml"),
        ("cur/1700.M1P2.host:2,S", b"Received: x\nFrom: a\nTo: b\nDate: c\n\nwords", "mail"),
        ("a.ods", b"PK\x03\x04..mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "odt"),
        ("a.pdf", b"\n <!DOCTYPE html><p>an error page that was saved as a PDF", "html"),
    ],
)
def test_suffix_and_first_bytes_name_the_format(path: str, data: bytes, name: str) -> None:
    found = format_of(path, data)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("a.md", b"# Head\n\n<html> is a tag"),
        ("a.txt", b"From: a\nTo: b\nDate: c\nSubject: d\n\nwords"),
        ("notes", b"From: here\nTo: there\n"),
        ("a.rst", b"<b>bold</b>"),
        ("html", b"words"),
    ],
)
def test_plain_text_needs_no_parser_of_a_format(path: str, data: bytes) -> None:
    assert format_of(path, data) is None


@pytest.mark.timeout(10)
def test_comments_without_end_at_the_top_of_a_file_cost_linear_time() -> None:
    comments = b"<!---->" * 500
    assert format_of("a.md", comments + b"words") is None
    found = format_of("a.md", comments + b"\n<html>")
    assert found is not None
    assert found.name == "html"


OLD = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(99)


@pytest.mark.requirement("zip-bombs-and-broken-files-reported")
@pytest.mark.parametrize(
    ("path", "data", "said"),
    [
        ("a.doc", OLD, "before 2007; save it as .docx"),
        ("a.xls", OLD, "before 2007"),
        ("a.msg", OLD, "save the message as .eml"),
        ("a.rtf", b"{\\rtf1 words}", "RTF"),
        ("a.doc", b"{\\rtf1 words}", "RTF"),
        ("a.mbox", b"From a@b\nFrom: a\n", "one .eml file each"),
        ("a.pages", b"PK\x03\x04 Index/Document.iwa", "zip archive"),
        ("a.txt", b"PK\x03\x04 anything", "unpack it"),
    ],
)
def test_documents_that_are_not_read_are_named_with_what_to_do(path: str, data: bytes, said: str) -> None:
    with pytest.raises(SkippableSourceError, match=re.escape(said)):
        format_of(path, data)


def test_every_format_has_its_reader_and_suffixes_of_its_own() -> None:
    assert all(callable(each.load()) for each in FORMATS)
    assert len(SUFFIXES) == sum(len(each.suffixes) for each in FORMATS) + len(FOREIGN)
