"""A parsing process as its parent sees it: started with few rights, sent one request at a time, and always ended."""

import asyncio
import contextlib
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import citemark
from citemark.extraction.sandbox.ipc import LENGTH_BYTES, MOST_REPLY_BYTES

_START_SECONDS = 30.0
"""A busy machine takes seconds to start Python; one that takes longer than this has no room for a process."""

_GRACE_SECONDS = 2.0
"""How long to wait for a killed process to be gone; the system reaps it later in any case."""

_STEP = 1024 * 1024
"""Bytes that are written before waiting for the pipe, so that a large file is not copied into a buffer."""

_HANDED_DOWN = frozenset(
    {"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LD_LIBRARY_PATH",
     "DYLD_LIBRARY_PATH", "PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV", "TESSDATA_PREFIX"}
)  # fmt: skip


class ParserDied(Exception):
    """The process ended, or sent something malformed, instead of a result."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one file may take (seconds of parsing, MiB of memory), and how many are parsed at the same time."""

    seconds: float = 60.0
    memory_mib: int = 900
    processes: int = 2


class ParserProcess:
    """A running process, with the number of requests and items that it has been given."""

    def __init__(self, process: Process) -> None:
        self.requests = 0
        self.items = 0
        self._process = process

    @classmethod
    async def started(cls, limits: Limits) -> "ParserProcess":
        """Start a process, in the event loop's thread: the kernel ends the process together with that thread.

        Raises:
            OSError, TimeoutError: the system could not start it.
        """
        async with asyncio.timeout(_START_SECONDS):
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",
                "-m",
                "citemark.extraction.sandbox.child",
                str(limits.memory_mib),
                str(os.getpid()),
                str(limits.seconds),
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,
                env=child_environment(),
            )
        return cls(process)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def lives(self) -> bool:
        """Whether the process is not known to have ended."""
        return self._process.returncode is None

    async def send(self, pieces: Iterable[bytes], seconds: float) -> None:
        """Send a request.

        Raises:
            TimeoutError: the process does not accept it within `seconds`.
            ParserDied: the process has ended.
        """
        self.requests += 1
        sink = self._process.stdin
        if sink is None:
            raise ParserDied
        try:
            async with asyncio.timeout(seconds):
                for piece in pieces:
                    view = memoryview(piece)
                    for start in range(0, len(view), _STEP):
                        sink.write(view[start : start + _STEP])
                        await sink.drain()
        except ConnectionError as error:
            raise ParserDied from error

    async def receive(self, seconds: float) -> bytes:
        """Return the next message of the answer.

        Raises:
            TimeoutError: the message does not arrive within `seconds`.
            ParserDied: the process has ended.
        """
        source = self._process.stdout
        if source is None:
            raise ParserDied
        try:
            async with asyncio.timeout(seconds):
                length = int.from_bytes(await source.readexactly(LENGTH_BYTES), "big")
                if length > MOST_REPLY_BYTES:
                    raise ParserDied
                return await source.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise ParserDied from error

    async def end(self) -> None:
        """Kill the process and wait until it is gone."""
        if self.lives:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GRACE_SECONDS):
                await self._process.wait()


def child_environment() -> dict[str, str]:
    """The variables that Python needs to run, without the keys and passwords of this process."""
    variables = {name: value for name, value in os.environ.items() if name.upper() in _HANDED_DOWN}
    package_root = str(Path(citemark.__file__).parents[1])
    variables["PYTHONPATH"] = os.pathsep.join(filter(None, [package_root, variables.get("PYTHONPATH", "")]))
    # Libraries that reserve memory per thread would use up the limit before anything is read.
    return {**variables, "MALLOC_ARENA_MAX": "2", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
