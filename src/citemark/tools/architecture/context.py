"""getContext: what a model needs to know of an architecture to answer a question."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from citemark.evidence.architecture.requests import ContextRequest
from citemark.evidence.tokens import count_tokens
from citemark.tools.architecture.answering import ModelOut, fitting
from citemark.tools.architecture.asking import ElementFiltersIn, Filters, ModelIn
from citemark.tools.frame import framed
from citemark.tools.kb.answering import CitationOut, cited
from citemark.tools.registry import Call
from citemark.tools.render import nothing, remarks
from citemark.tools.reply import Reply
from citemark.tools.schema import Strict
from citemark.tools.values import Question, Within

if TYPE_CHECKING:
    from citemark.evidence.architecture.results import Packed
    from citemark.evidence.results import Frame


class GetContextIn(ModelIn):
    """Arguments of getContext."""

    query: Annotated[Question, Field(description="The question in full.")]
    max_tokens: Annotated[int, Within(1, 16_000)] = 4000
    include_relationships: bool = True
    filters: Filters = Field(default_factory=ElementFiltersIn)


class SourceOut(Strict):
    """Whence a piece of the context comes."""

    element_id: str
    element_name: str
    element_type: str
    relevance: float
    citation: CitationOut


class GetContextOut(ModelOut):
    """Result of getContext."""

    context: str
    context_tokens: int
    sources: list[SourceOut]
    left_out: int


async def get_context(call: Call, asked: GetContextIn) -> Reply:
    """Whole chunks, best first; where they are too heavy for a result, fewer of them."""
    request = ContextRequest(
        reach=asked.reach(),
        query=asked.query,
        max_tokens=asked.max_tokens,
        relationships=asked.include_relationships,
        min_score=call.settings.min_score,
        metadata=asked.filters.value(),
    )
    packed = await call.desk.architecture.packing.pack(call.asker, request)

    def build(kept: int, frame: "Frame") -> Reply:
        pieces = packed.pieces[:kept]
        context = packed.text(kept)
        out = GetContextOut(
            context=context,
            context_tokens=count_tokens(context),
            sources=[_source(piece) for piece in pieces],
            left_out=packed.left_out + len(packed.pieces) - kept,
            **framed(frame),
        )
        return Reply(out, _text(pieces, frame))

    async def no_cursor(_: int) -> None:
        return None

    return await fitting(call, packed.frame, len(packed.pieces), build, no_cursor)


def _source(piece: "Packed") -> SourceOut:
    return SourceOut(
        element_id=piece.part.native_id,
        element_name=piece.part.name,
        element_type=piece.part.type,
        relevance=round(piece.relevance, 4),
        citation=cited(piece.citation),
    )


def _text(pieces: "tuple[Packed, ...]", frame: "Frame") -> str:
    if not pieces:
        return "\n".join([nothing(frame), *remarks(frame)])
    lines: list[str] = []
    for piece in pieces:
        lines += [piece.text, f"[{piece.citation.render()}]", ""]
    return "\n".join([*lines[:-1], *remarks(frame)])
