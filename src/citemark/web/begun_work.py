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


@dataclass(slots=True)
class Begun:
    """What was begun under a name: how much is done, whether it has ended, and why it failed ("" if it did not).

    `told` is what a person has to know meanwhile.
    """

    done: int = 0
    total: int = 0
    told: str = ""
    ended: bool = False
    failed: str = ""
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    async def news(self) -> None:
        """Wait until there is something to tell, or it has ended."""
        await self._news.wait()

    def tell(self, text: str) -> None:
        """Note what a person has to know."""
        self.told = text
        self._news.set()

    def end(self, failed: str = "") -> None:
        """Note that it has ended, and why it failed."""
        self.told, self.ended, self.failed = "", True, failed
        self._news.set()

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
        if not self._runs(source.source_id):
            self._start(source.source_id, self._sync(app, source))

    def begin_as(self, name: str, work: Callable[[Begun], Awaitable[None]]) -> Begun:
        """Begin other work under a name, unless that is under way."""
        if not self._runs(name):
            self._begun[name] = Begun()
            self._start(name, self._done(self._begun[name], work))
        return self._begun[name]

    async def end_as(self, name: str) -> None:
        """Stop what was begun under a name."""
        task = self._tasks.get(name)
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

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
        task.add_done_callback(lambda ended: self._forget(key, ended))

    def _runs(self, key: SourceId | str) -> bool:
        return key in self._tasks and not self._tasks[key].done()

    def _forget(self, key: SourceId | str, ended: "asyncio.Task[None]") -> None:
        if self._tasks.get(key) is ended:  # and not what was begun since
            del self._tasks[key]

    async def _sync(self, app: AppContext, source: Source) -> None:
        try:
            await app.sync({source.source_id: source}, alone=True)
        except CitemarkError as error:
            _log.warning("sync_failed", source=source.name, reason=error.message, action="page")

    async def _done(self, begun: Begun, work: Callable[[Begun], Awaitable[None]]) -> None:
        try:
            await work(begun)
        except CitemarkError as error:
            begun.end(error.message)
        finally:
            if not begun.ended:
                begun.end()
