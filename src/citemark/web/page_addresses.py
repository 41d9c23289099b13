"""The addresses of pages that other pages lead to."""

from urllib.parse import urlencode

from citemark.model.citation import Citation
from citemark.results.cited_pages import page_of, parts_of_page


def address_of_document(source: str, document_id: str, revision: str | None = None) -> str:
    """The address of a document as it is now, or at one of its revisions."""
    given = {"source": source, "document": document_id, "revision": revision}
    return "/document?" + urlencode({name: value for name, value in given.items() if value is not None})


def address_of_changes(source: str, document_id: str, before: str, after: str) -> str:
    """The address of what two revisions of a document differ in."""
    return "/changes?" + urlencode({"source": source, "document": document_id, "before": before, "after": after})


def address_of_citation(citation: Citation) -> str:
    """The address of what was cited, in the text that it had."""
    return page_of(citation)


def parts_of(citation: Citation, *, quote: str | None = None, onward: int | None = None) -> str:
    """A citation in an address, with its words, or with the character that reading goes on at."""
    more = {name: value for name, value in (("quote", quote), ("from", onward)) if value is not None}
    return urlencode({**parts_of_page(citation), **more})
