"""Has the calls that a server answers kept, once each is answered."""

import asyncio

from citemark.features.agents.agent_call import AgentCall
from citemark.features.agents.kept_calls_key import KEPT_CALLS
from citemark.features.agents.seen_questions import asked_in
from citemark.model.errors import CitemarkError
from citemark.tools.seen_calls import SeenCall
from citemark.tools.timed_calls import ServicesProvider


class AgentCallObserver:
    """Passes on what agents asked in words, to be kept."""

    def __init__(self, services: ServicesProvider) -> None:
        self._services = services
        self._noting: set[asyncio.Task[None]] = set()

    def seen(self, call: SeenCall) -> None:
        """Have a call kept if it asked something."""
        asked = asked_in(call)
        if asked is not None:
            noting = asyncio.create_task(self._note(asked))
            self._noting.add(noting)
            noting.add_done_callback(self._noting.discard)

    async def _note(self, asked: AgentCall) -> None:
        try:
            services = await self._services()
        except CitemarkError:  # the index was not open for the call either, and its log says why
            return
        services.get(KEPT_CALLS).note(asked)
