"""kb.answer: an answer in words, with its citations checked."""

from typing import Annotated

from pydantic import Field

from citemark.tools.answered import AnswerOut, AnswerTokens, Limit, Synthesis, answer
from citemark.tools.kb.asking import Filter, FiltersIn, ReadContextIn, ScopeIn, State
from citemark.tools.registry import Call, Tool
from citemark.tools.reply import Reply
from citemark.tools.schema import Strict
from citemark.tools.values import Question

NOTHING_FOUND = "No relevant documents found for this query."


class AnswerIn(Strict):
    """Arguments of kb.answer."""

    question: Annotated[Question, Field(description="The question in full.")]
    scope: ScopeIn = Field(default_factory=ScopeIn)
    filters: Filter = Field(default_factory=FiltersIn)
    read_context: State = Field(default_factory=ReadContextIn)
    limit: Limit = 5
    max_answer_tokens: AnswerTokens = 500
    synthesis: Synthesis = "auto"


async def kb_answer(call: Call, asked: AnswerIn) -> Reply:
    """Answer over every source."""
    from citemark.answering.requests import AnswerRequest  # noqa: PLC0415 - not needed before the first call

    request = AnswerRequest(
        question=asked.question,
        limit=asked.limit,
        min_score=call.settings.min_score,
        max_answer_tokens=asked.max_answer_tokens,
        synthesis=asked.synthesis,
        scope=asked.scope.value(),
        filters=asked.filters.value(),
        read_context=asked.read_context.value(),
    )
    return await answer(call, request, NOTHING_FOUND)


ANSWER = Tool(
    name="kb.answer",
    title="Answer a question from the documents",
    description=(
        "Use when the user wants a finished answer with checked citations.\n"
        "Do not use when you will write the answer yourself: kb.retrieve_evidence is faster and asks no model.\n"
        "Returns at most one answer, its documents and what in it has no support. The client's model writes it (it "
        "may ask its user), else a configured one, else it is quotes; generated_by says which.\n"
        "If you need more, call kb.retrieve_evidence.\n"
        "Defaults and caps: limit 5 (max 50), max_answer_tokens 500 (max 2000), synthesis auto."
    ),
    takes=AnswerIn,
    gives=AnswerOut,
    handle=kb_answer,
    generates=True,
)
