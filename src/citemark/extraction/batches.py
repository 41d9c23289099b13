"""Small things read in a process, as many at once as wait: a request for each would cost more than reading it."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from citemark.extraction.parsers import Outcome, ParserPool
from citemark.extraction.tasks import Item, Task
from citemark.model.errors import RetriableSourceError, SkippableSourceError

_MOST_ITEMS = 24
"""In one request: as many as a first sync asks for side by side, and each may take seconds if it is hostile."""

_MOST_BYTES = 4 * 1024 * 1024

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Waiting(Generic[T]):
    item: Item
    future: "asyncio.Future[Outcome[T]]"


class Batches(Generic[T]):
    """Reads items with one task. Those that come while a request is under way make up the next one."""

    def __init__(self, parsers: ParserPool, task: Task, decode: Callable[[Any], T]) -> None:
        self._parsers = parsers
        self._task = task
        self._decode = decode
        self._queue: deque[_Waiting[T]] = deque()
        self._working: asyncio.Task[None] | None = None

    async def read(self, item: Item) -> T:
        """What the task makes of an item, which is one part.

        Raises:
            SkippableSourceError: it cannot be read; the message says why.
            RetriableSourceError: no process could be started, or the parsers are being closed.
        """
        future: asyncio.Future[Outcome[T]] = asyncio.get_running_loop().create_future()
        self._queue.append(_Waiting(item, future))
        if self._working is None or self._working.done():
            self._working = asyncio.create_task(self._work())
        outcome = await future
        if outcome.error is not None:
            raise SkippableSourceError(outcome.error)
        if len(outcome.parts) != 1:
            raise SkippableSourceError(f"The parser of {self._task.what} gave no answer.")
        return outcome.parts[0]

    async def _work(self) -> None:
        # Whoever asks within the same step of the event loop comes along.
        await asyncio.sleep(0)
        while batch := self._next():
            try:
                outcomes = await self._parsers.read(self._task, [each.item for each in batch], self._decode)
            except RetriableSourceError as error:
                for each in batch:
                    if not each.future.done():
                        each.future.set_exception(RetriableSourceError(error.message, error.retry_after))
                continue
            for each, outcome in zip(batch, outcomes, strict=True):
                if not each.future.done():
                    each.future.set_result(outcome)

    def _next(self) -> list[_Waiting[T]]:
        """The next items that somebody still waits for."""
        batch: list[_Waiting[T]] = []
        size = 0
        while self._queue and len(batch) < _MOST_ITEMS:
            waiting = self._queue[0]
            size += len(waiting.item.data)
            if batch and size > _MOST_BYTES:
                break
            self._queue.popleft()
            if not waiting.future.done():
                batch.append(waiting)
        return batch
