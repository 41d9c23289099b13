"""Work that a page begins and does not wait for."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

import structlog

from citemark.model.errors import CitemarkError
from citemark.model.ids import SourceId
from citemark.model.sources import Source
from citemark.services.app_context import AppContext

_log = structlog.get_logger(__name__)

Heard = Callable[[int, int], None]
"""Told how much of how much is done."""


@dataclass(slots=True)
class Begun:
    """What was begun under a name: how much is done, whether it has ended, and why it failed ("" if it did not)."""

    done: int = 0
    total: int = 0
    ended: bool = False
    failed: str = ""

    def hear(self, done: int, total: int) -> None:
        """Note how much is done."""
        self.done, self.total = done, total


@dataclass(slots=True)
class Work:
    """What runs because somebody pressed a button, each at most once at a time: reading of sources, and other work."""

    _tasks: dict[SourceId | str, "asyncio.Task[None]"] = field(
        default_factory=dict[SourceId | str, "asyncio.Task[None]"]
    )
    _begun: dict[str, Begun] = field(default_factory=dict[str, Begun])

    def begin(self, app: AppContext, source: Source) -> None:
        """Begin to update the index from a source, unless that is under way."""
        if source.source_id not in self._tasks:
            self._start(source.source_id, self._sync(app, source))

    def begin_as(self, name: str, work: Callable[[Heard], Awaitable[None]]) -> None:
        """Begin other work under a name, unless that is under way."""
        if name not in self._tasks:
            self._begun[name] = Begun()
            self._start(name, self._done(self._begun[name], work))

    def begun(self, name: str) -> Begun | None:
        """What was last begun under a name; None if nothing was."""
        return self._begun.get(name)

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

    def _start(self, key: SourceId | str, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks[key] = task
        task.add_done_callback(lambda _: self._tasks.pop(key, None))

    async def _sync(self, app: AppContext, source: Source) -> None:
        try:
            await app.sync({source.source_id: source}, alone=True)
        except CitemarkError as error:
            _log.warning("sync_failed", source=source.name, reason=error.message, action="page")

    async def _done(self, begun: Begun, work: Callable[[Heard], Awaitable[None]]) -> None:
        try:
            await work(begun.hear)
        except CitemarkError as error:
            begun.failed = error.message
        finally:
            begun.ended = True
