"""What the answer tools return: the text of the answer with its check, and the documents behind it."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from citemark.model.errors import BudgetExceeded
from citemark.results.answers import (
    EXCERPT_CHARS,
    answer_out,
    words_of,
)
from citemark.services.answer_keys import ANSWERS
from citemark.tools.registry import ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_in import Within

if TYPE_CHECKING:
    from citemark.services.answer_requests import Answered, AnswerRequest


_SHORT_EXCERPT_CHARS = 80
"""Used when full excerpts exceed the byte cap, before documents are left out."""


Limit = Annotated[int, Within(1, 50)]
AnswerTokens = Annotated[int, Within(1, 2000)]
Synthesis = Annotated[Literal["auto", "never"], Field(description="never asks a model")]


async def answer(call: ToolCall, request: "AnswerRequest", nothing: str) -> ToolReply:
    """Answer a request; `nothing` is the fixed text for a question for which no document was found.

    Raises:
        BudgetExceeded: not even the answer without its documents fits.
        AnotherRound: the client's model has to be asked in another round of the call.
    """
    answered = await call.services.get(ANSWERS).answer(call.caller, request, call.model)
    return fitting_reply(call, answered, nothing)


def fitting_reply(call: ToolCall, answered: "Answered", nothing: str) -> ToolReply:
    """The reply with as many documents as fit, and excerpts as long as fit.

    Raises:
        BudgetExceeded: not even the answer without its documents fits.
    """
    words = words_of(answered, nothing)
    document_count = len(answered.documents)
    for kept in range(document_count, -1, -1):
        for chars in (EXCERPT_CHARS, _SHORT_EXCERPT_CHARS):
            reply = ToolReply(*answer_out(answered, words, kept=kept, chars=chars))
            if call.fits(reply):
                return reply
    raise BudgetExceeded("The answer does not fit a result; ask with a smaller max_answer_tokens.")
