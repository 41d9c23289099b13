"""Locks that the kernel lets go when their holder dies (flock on files of the data folder)."""

import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from citemark.model.errors import BackendUnavailable
from citemark.store.embedded.files import open_own

_PAUSE = 0.01


class FileLock:
    """One open lock file. Closing it lets the lock go, unless a child process inherited it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd = open_own(path, os.O_RDWR | os.O_CREAT)

    @property
    def fd(self) -> int:
        """The descriptor, to be inherited by a child that shall hold the lock too."""
        return self._fd

    def try_exclusive(self) -> bool:
        """Take it alone if nobody else has it (a shared hold of this object is given up for it)."""
        return self._try(fcntl.LOCK_EX)

    def wait_exclusive(self, deadline: float) -> None:
        """Take it alone, waiting until `deadline` (monotonic seconds).

        Raises:
            BackendUnavailable: somebody else still has it.
        """
        self._wait(fcntl.LOCK_EX, deadline)

    def wait_shared(self, deadline: float) -> None:
        """Take it beside others, waiting until `deadline` (monotonic seconds).

        Raises:
            BackendUnavailable: somebody still has it alone.
        """
        self._wait(fcntl.LOCK_SH, deadline)

    def close(self) -> None:
        """Close the file."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _try(self, how: int) -> bool:
        with suppress(BlockingIOError):
            fcntl.flock(self._fd, how | fcntl.LOCK_NB)
            return True
        return False

    def _wait(self, how: int, deadline: float) -> None:
        while not self._try(how):
            if time.monotonic() >= deadline:
                raise BackendUnavailable(
                    f"Another process is still starting or stopping the database ({self._path}); try again soon.",
                    lock=str(self._path),
                )
            time.sleep(_PAUSE)


@contextmanager
def exclusive_lock(path: Path, deadline: float) -> Generator[None, None, None]:
    """Hold the lock file `path` alone during the block."""
    with FileLock(path) as lock:
        lock.wait_exclusive(deadline)
        yield
