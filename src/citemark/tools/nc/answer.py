"""nc_semantic_search_answer: as kb.answer, over notes, events, cards, files and contacts."""

from typing import Annotated

from pydantic import Field

from citemark.model.accounts import DOC_TYPES
from citemark.model.scope import Filters
from citemark.tools.answered import AnswerOut, AnswerTokens, Limit, Synthesis, answer
from citemark.tools.kb.asking import BriefState, ReadContextIn
from citemark.tools.registry import Call, Tool
from citemark.tools.reply import Reply
from citemark.tools.schema import Strict
from citemark.tools.values import Question, Within

NOTHING_FOUND = "No relevant documents found in your Nextcloud content for this query."


class NcAnswerIn(Strict):
    """Arguments of nc_semantic_search_answer."""

    query: Annotated[Question, Field(description="The question in full.")]
    limit: Limit = 5
    score_threshold: Annotated[float, Within(0, 1), Field(description="Weaker documents are not used.")] = 0.7
    max_answer_tokens: AnswerTokens = 500
    synthesis: Synthesis = "auto"
    read_context: BriefState = Field(default_factory=ReadContextIn)


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
        "Use when the user asks about their own notes, calendar, tasks, cards, files or contacts and wants an answer.\n"
        "Do not use when they want to browse: this returns one answer, not a list to choose from.\n"
        "Returns at most one answer with checked citations, the documents behind it and what in it has no support. The "
        "words come from the client's model, else a configured one, else from quotes; generated_by says which.\n"
        "If you need more, ask again with a lower score_threshold or a higher limit.\n"
        "Defaults and caps: limit 5 (max 50), score_threshold 0.7 (0 to 1), max_answer_tokens 500 (max 2000), "
        "synthesis auto, query at most 8000 characters, result at most 48 KiB."
    ),
    takes=NcAnswerIn,
    gives=AnswerOut,
    handle=nc_answer,
    generates=True,
)
