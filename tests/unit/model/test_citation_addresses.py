"""An address opens a document at the part that is meant, where its viewers know how."""

import pytest

from citemark.model.citation import address_of

DOCS = "https://a.example/docs"


@pytest.mark.requirement("citations-open-in-every-format")
@pytest.mark.parametrize(
    ("native_id", "slug", "added"),
    [
        ("a.pdf", "page-12", "#page=12"),
        ("a.PDF", "page-3", "#page=3"),
        ("a.pdf", None, ""),
        ("a.pdf", "elsewhere", ""),
        ("a.html", "top/conf", "#conf"),
        ("a.htm", "Übersicht", "#%C3%9Cbersicht"),
        ("a.html", "top/conf~2", ""),
        ("a.docx", "top/conf", ""),
        ("a.md", "top/conf", ""),
    ],
)
def test_a_section_opens_where_it_is(native_id: str, slug: str | None, added: str) -> None:
    assert address_of(f"{DOCS}/{native_id}", native_id, slug) == f"{DOCS}/{native_id}{added}"


def test_a_document_without_a_published_address_or_with_a_fragment_stays_unchanged() -> None:
    assert address_of(None, "a.pdf", "page-1") is None
    assert address_of(f"{DOCS}#a", "a.html", "conf") == f"{DOCS}#a"
