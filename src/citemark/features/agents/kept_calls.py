"""Keeps what agents asked, for the owner of the index alone, for as many days as the settings say."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

import structlog

from citemark.features.agents.agent_call import AgentCall, KeptCall
from citemark.model.clock import Clock
from citemark.model.errors import CitemarkError

_MOST_WRITING = 64
"""Calls that wait to be written; further ones are not kept: more of them would make a slow database slower."""

_log = structlog.get_logger(__name__)


class CallStore(Protocol):
    """Where calls are kept."""

    async def keep(self, tenant: str, call: AgentCall, asked_at: datetime) -> bool:
        """Record a call, unless a source that it cites is gone."""
        ...

    async def latest(self, tenant: str, since: datetime, limit: int, before: int | None = None) -> list[KeptCall]:
        """The calls since a moment, the latest first, from the one before the call with a number."""
        ...

    async def forget(self, tenant: str, before: datetime | None) -> int:
        """Delete the calls before a moment, or all; returns their number."""
        ...


class KeptCalls:
    """The calls of the last days. `on`: whether the owner has them kept. `days`: how long each stays."""

    def __init__(self, store: CallStore, tenant: str, clock: Clock, *, on: bool, days: int) -> None:
        self._store = store
        self._tenant = tenant
        self._clock = clock
        self._writing: set[asyncio.Task[None]] = set()
        self.on = on
        self.days = days

    def note(self, call: AgentCall) -> None:
        """Have a call written, which the caller does not wait for; nothing if calls are not kept."""
        if not self.on or len(self._writing) >= _MOST_WRITING:
            return
        writing = asyncio.create_task(self._write(call))
        self._writing.add(writing)
        writing.add_done_callback(self._writing.discard)

    async def latest(self, limit: int, before: int | None = None) -> Sequence[KeptCall]:
        """The last calls, the latest first, from the one before the call with the number `before`."""
        return await self._store.latest(self._tenant, self._clock() - timedelta(days=self.days), limit, before)

    async def forget_overdue(self) -> int:
        """Delete the calls that are older than they are kept; returns their number."""
        return await self._store.forget(self._tenant, self._clock() - timedelta(days=self.days))

    async def forget_all(self) -> int:
        """Delete every call; returns their number."""
        return await self._store.forget(self._tenant, None)

    async def finish(self) -> None:
        """Wait until all that was noted is written."""
        while self._writing:
            await asyncio.wait(self._writing)

    async def _write(self, call: AgentCall) -> None:
        try:
            await self._store.keep(self._tenant, call, self._clock())
        except CitemarkError as error:
            _log.warning("call_not_kept", reason=error.message, action="agent_calls")
