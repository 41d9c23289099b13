"""One parsing process as its parent sees it: started with little, sent one request at a time, ended for certain."""

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
_GRACE_SECONDS = 2.0
_STEP = 1024 * 1024
_HANDED_DOWN = frozenset(
    {"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LD_LIBRARY_PATH",
     "DYLD_LIBRARY_PATH", "PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV"}
)  # fmt: skip


class ParserDied(Exception):
    """The process ended, or said what no parser says, instead of answering."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one file may take: seconds of parsing, MiB of memory; and how many are parsed side by side."""

    seconds: float = 60.0
    memory_mib: int = 900
    processes: int = 2


class ParserProcess:
    """A running process, and how many requests and items it has been given."""

    def __init__(self, process: Process) -> None:
        self.requests = 0
        self.items = 0
        self._process = process

    @classmethod
    async def started(cls, limits: Limits) -> "ParserProcess":
        """A fresh process. Started by the thread of the event loop: the kernel lets it live as long as that thread.

        Raises:
            OSError, TimeoutError: the system has no room for it.
        """
        process = await asyncio.wait_for(
            asyncio.create_subprocess_exec(
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
                env=_environment(),
            ),
            _START_SECONDS,
        )
        return cls(process)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def lives(self) -> bool:
        """False once it is known to have ended."""
        return self._process.returncode is None

    async def send(self, pieces: Iterable[bytes], seconds: float) -> None:
        """Send a request.

        Raises:
            TimeoutError: it is not taken within `seconds`.
            ChildDied: nobody takes it.
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
        """The next message of the answer.

        Raises:
            TimeoutError: it does not come within `seconds`.
            ChildDied: it will not come.
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
        """Kill it and wait until it is gone."""
        if self.lives:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), _GRACE_SECONDS)


def _environment() -> dict[str, str]:
    """What Python needs to run, and none of this process's keys and passwords."""
    kept = {name: value for name, value in os.environ.items() if name.upper() in _HANDED_DOWN}
    here = str(Path(citemark.__file__).parents[1])
    kept["PYTHONPATH"] = os.pathsep.join(filter(None, [here, kept.get("PYTHONPATH", "")]))
    # Libraries that reserve memory per thread would use up the limit with nothing read.
    return {**kept, "MALLOC_ARENA_MAX": "2", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
