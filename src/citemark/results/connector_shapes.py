"""Results in the shapes that ChatGPT's connectors and deep research document: hits with an id, and one document."""

from typing import TYPE_CHECKING, Any

from citemark.model.citation import Anchor, Citation
from citemark.model.text import Span, lines_of
from citemark.results.cited_pages import web_address
from citemark.results.common_parts import MAX_TITLE_CHARS, line_numbers, short
from citemark.results.shape import Strict
from citemark.services.printed_citations import id_of
from citemark.text.citation_line import line_of

if TYPE_CHECKING:
    from citemark.evidence.excerpt import Cut
    from citemark.services.reopening import ReadDocument
    from citemark.services.responses import SearchPage


class ConnectorHitOut(Strict):
    """One passage; `url` is "" if nothing opens it."""

    id: str
    title: str
    url: str


class ConnectorSearchOut(Strict):
    """Result of search. `notes` say why nothing was found, or what may be missing, if there is something to say."""

    results: list[ConnectorHitOut]
    notes: list[str] | None = None


class FetchOut(Strict):
    """Result of fetch."""

    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, str]


def connector_search_out(page: "SearchPage", resource: str | None) -> ConnectorSearchOut:
    """The hits of a page. `resource`: the address of this server, if clients know one."""
    results = [
        ConnectorHitOut(
            id=id_of(hit.citation),
            title=short(hit.title, MAX_TITLE_CHARS),
            url=web_address(hit.citation, resource),
        )
        for hit in page.hits
    ]
    meta = page.meta
    reasons = (meta.reading.line, *meta.first_lines, *meta.notes, meta.empty.text if meta.empty else "")
    notes = [reason for reason in reasons if reason]
    return ConnectorSearchOut(results=results, notes=notes) if notes else ConnectorSearchOut(results=results)


def fetch_out(given: str, document: "ReadDocument", cut: "Cut", resource: str | None) -> FetchOut:
    """A document, or a part of it with the ids under which the rest is read.

    Args:
        given: the id that was asked for.
        document: what it refers to.
        cut: the part of its text that is shown.
        resource: the address of this server, if clients know one.
    """
    shown = _part(document, Span(cut.start_char, cut.end_char))
    metadata = {
        "source": shown.source,
        "document": shown.document_id,
        "revision": shown.revision_id,
        "citation": line_of(shown),
        **_ways_on(document, cut),
    }
    if document.superseded:
        metadata["superseded"] = "The document has changed since, or is gone; search finds what it says now."
    return FetchOut(
        id=given,
        title=short(shown.title, MAX_TITLE_CHARS),
        text=cut.text,
        url=web_address(shown, resource),
        metadata=metadata,
    )


def _ways_on(document: "ReadDocument", cut: "Cut") -> dict[str, str]:
    """How to read what is not shown; nothing for a whole document."""
    length = len(document.body)
    ways: dict[str, str] = {}
    steps: list[str] = []
    if cut.end_char < length:
        ways["next_id"] = id_of(_part(document, Span(cut.end_char, length), by_lines=False))
        steps.append("It goes on: call fetch with next_id.")
    if cut.start_char > 0:
        ways["first_id"] = id_of(_part(document, Span(0, cut.start_char), by_lines=False))
        steps.append("It begins earlier: call fetch with first_id.")
    if ways:
        lines = lines_of(document.body, Span(cut.start_char, cut.end_char))
        whole = lines_of(document.body, Span(0, length))
        ways["read_on"] = f"This is lines {line_numbers(lines)} of {whole.end}. {' '.join(steps)}"
    return ways


def _part(document: "ReadDocument", span: Span, *, by_lines: bool = True) -> Citation:
    """The citation of a part of a document; its line counts characters where reading goes on inside of a line."""
    cited = document.citation
    changed: dict[str, Any] = {
        "document_id": document.page_id,
        "span": span,
        "anchor": Anchor(lines=lines_of(document.body, span) if by_lines else None, chars=span),
    }
    return Citation(
        source=cited.source,
        doc_type=cited.doc_type,
        revision_id=cited.revision_id,
        baseline_id=cited.baseline_id,
        as_of=cited.as_of,
        title=cited.title,
        url=cited.url,
        dated=cited.dated,
        **changed,
    )
