"""Elements that a search found, by meaning or by names and words."""

from typing import TYPE_CHECKING, Any

from pydantic import Field

from citemark.features.archimate.results.model_parts import ElementOut, ModelOut, element_fields
from citemark.model.citation import iso
from citemark.results.common_parts import IsoTime, meta_fields, rounded, scratch_uri, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from citemark.features.archimate.services.responses import ElementHit
    from citemark.services.responses import ResponseMeta


_TEXT_CHARS = 300
"""Maximum characters of a context shown in the text; the structured content holds all of it."""


class ElementHitOut(ElementOut):
    """An element that answers, with the contextual chunk that matched; its revision is repeated beside its name."""

    revision_id: str
    baseline_id: str | None
    as_of: IsoTime
    score: float
    context: str
    scratch_uri: str
    also_in: list[str] = Field(default_factory=list[str])


class SemanticSearchOut(ModelOut):
    """Result of semanticSearch."""

    results: list[ElementHitOut]
    confidence: float | None = None


class FoundOut(ElementOut):
    """An element whose name or text holds the words."""

    matched: str
    preview: str


class SearchElementsOut(ModelOut):
    """Result of searchElements."""

    results: list[FoundOut]


def hits_out(hits: "Sequence[ElementHit]", meta: "ResponseMeta") -> SemanticSearchOut:
    """Elements ranked by meaning and words, as a result."""
    found = [_hit(hit, meta.session_id) for hit in hits]
    return SemanticSearchOut(results=found, confidence=rounded(meta.confidence), **meta_fields(meta))


def named_out(hits: "Sequence[ElementHit]", meta: "ResponseMeta") -> SearchElementsOut:
    """Elements found by names and words, each with the beginning of its text, as a result."""
    found = [_found(hit, short(" ".join(hit.context.split()), _TEXT_CHARS)) for hit in hits]
    return SearchElementsOut(results=found, **meta_fields(meta))


def text_context(hit: "ElementHit") -> str:
    """The context of a hit, or the sentences of it that answer best if it is long."""
    if len(hit.context) <= _TEXT_CHARS:
        return hit.context
    from citemark.evidence.preview import preview

    return preview(hit.found_by, hit.context, _TEXT_CHARS) or short(hit.context, _TEXT_CHARS)


def _hit(hit: "ElementHit", session_id: str) -> ElementHitOut:
    optional: dict[str, Any] = {"also_in": list(hit.also)} if hit.also else {}
    return ElementHitOut(
        revision_id=hit.citation.revision_id,
        baseline_id=hit.citation.baseline_id,
        as_of=iso(hit.citation.as_of),
        score=round(hit.score, 4),
        context=hit.context,
        scratch_uri=scratch_uri(session_id, hit.passage_id),
        **element_fields(hit.part, hit.citation),
        **optional,
    )


def _found(hit: "ElementHit", preview: str) -> FoundOut:
    matched = "name" if hit.by_name else "text"
    return FoundOut(matched=matched, preview=preview, **element_fields(hit.part, hit.citation))
