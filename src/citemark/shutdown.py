"""Shutdown of a process: orderly where possible, and within seconds even if one of its threads is stuck."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

SECONDS = 4.0
"""From the signal to the forced exit: hosts and service managers kill after five or ten seconds."""

_BEFORE = 1.0
"""Seconds before the forced exit at which the process that stops the database is started: on a busy machine, that takes
long, and if the process is not needed, it does nothing."""

_LAST_SECONDS = 0.7
"""Seconds after the forced exit was due at which the kernel ends the process: by then a thread holds the interpreter's
lock, and none of ours can run."""

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Shutdown:
    """Ends this process `SECONDS` after `begin` if it is still running.

    A thread that never returns would block the interpreter's own exit. Parser processes die with this one; the database
    is stopped by a separate process, unless others use it.
    """

    def __init__(self, data_dir: Path | None, *, code: int, last_words: str = "") -> None:
        """Take the folder of an embedded database, and the exit code of a forced exit and its message on stderr."""
        self._data_dir = data_dir
        self._code = code
        self._last_words = last_words
        self._counting_down = False

    @contextmanager
    def on_signals(self, loop: "AbstractEventLoop", end: Callable[[], object]) -> Generator[None]:
        """During the block, have the loop call `end` on each stop signal; the first one begins the shutdown.

        The handler runs between any two steps of the main thread, so the shutdown begins even if the loop is stuck in
        one of its tasks.
        """

        def on_signal(_number: int, _frame: FrameType | None) -> None:
            self.begin()
            if not loop.is_closed():
                loop.call_soon_threadsafe(end)

        old_handlers = {number: signal.signal(number, on_signal) for number in SIGNALS}
        try:
            yield
        finally:
            for number, handler in old_handlers.items():
                signal.signal(number, handler)

    def begin(self) -> None:
        """Start the countdown to the forced exit; safe to call again."""
        if self._counting_down:
            return
        self._counting_down = True
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, SECONDS + _LAST_SECONDS)
        threading.Thread(target=self._force, name="citemark-ending", daemon=True).start()

    def _force(self) -> None:
        end = time.monotonic() + SECONDS
        time.sleep(SECONDS - _BEFORE)
        if self._data_dir is not None:
            stop_database_later(self._data_dir)
        time.sleep(max(0.0, end - time.monotonic()))
        if self._last_words:
            os.write(2, self._last_words.encode())
        os._exit(self._code)


def leave(code: int) -> NoReturn:
    """End this process once everything is closed, without tearing down the interpreter.

    On a busy machine the teardown would take longer than the time that is left, and being ended by the kernel looks
    like a crash.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # there may be no reader any more
            stream.flush()
    os._exit(code)


def stop_database_later(data_dir: Path) -> None:
    """Start a process that waits for this one to end and then stops the embedded database, unless others use it."""
    nothing = subprocess.DEVNULL
    command = [sys.executable, "-P", "-m", "citemark.store.embedded", str(data_dir)]
    left = subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True)
    left.returncode = 0  # it outlives this process, which is warned about otherwise
