"""Documents for tests of answers."""

from collections.abc import Mapping
from datetime import UTC, datetime

from citemark.answering.numbered_documents import Document
from citemark.model.citation import Anchor, Citation
from citemark.model.text import Span


def document(
    number: int,
    text: str,
    *,
    title: str = "Notes",
    doc_type: str = "note",
    score: float = 0.8,
    metadata: Mapping[str, str] | None = None,
) -> Document:
    """A document as an answer gets it."""
    span = Span(0, len(text))
    citation = Citation(
        source="notes",
        doc_type=doc_type,
        document_id=str(number),
        revision_id="1",
        baseline_id=None,
        as_of=datetime(2026, 1, 1, tzinfo=UTC),
        anchor=Anchor(chars=span),
        span=span,
        title=title,
        url=None,
    )
    return Document(number, doc_type, str(number), title, text, score, citation, metadata=metadata or {})
