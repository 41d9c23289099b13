"""The app that shows a document at the place that an excerpt was read from."""

from typing import TYPE_CHECKING, Any

from citemark.model.text import Span
from citemark.services.requests import CitationRef
from citemark.tools.app_parts import browsed
from citemark.tools.registry import HostApp

if TYPE_CHECKING:
    from collections.abc import Mapping

    from citemark.results.excerpts import ExcerptOut
    from citemark.tools.registry import ToolCall

_AROUND = 1_500
"""Characters of a document on either side of an excerpt: what a frame shows without much scrolling."""


async def _shown(call: "ToolCall", out: "ExcerptOut") -> "Mapping[str, Any] | None":
    """The document in the text that was cited, with the excerpt marked; None if the excerpt was asked for uncited."""
    cited = out.citation
    if cited is None:
        return None
    from citemark.text.citation_line import line_of  # noqa: PLC0415 - the lists of a server show no document

    ref = CitationRef(cited.source, cited.document_id, cited.revision_id, cited.span.start, cited.span.end)
    opened = await call.services.reopening.document(call.caller, ref)
    body, span = opened.body, opened.citation.span
    part = _around(body, span)
    return {
        "source": opened.citation.source,
        "path": opened.page_id,
        "dated": opened.citation.day,
        "url": browsed(opened.citation.url),
        "revision": opened.citation.revision_id,
        "superseded": opened.superseded,
        "cited": line_of(opened.citation),
        "text": part.of(body),
        "marked": Span(span.start - part.start, span.end - part.start),
        "part": None if part == Span(0, len(body)) else part,
        "of": len(body),
    }


def _around(body: str, span: Span) -> Span:
    """Whole lines around a span, unless a line is too long."""
    begin, stop = max(0, span.start - _AROUND), min(len(body), span.end + _AROUND)
    line_begin = body.find("\n", begin, span.start) + 1 if begin else 0
    line_end = body.rfind("\n", span.end, stop) if stop < len(body) else len(body)
    return Span(line_begin or begin, stop if line_end < 0 else line_end)


DOCUMENT_APP = HostApp("document", "Document at the cited place", _shown)
