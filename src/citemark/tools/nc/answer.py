"""nc_semantic_search_answer: as kb.answer, over notes, events, cards, files and contacts."""

from typing import Annotated

from pydantic import Field

from citemark.model.accounts import DOC_TYPES
from citemark.model.scope import Filters
from citemark.tools.answered import AnswerOut, AnswerTokens, Limit, Synthesis, answer
from citemark.tools.kb.asking import ReadContextIn, State
from citemark.tools.registry import Call, Tool
from citemark.tools.reply import Reply
from citemark.tools.schema import Strict
from citemark.tools.values import Question, Within

NOTHING_FOUND = "No relevant documents found in your Nextcloud content for this query."


class NcAnswerIn(Strict):
    """Arguments of nc_semantic_search_answer."""

    query: Annotated[Question, Field(description="The question in full.")]
    limit: Limit = 5
    score_threshold: Annotated[float, Within(0, 1)] = 0.7
    max_answer_tokens: AnswerTokens = 500
    synthesis: Synthesis = "auto"
    read_context: State = Field(default_factory=ReadContextIn)


async def nc_answer(call: Call, asked: NcAnswerIn) -> Reply:
    """Answer over the documents of Nextcloud accounts."""
    from citemark.answering.prompt import NEXTCLOUD_INTRODUCTION  # noqa: PLC0415 - not needed before the first call
    from citemark.answering.requests import AnswerRequest  # noqa: PLC0415

    request = AnswerRequest(
        question=asked.query,
        limit=asked.limit,
        min_score=asked.score_threshold,
        max_answer_tokens=asked.max_answer_tokens,
        synthesis=asked.synthesis,
        filters=Filters(doc_types=DOC_TYPES),
        read_context=asked.read_context.value(),
        introduction=NEXTCLOUD_INTRODUCTION,
    )
    return await answer(call, request, NOTHING_FOUND)


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
        "Defaults and caps: limit 5 (max 50), score_threshold 0.7 (max 1), max_answer_tokens 500 (max 2000), "
        "synthesis auto."
    ),
    takes=NcAnswerIn,
    gives=AnswerOut,
    handle=nc_answer,
    generates=True,
)
