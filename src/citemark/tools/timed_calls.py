"""Runs calls on the services of an index: within a time, in a place of the server, over every transport."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from citemark.cancelling import ended_within
from citemark.model.errors import BackendUnavailable, TimedOut
from citemark.services.bundle import Services
from citemark.services.requests import Caller

if TYPE_CHECKING:
    from citemark.services.people.call_limits import CallLimits

Value = TypeVar("Value")

ServicesProvider: TypeAlias = Callable[[], Awaitable[Services]]
"""Returns the services once the index is open, which may take seconds; after a failure, the next call tries again.

A call that gives up waiting does not stop the index from being opened.
"""


class TimedCalls:
    """Calls on an index that may still be opening, each of at most `seconds`."""

    def __init__(self, services: ServicesProvider, seconds: float, limits: "CallLimits | None") -> None:
        self._provider = services
        self._opened: Services | None = None
        self._seconds = seconds
        self._limits = limits

    async def run(
        self,
        caller: Caller,
        work: Callable[[Services], Awaitable[Value]],
        *,
        more: float = 0,
        left: float | None = None,
    ) -> Value:
        """Return the result of `work` on the opened services.

        Args:
            caller: whose place in the server the call takes.
            work: what to do.
            more: seconds for models, which come on top of what the server itself may take.
            left: seconds after which the caller no longer waits, if that is known; a statement of the database that
                takes longer is cancelled.

        Where the caller is cancelled or the time is over, `work` is cancelled once and ends in its own time. A
        cancellation that came out of a call in any other way would end the whole connection of its client.

        Raises:
            BackendUnavailable: too many calls are waiting already, or the work was cancelled from within.
            TimedOut: it did not finish in time.
        """
        seconds, statement = self._seconds + more, self._seconds
        if left is not None:
            seconds, statement = min(seconds, left), min(statement, left)
        task = asyncio.create_task(self._work(caller, work, statement, with_model=more > 0))
        in_time = await ended_within(task, seconds)
        if not task.cancelled():
            return task.result()
        if in_time:
            raise BackendUnavailable("The call was broken off; try again in a moment.")
        problem = "the call did not finish" if self._opened else "the index is still being opened"
        raise TimedOut(f"After {seconds:g} seconds {problem}; try again, or ask for less.", seconds=seconds)

    async def _work(
        self, caller: Caller, work: Callable[[Services], Awaitable[Value]], statement: float, *, with_model: bool
    ) -> Value:
        """What the work returns, once the index is open and there is a place for it."""
        if self._opened is None or self._opened.closed:  # it is closed after a failure, and opened again
            self._opened = None
            self._opened = await self._provider()
        opened = self._opened
        async with self._limits.place(caller.principal, with_model=with_model) if self._limits else nullcontext():
            with opened.statements_within(statement):
                return await work(opened)
