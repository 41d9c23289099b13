"""The page of this server on which a person sees what was cited, in the text that it had."""

from urllib.parse import urlencode, urlsplit

from citemark.model.citation import Citation

_ENDPOINT = "/mcp"


def parts_of_page(citation: Citation) -> dict[str, str | int | None]:
    """What the address of the page of a citation consists of."""
    return {
        "source": citation.source,
        "document": citation.document_id,
        "revision": citation.revision_id,
        "start": citation.span.start,
        "end": citation.span.end,
    }


def page_of(citation: Citation) -> str:
    """The path of the page of a citation."""
    return f"/document?{urlencode(parts_of_page(citation))}"


def web_address(citation: Citation, resource: str | None) -> str:
    """Where a person opens a citation: the document's own address, or its page on this server, or "" for neither.

    Args:
        citation: what was cited.
        resource: the address of this server's MCP endpoint, if it has one that clients know.
    """
    if citation.url and urlsplit(citation.url).scheme in {"http", "https"}:
        return citation.url
    return "" if resource is None else resource.rstrip("/").removesuffix(_ENDPOINT) + page_of(citation)
