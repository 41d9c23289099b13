"""The parts of results that the tools of the family share."""

from typing import Any

from citemark.evidence.tokens import whole_sign_before
from citemark.model.citation import Citation, iso
from citemark.tools.schema import Strict
from citemark.tools.values import IsoTime

_MAX_TITLE_CHARS = 300


class SpanOut(Strict):
    """From a first to a last place."""

    start: int
    end: int


class AnchorOut(Strict):
    """Heading slug, lines (1-based, inclusive), characters (end excluded)."""

    heading: str | None = None
    lines: SpanOut | None = None
    chars: SpanOut | None = None


class CitationOut(Strict):
    """Enough to find the words again later."""

    source: str
    doc_type: str
    document_id: str
    revision_id: str
    baseline_id: str | None
    as_of: IsoTime
    anchor: AnchorOut
    span: SpanOut
    title: str
    url: str | None


def citation_fields(citation: Citation) -> dict[str, Any]:
    """The fields of `CitationOut`."""
    anchor: dict[str, Any] = dict(citation.anchor.as_dict())
    return {
        "source": citation.source,
        "doc_type": citation.doc_type,
        "document_id": citation.document_id,
        "revision_id": citation.revision_id,
        "baseline_id": citation.baseline_id,
        "as_of": iso(citation.as_of),
        "anchor": AnchorOut.model_validate(anchor),
        "span": SpanOut(start=citation.span.start, end=citation.span.end),
        "title": short(citation.title, _MAX_TITLE_CHARS),
        "url": citation.url,
    }


def cited(citation: Citation) -> CitationOut:
    """A citation as it is shown."""
    return CitationOut(**citation_fields(citation))


def scratch_uri(session_id: str, passage_id: str) -> str:
    """Where a host may open a whole passage."""
    return f"citemark://scratch/{session_id}/{passage_id}"


def short(text: str, limit: int) -> str:
    """At most `limit` characters, ending in dots where something is missing."""
    if len(text) <= limit:
        return text
    return text[: whole_sign_before(text, limit - 1)].rstrip() + "…"
