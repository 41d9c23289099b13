"""Calls without phrasings of their own get some from a model, where the setting `rephrase` allows it."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from citemark.model.escaping import one_line
from citemark.tools.registry import ToolCall
from citemark.tools.reply import ToolReply

if TYPE_CHECKING:
    from citemark.services.rephrasing import RephraseService
    from citemark.services.requests import Caller
    from citemark.tools.sampling import CallersModel


@dataclass(frozen=True, slots=True)
class Phrased:
    """The arguments with phrasings, what the result says of them, and the model as the rest of the call may ask it."""

    asked: Any
    note: str
    model: "CallersModel"

    def narrowed(self, call: ToolCall) -> ToolCall:
        """The call with the model as it may be asked, and with room for the note in its replies."""

        def fits(reply: ToolReply) -> bool:
            return call.fits(self.noted(reply))

        return replace(call, fits=fits, model=self.model)

    def noted(self, reply: ToolReply) -> ToolReply:
        """A reply that names the phrasings and who wrote them."""
        if not self.note:
            return reply
        out = reply.out.model_copy(update={"notes": [*getattr(reply.out, "notes", ()), self.note]})
        return replace(reply, out=out, text=f"{reply.text}\n{one_line(self.note)}")


def wants_phrasings(asked: BaseModel) -> bool:
    """Whether a call takes phrasings and brought none."""
    return getattr(asked, "also", None) == ()


async def with_phrasings(
    service: "RephraseService", caller: "Caller", asked: BaseModel, model: "CallersModel"
) -> Phrased:
    """The call, with the phrasings that were found.

    A call may come three times: for phrasings, for the answer, and with the answer's words. The last one has its
    evidence pinned, with the phrasings that found it.

    Raises:
        StateRefused: the state that it carries is not its own.
        AnotherRound: the client's model has to be asked by another call.
    """
    from citemark.services.rephrasing import asks_for_phrasings  # noqa: PLC0415 - loads the provider's client

    state = await service.carried(model)
    if state and not asks_for_phrasings(state):
        return Phrased(asked.model_copy(update={"also": tuple(state.get("also", ()))}), "", model)
    question: str = getattr(asked, "question", None) or getattr(asked, "query", "")
    found = await service.phrase(caller, question, model)
    return Phrased(asked.model_copy(update={"also": found.also}), found.note, model.in_first_round())
