"""getContext: the parts of an architecture model that a language model needs to answer a question."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from citemark.features.archimate.results.model_context import context_out, context_text
from citemark.features.archimate.services.keys import MODEL_CONTEXT
from citemark.features.archimate.services.requests import ContextRequest
from citemark.features.archimate.tools.schemas_in import ElementFilters, ElementFiltersIn, ModelIn
from citemark.tools.paged_replies import fitting
from citemark.tools.registry import ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_in import Also, Question, Within

if TYPE_CHECKING:
    from citemark.services.responses import ResponseMeta


class GetContextIn(ModelIn):
    """Arguments of getContext."""

    query: Question
    also: Also = ()
    max_tokens: Annotated[int, Within(1, 10_000)] = 4000
    include_relationships: bool = True
    filters: ElementFilters = Field(default_factory=ElementFiltersIn)


async def get_context(call: ToolCall, asked: GetContextIn) -> ToolReply:
    """Return whole chunks, best first, as many as fit."""
    request = ContextRequest(
        query_scope=asked.query_scope(),
        query=asked.query,
        also=asked.also,
        max_tokens=asked.max_tokens,
        relationships=asked.include_relationships,
        min_score=call.settings.min_score,
        metadata=asked.filters.value(),
    )
    packed = await call.services.get(MODEL_CONTEXT).pack(call.caller, request)

    def build(kept: int, meta: "ResponseMeta") -> ToolReply:
        out = context_out(packed, kept, meta)
        return ToolReply(out, context_text(out, meta))

    async def no_cursor(_: int) -> None:
        return None

    return await fitting(call, packed.meta, len(packed.pieces), build, no_cursor)
