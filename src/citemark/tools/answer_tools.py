"""kb.answer and nc_semantic_search_answer: written answers with checked citations."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from citemark.model.accounts import DOC_TYPES
from citemark.model.scope import Filters
from citemark.results.answers import AnswerOut
from citemark.results.shape import Strict
from citemark.services.empty import Arguments
from citemark.settings import Settings
from citemark.tools.answer_result import AnswerTokens, Limit, Synthesis, answer
from citemark.tools.registry import Tool, ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_in import (
    PER_KEY,
    AccountDocType,
    Also,
    AnyDocType,
    DateFrom,
    DateTo,
    FiltersIn,
    HiddenReadContext,
    PropertyPairs,
    Question,
    ReadContextIn,
    ScopeIn,
    Within,
)

if TYPE_CHECKING:
    from citemark.services.answer_requests import AnswerRequest

NO_DOCUMENTS = "No relevant documents found for this query."


class AnswerFiltersIn(FiltersIn):
    """The same conditions; those on properties are accepted, and listed with the tools that search."""

    properties: SkipJsonSchema[PropertyPairs] = ()


class AnswerIn(Strict):
    """Arguments of kb.answer."""

    question: Annotated[Question, Field(description="The question in full.")]
    also: Also = ()
    scope: ScopeIn = Field(default_factory=ScopeIn)
    filters: Annotated[AnswerFiltersIn, Field(description=PER_KEY)] = Field(default_factory=AnswerFiltersIn)
    doc_types: list[AnyDocType] = Field(default_factory=list[AnyDocType])
    date_from: DateFrom = None
    date_to: DateTo = None
    read_context: HiddenReadContext = Field(default_factory=ReadContextIn)
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
    title="Answer a question from the documents",
    description=(
        "Use when the user wants a finished answer with checked citations.\n"
        "Do not use when you will write the answer yourself: kb.retrieve_evidence is faster and asks no model.\n"
        "Returns at most one answer, its documents and what in it has no support. The client's model writes it (it "
        "may ask its user), else a configured one, else it is quotes; generated_by says which.\n"
        "If you need more, call kb.retrieve_evidence.\n"
        "Defaults and caps: limit 5 (max 50), max_answer_tokens 500 (max 2000)."
    ),
    takes=AnswerIn,
    gives=AnswerOut,
    handle=kb_answer,
    generates=True,
)


NO_NEXTCLOUD_DOCUMENTS = "No relevant documents found in your Nextcloud content for this query."


class NcAnswerIn(Strict):
    """Arguments of nc_semantic_search_answer."""

    query: Annotated[Question, Field(description="The question in full.")]
    also: Also = ()
    limit: Limit = 5
    score_threshold: Annotated[float, Within(0, 1)] = 0.7
    doc_types: list[AccountDocType] = Field(default_factory=list[AccountDocType])
    date_from: DateFrom = None
    date_to: DateTo = None
    max_answer_tokens: AnswerTokens = 500
    synthesis: Synthesis = "auto"
    read_context: HiddenReadContext = Field(default_factory=ReadContextIn)


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
    title="Answer a question from Nextcloud",
    description=(
        "Use when the user asks about their own notes, calendar, tasks, cards, files or contacts and wants an "
        "answer.\n"
        "Do not use when they want a list to choose from.\n"
        "Returns at most one answer with checked citations, its documents and what in it has no support. The "
        "client's model writes it, else a configured one, else it is quotes; generated_by says which.\n"
        "If you need more, ask with a lower score_threshold or a higher limit.\n"
        "Defaults and caps: limit 5 (max 50), score_threshold 0.7 (max 1), max_answer_tokens 500 (max 2000)."
    ),
    takes=NcAnswerIn,
    gives=AnswerOut,
    handle=nc_answer,
    generates=True,
)
