"""Phrasings for questions whose caller gave none, written by the host's model or the configured one, if allowed."""

from dataclasses import dataclass

from cachetools import LRUCache

from citemark.answering.phrasing_prompt import MAX_PHRASING_TOKENS, MAX_WRITTEN, phrasings_in, rephrasing_prompt
from citemark.answering.provider import Provider
from citemark.answering.state import SealedState
from citemark.answering.ways import ClientSampling, Way, WayName, first_that_works
from citemark.model.client_model import ClientModel
from citemark.model.completions import Completion
from citemark.services.requests import MAX_PHRASING_CHARS, Caller, wrong_with

_CACHED = 512
"""Questions whose phrasings are cached; each page of a search asks again with the same ones."""

_ROUND = "rephrase"


@dataclass(frozen=True, slots=True)
class Rephrased:
    """Further phrasings of a question and which model wrote them; empty if no model could be asked."""

    also: tuple[str, ...] = ()
    by: WayName | None = None

    @property
    def note(self) -> str:
        """The note about the phrasings in a result; "" if there are none."""
        if not self.also:
            return ""
        who = "the client's model" if self.by == "client_sampling" else "the configured model"
        return f"also asked in other words, written by {who}: {'; '.join(self.also)}"


_NONE = Rephrased()


class RephraseService:
    """Has questions rephrased, each once and by one short completion."""

    def __init__(self, state: SealedState, provider: Provider | None, hint: str) -> None:
        """Store the models that may be asked.

        Args:
            state: seals what a call carries to its next round, where the protocol asks a client's model that way.
            provider: the configured model, asked where the client has none.
            hint: the name of a model that a client may prefer.
        """
        self._state = state
        self._provider = provider
        self._hint = hint
        self._cache: LRUCache[tuple[str, str], Rephrased] = LRUCache(_CACHED)

    @property
    def available(self) -> bool:
        """Whether there is a configured model."""
        return self._provider is not None

    async def phrase(self, caller: Caller, question: str, client: ClientModel | None = None) -> Rephrased:
        """Other phrasings of a question, by the client's model or else the configured one.

        If the client's model has to be asked in another round, the exception that it raises for that passes through.
        If a model fails, the question stays as it is, and the next call asks the model again.
        """
        key = (caller.principal.key, question)
        cached = self._cache.get(key)
        if cached is not None:
            return cached
        ways: list[Way] = []
        if client is not None:
            ways.append(ClientSampling(client, lambda: self._state.close({_ROUND: True}, client.binding)))
        if self._provider is not None:
            ways.append(self._provider)
        tried = await first_that_works(ways, Completion(rephrasing_prompt(question), MAX_PHRASING_TOKENS, self._hint))
        if tried.generated is None:
            return _NONE
        written = phrasings_in(tried.generated.text, question)
        usable = [phrasing for phrasing in written if not wrong_with(phrasing, MAX_PHRASING_CHARS)]
        rephrased = Rephrased(tuple(usable[:MAX_WRITTEN]), tried.way)
        self._cache[key] = rephrased
        return rephrased

    async def pinned(self, client: ClientModel) -> tuple[str, ...] | None:
        """The phrasings that found what a call has pinned in an earlier round; None if it has pinned nothing.

        Raises:
            StateRefused: the state that the call carries was not sealed for it.
        """
        state = {} if client.carried is None else await self._state.open(client.carried, client.binding)
        return tuple(map(str, state.get("also", ()))) if state and not state.get(_ROUND) else None
