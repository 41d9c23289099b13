"""kb.answer and nc_semantic_search_answer: written answers with checked citations."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, WithJsonSchema

from citemark.model.accounts import DOC_TYPES
from citemark.model.scope import Filters
from citemark.results.answers import AnswerOut
from citemark.results.shape import Strict
from citemark.services.empty import Arguments
from citemark.settings import Settings
from citemark.tools.answer_result import AnswerTokens, Limit, Synthesis, answer
from citemark.tools.description_parts import IN_SCHEMA
from citemark.tools.registry import Tool, ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_in import (
    AccountDocType,
    Also,
    AnyDocType,
    DateFrom,
    DateTo,
    FilteredBy,
    FiltersIn,
    Question,
    ReadAt,
    ReadContextIn,
    Scope,
    ScopeIn,
    Within,
)

if TYPE_CHECKING:
    from citemark.services.answer_requests import AnswerRequest

NO_DOCUMENTS = "No relevant documents found for this query."


DocTypes = Annotated[
    list[AnyDocType],
    WithJsonSchema({"type": "array", "items": {"type": "string"}, "description": "file, note, calendar_event ..."}),
]


class AnswerIn(Strict):
    """Arguments of kb.answer."""

    question: Question
    also: Also = ()
    scope: Scope = Field(default_factory=ScopeIn)
    filters: FilteredBy = Field(default_factory=FiltersIn)
    doc_types: DocTypes = Field(default_factory=list[AnyDocType])
    date_from: DateFrom = None
    date_to: DateTo = None
    read_context: ReadAt = Field(default_factory=ReadContextIn)
    limit: Limit = 5
    max_answer_tokens: AnswerTokens = 500
    synthesis: Synthesis = "auto"


def request_of(asked: AnswerIn, settings: Settings) -> "AnswerRequest":
    """The request of a call of kb.answer."""
    from citemark.services.answer_requests import AnswerRequest  # noqa: PLC0415 - not needed before the first call

    return AnswerRequest(
        question=asked.question,
        also=asked.also,
        limit=asked.limit,
        min_score=settings.min_score,
        max_answer_tokens=asked.max_answer_tokens,
        synthesis=asked.synthesis,
        scope=asked.scope.value(),
        filters=replace(
            asked.filters.value(),
            doc_types=tuple(asked.doc_types),
            dated_from=asked.date_from,
            dated_to=asked.date_to,
        ),
        read_context=asked.read_context.value(),
    )


async def kb_answer(call: ToolCall, asked: AnswerIn) -> ToolReply:
    """Answer a question from all sources."""
    return await answer(call, request_of(asked, call.settings), NO_DOCUMENTS)


KB_ANSWER = Tool(
    name="kb.answer",
    title="Answer from documents",
    description=(
        "Use when the user wants a finished answer with checked citations.\n"
        "Do not use when you write the answer yourself: kb.retrieve_evidence.\n"
        "Returns at most one answer, its documents and what has no support; generated_by says who wrote it.\n"
        "If you need more, call kb.retrieve_evidence.\n"
        f"{IN_SCHEMA}"
    ),
    takes=AnswerIn,
    gives=AnswerOut,
    handle=kb_answer,
    generates=True,
)


NO_NEXTCLOUD_DOCUMENTS = "No relevant documents found in your Nextcloud content for this query."


class NcAnswerIn(Strict):
    """Arguments of nc_semantic_search_answer."""

    query: Question
    also: Also = ()
    limit: Limit = 5
    score_threshold: Annotated[float, Within(0, 1)] = 0.7
    doc_types: list[AccountDocType] = Field(default_factory=list[AccountDocType])
    date_from: DateFrom = None
    date_to: DateTo = None
    max_answer_tokens: AnswerTokens = 500
    synthesis: Synthesis = "auto"
    read_context: ReadAt = Field(default_factory=ReadContextIn)


async def nc_answer(call: ToolCall, asked: NcAnswerIn) -> ToolReply:
    """Answer a question from the documents of Nextcloud accounts."""
    from citemark.answering.prompt import NEXTCLOUD_INTRODUCTION  # noqa: PLC0415 - not needed before the first call
    from citemark.services.answer_requests import AnswerRequest  # noqa: PLC0415

    request = AnswerRequest(
        question=asked.query,
        also=asked.also,
        limit=asked.limit,
        min_score=asked.score_threshold,
        arguments=Arguments(threshold="score_threshold"),
        max_answer_tokens=asked.max_answer_tokens,
        synthesis=asked.synthesis,
        filters=Filters(
            doc_types=tuple(asked.doc_types) or DOC_TYPES, dated_from=asked.date_from, dated_to=asked.date_to
        ),
        read_context=asked.read_context.value(),
        introduction=NEXTCLOUD_INTRODUCTION,
    )
    return await answer(call, request, NO_NEXTCLOUD_DOCUMENTS)


NC_ANSWER = Tool(
    name="nc_semantic_search_answer",
    title="Answer from Nextcloud",
    description=(
        "Use when the user wants an answer from their own notes, calendar, tasks, cards, files or contacts.\n"
        "Do not use when they want a list to choose from: nc_semantic_search.\n"
        "Returns at most one answer with checked citations and its documents; generated_by says who wrote it.\n"
        "If you need more, ask with a lower score_threshold or a higher limit.\n"
        f"{IN_SCHEMA}"
    ),
    takes=NcAnswerIn,
    gives=AnswerOut,
    handle=nc_answer,
    generates=True,
)
