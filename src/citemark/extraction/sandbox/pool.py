"""Reads untrusted files in separate processes, with limits on time and memory for each item."""

import asyncio
import json
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from citemark.extraction.sandbox.ipc import MOST_REPLY_BYTES, ParseItem, ParseTask, request_of
from citemark.extraction.sandbox.process import Limits, ParserDied, ParserProcess
from citemark.extraction.text_recognition import TextRecognition
from citemark.model.errors import RetriableSourceError, SkippableSourceError

_REQUESTS_PER_PROCESS = 200
"""After this many requests a fresh process takes over, so that what parsers leak does not add up."""

_MOST_DEATHS = 2
"""Deaths of fresh processes in a row after which an item is blamed: a single one may have been killed from outside."""

_IDLE_SECONDS = 60.0
"""Long enough for the next file of a sync to arrive, while a server that only answers questions keeps no parsers."""

BROKE = "The file broke its parser."

_LARGE = 256 * 1024
"""Bytes from which a thread decodes a message, so that the event loop can answer questions in the meantime."""

T = TypeVar("T")

_MOST_ITEMS = 24
"""Most items of one request: as many as a first sync fetches concurrently; a hostile one may take seconds."""

_MOST_BYTES = 4 * 1024 * 1024
"""Most bytes of one request, unless a single item is larger: large items gain nothing from sharing a request."""


@dataclass(frozen=True, slots=True)
class ParseOutcome(Generic[T]):
    """The result of one item: its parts, or the reason why there are none."""

    parts: tuple[T, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True)
class _Message(Generic[T]):
    """A message from a process: a part, the end of an item, or both."""

    parts: tuple[T, ...] = ()
    error: str | None = None
    starved: bool = False
    end: bool = False


class ParserBudget(Protocol):
    """What the items of somebody may still take, asked before each item and told of each that brought no result."""

    def seconds(self, most: float) -> float:
        """The time for the next item, of the `most` that the limits of the pool allow."""
        ...

    def failed(self, seconds: float) -> None:
        """An item took so long, and there is no result."""
        ...


class Unlimited:
    """Every item may take what the limits of the pool allow."""

    def seconds(self, most: float) -> float:
        """All of it."""
        return most

    def failed(self, seconds: float) -> None:
        """Nothing is counted."""


class ParserPool:
    """Processes that read items. The first item starts one, which is kept for later items and ended when it is idle."""

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        recognition: TextRecognition | None = None,
        idle_seconds: float = _IDLE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start nothing yet.

        Args:
            limits: of one item.
            recognition: what recognises the text of scans in these processes; None for what is installed.
            idle_seconds: how long a process without items is kept.
            clock: gives the seconds by which the time of items is counted.
        """
        self._clock = clock
        self.limits = limits or Limits()
        self.recognition = recognition or TextRecognition()
        self._idle_seconds = idle_seconds
        self._idle: list[tuple[float, ParserProcess]] = []
        self._alive: set[ParserProcess] = set()
        self._slots = asyncio.Semaphore(self.limits.processes)
        self._retiring: asyncio.Task[None] | None = None
        self._closed = False

    async def parts(self, task: ParseTask, item: ParseItem, decode: Callable[[Any], T]) -> tuple[T, ...]:
        """Run a task on one item and return its parts.

        Raises:
            SkippableSourceError: the item is broken, locked or has no text, or needs more time or memory than allowed.
            RetriableSourceError: the process could not be started, or is being closed.
        """
        (outcome,) = await self.read(task, [item], decode)
        if outcome.error is not None:
            raise SkippableSourceError(outcome.error)
        return outcome.parts

    async def read(
        self,
        task: ParseTask,
        items: Sequence[ParseItem],
        decode: Callable[[Any], T],
        *,
        budget: ParserBudget | None = None,
    ) -> list[ParseOutcome[T]]:
        """Run a task on items, in order, and in one process as long as it survives them.

        Args:
            task: what is done with every item.
            items: at least one; together small enough for one request.
            decode: converts the JSON of a part to a value; raises ValueError, TypeError or KeyError if it is malformed.
            budget: what the items may take, if that can be less than the limits allow.

        Raises:
            RetriableSourceError: a process could not be started, or the pool is being closed.
        """
        outcomes: list[ParseOutcome[T]] = []
        budget = budget or Unlimited()
        died, deaths = False, 0
        async with self._slots:
            while len(outcomes) < len(items):
                child = (None if died else self._take_idle()) or await self._start()
                fresh = child.items == 0
                before, began = len(outcomes), self._clock()
                died = await self._batch(child, task, items[before:], decode, outcomes, budget)
                # An earlier item may have killed it, or something outside: fresh processes decide.
                deaths = deaths + 1 if died and fresh and len(outcomes) == before else 0
                if deaths == _MOST_DEATHS:
                    outcomes.append(ParseOutcome(error=self._too_large()))
                    budget.failed(_MOST_DEATHS * (self._clock() - began))
                    died, deaths = False, 0
        return outcomes

    async def close(self) -> None:
        """End the processes and wait for all reading to end; items that are being read are retried another time."""
        self._closed = True
        if self._retiring is not None:
            self._retiring.cancel()
        self._idle.clear()
        await asyncio.gather(*map(self._end, self._alive))
        async with AsyncExitStack() as reading:
            for _ in range(self.limits.processes):
                await reading.enter_async_context(self._slots)

    async def _batch(
        self,
        child: ParserProcess,
        task: ParseTask,
        items: Sequence[ParseItem],
        decode: Callable[[Any], T],
        outcomes: list[ParseOutcome[T]],
        budget: ParserBudget,
    ) -> bool:
        """Add the outcomes of items until one harms the process, which is then not kept; return whether it died."""
        unharmed = False
        seconds, began = budget.seconds(self.limits.seconds), self._clock()
        try:
            await child.send(request_of(task, items), seconds)
            for _ in items:
                child.items += 1
                seconds, began = budget.seconds(self.limits.seconds), self._clock()
                outcome, harmed = await self._outcome(child, decode, seconds)
                outcomes.append(outcome)
                if outcome.error is not None:
                    budget.failed(self._clock() - began)
                if harmed:
                    return False
            unharmed = child.requests < _REQUESTS_PER_PROCESS and not (self._closed or task.ends_process)
        except TimeoutError:
            outcomes.append(ParseOutcome(error=self._too_long(seconds)))
            budget.failed(max(seconds, self._clock() - began))
        except ParserDied:
            if self._closed:
                raise RetriableSourceError("The parser was closed.") from None
            return True
        finally:
            if unharmed:
                self._keep(child)
            else:
                await self._end(child)
        return False

    async def _outcome(
        self, child: ParserProcess, decode: Callable[[Any], T], seconds: float
    ) -> tuple[ParseOutcome[T], bool]:
        """Return the outcome of the item that a process is reading, and whether the item harmed the process.

        An item harms the process if it runs out of memory or breaks off with a malformed message.

        Raises:
            TimeoutError: a part of the item takes longer than a whole item may.
            ParserDied: the process ended, or sent more than any item contains.
        """
        parts: list[T] = []
        size = 0
        while True:
            data = await child.receive(seconds)
            message = _read(data, decode) if len(data) < _LARGE else await asyncio.to_thread(_read, data, decode)
            size += len(data)
            if size > MOST_REPLY_BYTES:
                raise ParserDied
            parts += message.parts
            if message.starved:
                return ParseOutcome(error=self._too_large()), True
            if message.error is not None:
                return ParseOutcome(error=message.error), not message.end
            if message.end:
                return ParseOutcome(tuple(parts)), False

    def _too_long(self, seconds: float) -> str:
        if seconds < self.limits.seconds:
            return (
                f"Parsing took more than the {seconds:g} seconds that are left for a file of this source, because "
                f"others used up their {self.limits.seconds:g} (CITEMARK_PARSE_SECONDS). Leave those out; this one is "
                "read again when it changes."
            )
        return f"Parsing took more than the {seconds:g} seconds that a file may take (CITEMARK_PARSE_SECONDS)."

    def _too_large(self) -> str:
        return (
            f"The file crashed its parser, or needs more than the {self.limits.memory_mib} MiB of memory that parsing "
            "may take (CITEMARK_PARSE_MEMORY_MIB)."
        )

    def _take_idle(self) -> ParserProcess | None:
        """The idle process that was used last, if one is still alive."""
        while self._idle:
            _, child = self._idle.pop()
            if child.lives:
                return child
            self._alive.discard(child)
        return None

    async def _start(self) -> ParserProcess:
        if not self._closed:
            try:
                child = await ParserProcess.started(self.limits)
            except (OSError, TimeoutError) as error:
                raise RetriableSourceError(f"No process for parsing could be started: {error}.") from error
            self._alive.add(child)
            if not self._closed:
                return child
            await self._end(child)
        raise RetriableSourceError("The parser was closed.")

    async def _end(self, child: ParserProcess) -> None:
        """Kill a process and wait for its end; if the wait is broken off, `close` waits for it."""
        await child.end()
        self._alive.discard(child)

    def _keep(self, child: ParserProcess) -> None:
        self._idle.append((asyncio.get_running_loop().time() + self._idle_seconds, child))
        if self._retiring is None or self._retiring.done():
            self._retiring = asyncio.create_task(self._retire())

    async def _retire(self) -> None:
        """End processes that have been idle for too long."""
        clock = asyncio.get_running_loop().time
        while self._idle:
            until, child = self._idle[0]
            if until > clock():
                await asyncio.sleep(until - clock())
            else:
                del self._idle[0]
                await self._end(child)


def _read(data: bytes, decode: Callable[[Any], T]) -> _Message[T]:
    """Decode a message; a malformed one ends its item, and its process with it."""
    try:
        message: Mapping[str, Any] = json.loads(data)
        error = message.get("error")
        parts = (decode(message["part"]),) if "part" in message else ()
        return _Message(
            parts,
            None if error is None else str(error),
            starved=bool(message.get("memory")),
            end=bool(message.get("end")),
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return _Message(error=BROKE)


@dataclass(frozen=True, slots=True)
class _Waiting(Generic[T]):
    item: ParseItem
    future: "asyncio.Future[ParseOutcome[T]]"


class BatchReader(Generic[T]):
    """Reads small items with one task, many per request: a request for each would cost more than reading it.

    Items that arrive while a request is under way form the next one.
    """

    def __init__(self, parsers: ParserPool, task: ParseTask, decode: Callable[[Any], T]) -> None:
        self._parsers = parsers
        self._task = task
        self._decode = decode
        self._queue: deque[_Waiting[T]] = deque()
        self._working: asyncio.Task[None] | None = None

    async def read(self, item: ParseItem) -> T:
        """Read an item whose result is one part.

        Raises:
            SkippableSourceError: the item cannot be read; the message says why.
            RetriableSourceError: no process could be started, or the parsers are being closed.
        """
        future: asyncio.Future[ParseOutcome[T]] = asyncio.get_running_loop().create_future()
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
        # Items that are added in the same step of the event loop join the first one.
        await asyncio.sleep(0)
        while batch := self._next():
            try:
                outcomes = await self._parsers.read(self._task, [waiting.item for waiting in batch], self._decode)
            except RetriableSourceError as error:
                for waiting in batch:
                    if not waiting.future.done():
                        waiting.future.set_exception(RetriableSourceError(error.message, error.retry_after))
                continue
            for waiting, outcome in zip(batch, outcomes, strict=True):
                if not waiting.future.done():
                    waiting.future.set_result(outcome)

    def _next(self) -> list[_Waiting[T]]:
        """The next items whose callers are still waiting."""
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
