"""Parses files in processes of their own, with a limit of time and one of memory for each file."""

import asyncio
import contextlib
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from citemark.extraction.exchange import LENGTH_BYTES, MOST_REPLY_BYTES, extracted_from_json, packed
from citemark.extraction.formats import Format
from citemark.model.errors import RetriableSourceError, SkippableSourceError
from citemark.model.text import Extracted

_FILES_PER_PROCESS = 200
"""Then a fresh one: what parsers leak does not add up."""

_START_SECONDS = 30.0
_GRACE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Limits:
    """What one file may take: seconds of parsing, MiB of memory; and how many are parsed side by side."""

    seconds: float = 60.0
    memory_mib: int = 1000
    processes: int = 2


@dataclass(slots=True)
class _Child:
    """A running process and how many files it has parsed."""

    process: Process
    files: int = 0


class ParserPool:
    """Processes are started by the first file, kept for the next ones, and ended by `close`."""

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._idle: list[_Child] = []
        self._slots = asyncio.Semaphore(self._limits.processes)
        self._closed = False

    async def parse(self, kind: Format, data: bytes, *, fallback_title: str) -> Extracted:
        """What the reader of `kind` makes of `data`.

        Raises:
            SkippableSourceError: the file is broken, locked or empty of text, or wants more time or memory than it may
                have.
            RetriableSourceError: the process could not be started, or is being closed.
        """
        async with self._child() as child:
            reply = await self._ask(child, packed({"format": kind.name, "title": fallback_title}, data))
            if reply.get("memory"):
                child.files = _FILES_PER_PROCESS
        if "extracted" in reply:
            try:
                return extracted_from_json(reply["extracted"])
            except (ValueError, TypeError, KeyError):
                raise SkippableSourceError("The file broke its parser.") from None
        if reply.get("memory"):
            raise self._too_large()
        raise SkippableSourceError(str(reply.get("error", "The file broke its parser.")))

    async def close(self) -> None:
        """End the processes; files that are being parsed fail and are tried again another time."""
        self._closed = True
        while self._idle:
            await _end(self._idle.pop())

    async def _ask(self, child: _Child, message: bytes) -> dict[str, Any]:
        limits = self._limits
        try:
            return await asyncio.wait_for(_exchange(child.process, message), limits.seconds)
        except TimeoutError:
            raise SkippableSourceError(
                f"Parsing took more than the {limits.seconds:g} seconds that a file may take (CITEMARK_PARSE_SECONDS)."
            ) from None
        except (asyncio.IncompleteReadError, ConnectionError, ValueError):
            # The kernel ends a process that reaches for too much memory in native code; so does a parser's own crash.
            if self._closed:
                raise RetriableSourceError("The parser was closed.") from None
            raise self._too_large() from None

    def _too_large(self) -> SkippableSourceError:
        return SkippableSourceError(
            f"The file crashed its parser, or wants more than the {self._limits.memory_mib} MiB of memory that parsing "
            "may take (CITEMARK_PARSE_MEMORY_MIB)."
        )

    @asynccontextmanager
    async def _child(self) -> AsyncGenerator[_Child, None]:
        """A process for one file; it goes back to the others only when the file did it no harm."""
        async with self._slots:
            child = self._idle.pop() if self._idle else await self._started()
            done = False
            try:
                yield child
                done = True
            finally:
                child.files += 1
                if done and child.files < _FILES_PER_PROCESS and not self._closed:
                    self._idle.append(child)
                else:
                    await _end(child)

    async def _started(self) -> _Child:
        if self._closed:
            raise RetriableSourceError("The parser was closed.")
        try:
            process = await asyncio.wait_for(
                asyncio.create_subprocess_exec(
                    sys.executable,
                    "-m",
                    "citemark.extraction.child",
                    str(self._limits.memory_mib),
                    str(os.getpid()),
                    stdin=PIPE,
                    stdout=PIPE,
                    stderr=DEVNULL,
                ),
                _START_SECONDS,
            )
        except (OSError, TimeoutError) as error:
            raise RetriableSourceError(f"No process for parsing could be started: {error}.") from error
        return _Child(process)


async def _exchange(process: Process, message: bytes) -> dict[str, Any]:
    source, sink = process.stdout, process.stdin
    if source is None or sink is None:
        raise ConnectionError
    sink.write(message)
    await sink.drain()
    length = int.from_bytes(await source.readexactly(LENGTH_BYTES), "big")
    if length > MOST_REPLY_BYTES:
        raise ValueError(length)
    reply: dict[str, Any] = json.loads(await source.readexactly(length))
    return reply


async def _end(child: _Child) -> None:
    process = child.process
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), _GRACE_SECONDS)
