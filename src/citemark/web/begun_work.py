"""Work that a page begins and does not wait for."""

import asyncio
from dataclasses import dataclass, field

import structlog

from citemark.model.errors import CitemarkError
from citemark.model.ids import SourceId
from citemark.model.sources import Source
from citemark.services.app_context import AppContext

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Work:
    """The sources that are read because somebody pressed a button; each at most once at a time."""

    _tasks: dict[SourceId, "asyncio.Task[None]"] = field(default_factory=dict[SourceId, "asyncio.Task[None]"])

    def begin(self, app: AppContext, source: Source) -> None:
        """Begin to update the index from a source, unless that is under way."""
        if source.source_id not in self._tasks:
            task = asyncio.create_task(self._sync(app, source))
            self._tasks[source.source_id] = task
            task.add_done_callback(lambda _: self._tasks.pop(source.source_id, None))

    async def end(self, source: Source) -> None:
        """Stop what reads a source."""
        task = self._tasks.get(source.source_id)
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def finished(self) -> None:
        """Wait for all of it."""
        if tasks := list(self._tasks.values()):
            await asyncio.wait(tasks)

    async def close(self) -> None:
        """Stop all of it; the queues keep what is not done."""
        for task in list(self._tasks.values()):
            task.cancel()
        await self.finished()

    async def _sync(self, app: AppContext, source: Source) -> None:
        try:
            await app.sync({source.source_id: source}, alone=True)
        except CitemarkError as error:
            _log.warning("sync_failed", source=source.name, reason=error.message, action="page")
