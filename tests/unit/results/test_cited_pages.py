"""Where a person opens what was cited."""

from datetime import UTC, datetime

import pytest

from citemark.model.citation import Anchor, Citation
from citemark.model.text import Span
from citemark.results.cited_pages import web_address
from citemark.web.page_addresses import address_of_citation

RESOURCE = "https://citemark.example/mcp"


def citation(url: str | None) -> Citation:
    span = Span(0, 9)
    return Citation(
        "docs", "docs_page", "a b.md", "7", None, datetime(2026, 1, 31, tzinfo=UTC), Anchor(), span, "A", url
    )


@pytest.mark.requirement("search-and-fetch-shapes")
def test_the_documents_own_address_comes_first_then_its_page_here_then_none() -> None:
    page = "/document?source=docs&document=a+b.md&revision=7&start=0&end=9"
    assert address_of_citation(citation(None)) == page
    for resource in (RESOURCE, RESOURCE + "/", "https://citemark.example"):
        assert web_address(citation(None), resource) == f"https://citemark.example{page}"
        assert web_address(citation("file:///home/me/a.md"), resource) == f"https://citemark.example{page}"
        assert web_address(citation("https://wiki.example/a"), resource) == "https://wiki.example/a"
    assert web_address(citation(None), None) == web_address(citation("file:///home/me/a.md"), None) == ""
