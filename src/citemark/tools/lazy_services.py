"""The services of an index that is opened in the background while its tools are already listed."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from citemark.services.bundle import Services

if TYPE_CHECKING:
    from citemark.services.answers import AnswerService

ServicesProvider: TypeAlias = Callable[[], Awaitable[Services]]
"""Opens the database and the model; may take seconds, and may fail and be asked again."""

AnswersProvider: TypeAlias = Callable[[], Awaitable["AnswerService"]]
"""Gives the service that generates answers, once the index is open."""


class LazyServices:
    """Opens the services once, in a task that outlives the calls that wait for it."""

    def __init__(self, provider: ServicesProvider) -> None:
        self._provider = provider
        self._opening: asyncio.Task[Services] | None = None

    def start(self) -> None:
        """Begin to open, unless that has begun or is done. After a failure, open again."""
        if self._opening is None or (self._opening.done() and self._failed(self._opening)):
            self._opening = asyncio.create_task(self._open(), name="citemark-open-services")

    async def get(self) -> Services:
        """The services once they are open; giving up the wait does not stop the opening.

        Raises:
            CitemarkError: they cannot be opened now; the next call tries again.
        """
        self.start()
        assert self._opening is not None  # noqa: S101 - start() set it
        return await asyncio.shield(self._opening)

    async def stop(self) -> None:
        """Give up opening; services that are open belong to their provider."""
        if self._opening is not None:
            self._opening.cancel()
            await asyncio.wait([self._opening])
            self._failed(self._opening)

    async def _open(self) -> Services:
        return await self._provider()

    @staticmethod
    def _failed(task: asyncio.Task[Services]) -> bool:
        """Whether nothing came of it; asking also keeps asyncio from reporting the failure as never seen."""
        return task.cancelled() or task.exception() is not None


@dataclass(frozen=True, slots=True)
class Health:
    """The state of the index behind a server. `reason` says why it is unavailable, where that is known."""

    status: Literal["ready", "opening", "unavailable"]
    reason: str | None = None
