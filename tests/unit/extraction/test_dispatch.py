"""Files that hold nothing at all."""

import pytest

from citemark.extraction.dispatch import read_file
from citemark.extraction.sandbox.pool import ParserPool
from citemark.model.errors import SkippableSourceError


@pytest.mark.parametrize("name", ["a.pdf", "a.docx", "a.xlsx", "a.odt", "a.html", "a.eml"])
async def test_an_empty_document_is_called_empty(name: str, parsers: ParserPool) -> None:
    with pytest.raises(SkippableSourceError, match="is empty"):
        await read_file(name, b"", parsers)


async def test_an_empty_page_of_text_is_a_page(parsers: ParserPool) -> None:
    assert (await read_file("notes/empty.md", b"", parsers)).title == "empty"
