"""The parts of an architecture model that a question needs."""

from typing import TYPE_CHECKING, Literal

from citemark.evidence.budget import count_tokens
from citemark.features.archimate.results.model_parts import ModelOut
from citemark.results.common_parts import SpanOut, meta_fields, nothing, rounded, short, with_remarks
from citemark.results.shape import Strict
from citemark.text.escaping import one_line

if TYPE_CHECKING:
    from citemark.features.archimate.services.responses import Context, Packed
    from citemark.services.responses import ResponseMeta


_MAX_NAME_CHARS = 100
"""Maximum characters of an element's name: names are labels in diagrams and are rarely longer."""


_NAMED = 20
"""Maximum number of elements named in the text."""


class ContextCitationOut(Strict):
    """The shortest citation that can still be verified; the other fields are elsewhere in the result."""

    source: str
    document_id: str
    revision_id: str
    span: SpanOut


class ContextSourceOut(Strict):
    """Whence a piece of the context comes."""

    element_id: str
    element_name: str
    element_type: str
    relevance: float
    citation: ContextCitationOut


class GetContextOut(ModelOut):
    """Result of getContext."""

    context: str
    context_tokens: int
    sources: list[ContextSourceOut]
    left_out: int
    left_out_is: Literal["exact", "at_least"]
    confidence: float | None = None


def context_out(packed: "Context", kept: int, meta: "ResponseMeta") -> GetContextOut:
    """The first `kept` pieces of a context as a result."""
    context = packed.text(kept)
    return GetContextOut(
        context=context,
        context_tokens=count_tokens(context),
        sources=[_source(piece) for piece in packed.pieces[:kept]],
        left_out=packed.left_out + sum(piece.chunks for piece in packed.pieces[kept:]),
        left_out_is="exact" if packed.counted_all else "at_least",
        confidence=rounded(meta.confidence),
        **meta_fields(meta),
    )


def _source(piece: "Packed") -> ContextSourceOut:
    citation = piece.citation
    return ContextSourceOut(
        element_id=piece.part.native_id,
        element_name=short(piece.part.name, _MAX_NAME_CHARS),
        element_type=piece.part.type,
        relevance=round(piece.relevance, 4),
        citation=ContextCitationOut(
            source=citation.source,
            document_id=citation.document_id,
            revision_id=citation.revision_id,
            span=SpanOut(start=citation.span.start, end=citation.span.end),
        ),
    )


def context_text(out: GetContextOut, meta: "ResponseMeta") -> str:
    """Where to find the context, and which elements it covers; repeating it in the text would halve what fits."""
    if not out.sources:
        return with_remarks([nothing(meta)], meta)
    models = ", ".join(dict.fromkeys(one_line(source.citation.source) for source in out.sources))
    names = dict.fromkeys(one_line(f"{source.element_name} ({source.element_id})") for source in out.sources)
    listed = list(names)[:_NAMED]
    more = f" and {len(names) - len(listed)} more" if len(names) > len(listed) else ""
    place = "structuredContent.context, with its citations in structuredContent.sources"
    lines = [
        f"The context, {out.context_tokens} tokens of {models}, is given once, in {place}.",
        f"It is about {', '.join(listed)}{more}.",
        "If you see only this text, call architecture_getElement for one of them, or architecture_semanticSearch.",
    ]
    return with_remarks(lines, meta)
