"""Adds phrasings from a model to calls that bring none, where the setting `rephrase` allows it."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from citemark.text.escaping import one_line
from citemark.tools.registry import ToolCall
from citemark.tools.reply import ToolReply

if TYPE_CHECKING:
    from citemark.services.question_rephrasing import Rephrasing
    from citemark.services.requests import Caller
    from citemark.tools.sampling import CallersModel


@dataclass(frozen=True, slots=True)
class Phrased:
    """The arguments with phrasings, the note about them in the result, and the model for the rest of the call."""

    asked: Any
    note: str
    model: "CallersModel | None"

    def narrowed(self, call: ToolCall) -> ToolCall:
        """The call with the model that it may now ask, leaving room for the note in its replies."""

        def fits(reply: ToolReply) -> bool:
            return call.fits(self.noted(reply))

        return replace(call, fits=fits, model=self.model)

    def noted(self, reply: ToolReply) -> ToolReply:
        """The reply with a note that names the phrasings and who wrote them."""
        if not self.note:
            return reply
        out = reply.out.model_copy(update={"notes": [*getattr(reply.out, "notes", ()), self.note]})
        return replace(reply, out=out, text=f"{reply.text}\n{one_line(self.note)}")


def wants_phrasings(asked: BaseModel) -> bool:
    """Whether a call accepts phrasings but brought none."""
    return getattr(asked, "also", None) == ()


async def with_phrasings(
    service: "Rephrasing", caller: "Caller", asked: BaseModel, model: "CallersModel | None"
) -> Phrased:
    """The call's arguments with phrasings added; without a model of the caller's, by the configured one.

    The same call may arrive up to three times: the first result asks the client's model for phrasings, the second for
    the answer, and the third call brings the text of the answer. The third has its evidence pinned, along with the
    phrasings that found it.

    Raises:
        StateRefused: the call carries a state that does not belong to it.
        AnotherRound: the client's model has to be asked in another round of the call.
    """
    pinned = None if model is None else await service.pinned(model)
    if pinned is not None:
        return Phrased(asked.model_copy(update={"also": pinned}), "", model)
    question: str = getattr(asked, "question", None) or getattr(asked, "query", "")
    phrasings = await service.phrase(caller, question, model)
    return Phrased(asked.model_copy(update={"also": phrasings.also}), phrasings.note, model and model.in_first_round())
