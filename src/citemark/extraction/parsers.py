"""Parses files in processes of their own, with a limit of time and one of memory for each file."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from citemark.extraction.exchange import extracted_from_json, packed
from citemark.extraction.formats import Format
from citemark.extraction.processes import Child, ChildDied, Limits
from citemark.model.errors import RetriableSourceError, SkippableSourceError
from citemark.model.text import Extracted

_FILES_PER_PROCESS = 200
"""Then a fresh one: what parsers leak does not add up."""

_IDLE_SECONDS = 60.0
_BROKE = "The file broke its parser."


@dataclass(frozen=True, slots=True)
class _Reply:
    """What a process answered: a document, or why there is none, or that its memory did not suffice."""

    extracted: Extracted | None = None
    error: str = _BROKE
    starved: bool = False


class ParserPool:
    """Processes are started by the first file, kept for the next ones, and ended when idle for long or by `close`."""

    def __init__(self, limits: Limits | None = None, *, idle_seconds: float = _IDLE_SECONDS) -> None:
        self._limits = limits or Limits()
        self._idle_seconds = idle_seconds
        self._idle: list[tuple[float, Child]] = []
        self._busy: set[Child] = set()
        self._slots = asyncio.Semaphore(self._limits.processes)
        self._retiring: asyncio.Task[None] | None = None
        self._closed = False

    async def parse(self, kind: Format, data: bytes, *, fallback_title: str) -> Extracted:
        """What the reader of `kind` makes of `data`.

        Raises:
            SkippableSourceError: the file is broken, locked or empty of text, or wants more time or memory than it may
                have.
            RetriableSourceError: the process could not be started, or is being closed.
        """
        async with self._slots:
            reply = await self._reply(packed({"format": kind.name, "title": fallback_title}, data))
        if reply.starved:
            raise self._too_large()
        if reply.extracted is None:
            raise SkippableSourceError(reply.error)
        return reply.extracted

    async def close(self) -> None:
        """End the processes; files that are being parsed fail and are tried again another time."""
        self._closed = True
        if self._retiring is not None:
            self._retiring.cancel()
        while self._idle:
            await self._idle.pop()[1].end()
        await asyncio.gather(*(child.end() for child in self._busy))

    async def _reply(self, message: bytes) -> _Reply:
        child = self._taken() or await self._started()
        served = child.files > 0
        try:
            return await self._asked(child, message)
        except ChildDied:
            if not served:
                raise self._too_large() from None
        # It may have died of what it read before, or by another's hand: a fresh process decides.
        try:
            return await self._asked(await self._started(), message)
        except ChildDied:
            raise self._too_large() from None

    async def _asked(self, child: Child, message: bytes) -> _Reply:
        """One exchange; the process goes back to the others only when the file did it no harm."""
        self._busy.add(child)
        try:
            answer = await child.ask(message, self._limits.seconds)
            reply = await asyncio.to_thread(_read, answer)
        except TimeoutError:
            await child.end()
            raise SkippableSourceError(
                f"Parsing took more than the {self._limits.seconds:g} seconds that a file may take "
                "(CITEMARK_PARSE_SECONDS)."
            ) from None
        except ChildDied:
            await child.end()
            if self._closed:
                raise RetriableSourceError("The parser was closed.") from None
            raise
        except asyncio.CancelledError:
            await child.end()
            raise
        finally:
            self._busy.discard(child)
        if reply.starved or child.files >= _FILES_PER_PROCESS or self._closed:
            await child.end()
        else:
            self._keep(child)
        return reply

    def _too_large(self) -> SkippableSourceError:
        return SkippableSourceError(
            f"The file crashed its parser, or wants more than the {self._limits.memory_mib} MiB of memory that parsing "
            "may take (CITEMARK_PARSE_MEMORY_MIB)."
        )

    def _taken(self) -> Child | None:
        """The process that was used last, if one lives."""
        while self._idle:
            _, child = self._idle.pop()
            if child.lives:
                return child
        return None

    async def _started(self) -> Child:
        if self._closed:
            raise RetriableSourceError("The parser was closed.")
        try:
            return await Child.started(self._limits)
        except (OSError, TimeoutError) as error:
            raise RetriableSourceError(f"No process for parsing could be started: {error}.") from error

    def _keep(self, child: Child) -> None:
        self._idle.append((asyncio.get_running_loop().time() + self._idle_seconds, child))
        if self._retiring is None or self._retiring.done():
            self._retiring = asyncio.create_task(self._retire())

    async def _retire(self) -> None:
        """End what nobody has needed for a while: a server that waits for questions need not hold parsers."""
        clock = asyncio.get_running_loop().time
        while self._idle:
            until, child = self._idle[0]
            if until > clock():
                await asyncio.sleep(until - clock())
            else:
                del self._idle[0]
                await child.end()


def _read(answer: bytes) -> _Reply:
    try:
        given: dict[str, Any] = json.loads(answer)
        if "extracted" in given:
            return _Reply(extracted_from_json(given["extracted"]))
        return _Reply(error=str(given.get("error", _BROKE)), starved=bool(given.get("memory")))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return _Reply()
