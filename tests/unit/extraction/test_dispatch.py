"""Files that hold nothing at all."""

import pytest

from citemark.extraction.dispatch import read_file, title_of
from citemark.extraction.sandbox.pool import ParserPool
from citemark.model.errors import SkippableSourceError


@pytest.mark.parametrize("name", ["a.pdf", "a.docx", "a.xlsx", "a.odt", "a.html", "a.eml"])
async def test_an_empty_document_is_called_empty(name: str, parsers: ParserPool) -> None:
    with pytest.raises(SkippableSourceError, match="is empty"):
        await read_file(name, b"", parsers)


async def test_an_empty_page_of_text_is_a_page(parsers: ParserPool) -> None:
    assert (await read_file("notes/empty.md", b"", parsers)).title == "empty"


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("Daily/2026-03-01.md", "2026-03-01"),
        ("minutes-2026-03-01_board.md", "minutes 2026-03-01 board"),
        ("ISO-27001-audit.txt", "ISO 27001 audit"),
        ("heat-pumps/README.md", "heat pumps"),
        ("--.md", "--.md"),
    ],
)
def test_a_file_without_a_title_is_called_by_its_name_in_words(path: str, title: str) -> None:
    assert title_of(path) == title
