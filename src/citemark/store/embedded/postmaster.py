"""The running server as the system shows it: pid file, processes, and locks that end with their holders."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from citemark.model.errors import BackendUnavailable
from citemark.store.embedded.data_folder import open_own

_PAUSE = 0.01  # seconds between two tries for a lock
_PS_SECONDS = 10.0  # for listing one process, which takes milliseconds
_PID_LINE, _PORT_LINE, _SOCKETS_LINE, _STATUS_LINE = 0, 3, 4, 7


@dataclass(frozen=True, slots=True)
class PidFile:
    """The content of postmaster.pid; `status` is "starting", "ready", "stopping" or empty."""

    pid: int
    port: int | None
    sockets: Path | None
    status: str


def read_pid_file(cluster: Path) -> PidFile | None:
    """The pid file of a cluster, or None if there is no usable one. It proves nothing: see `is_server_of`."""
    try:
        lines = (cluster / "postmaster.pid").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        pid = int(lines[_PID_LINE])
    except (FileNotFoundError, ValueError, IndexError):
        return None
    lines += [""] * (_STATUS_LINE + 1 - len(lines))
    port, sockets = lines[_PORT_LINE].strip(), lines[_SOCKETS_LINE].strip()
    return PidFile(
        pid,
        int(port) if port.isdigit() else None,
        Path(sockets) if sockets else None,
        lines[_STATUS_LINE].strip(),
    )


def is_server_of(pid: int, cluster: Path) -> bool:
    """Whether a process is a PostgreSQL that works in `cluster`: the pid alone may belong to another program by now."""
    if pid <= 0:
        return False
    if sys.platform.startswith("linux"):
        return _works_in(Path("/proc") / str(pid), cluster)
    command = ["/bin/ps", "-o", "command=", "-p", str(pid)]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PS_SECONDS).stdout
    except subprocess.TimeoutExpired:
        return True  # nothing may take the cluster from a server that may be alive
    return "postgres" in listed and str(cluster) in listed


def server_processes(cluster: Path) -> list[int]:
    """Pids of every PostgreSQL process that works in `cluster`; known on Linux only."""
    if not sys.platform.startswith("linux"):
        return []
    return [
        int(process.name)
        for process in Path("/proc").iterdir()
        if process.name.isdigit() and _works_in(process, cluster)
    ]


def send(pid: int, what: signal.Signals) -> None:
    """Signal a process that may be gone already."""
    with suppress(ProcessLookupError):
        os.kill(pid, what)


def _works_in(process: Path, cluster: Path) -> bool:
    try:
        program = (process / "exe").readlink().name.removesuffix(" (deleted)")
        return program == "postgres" and (process / "cwd").readlink() == cluster
    except OSError:  # gone, a zombie, or of another account
        return False


class FileLock:
    """One open lock file. Closing it releases the lock, unless a child process inherited it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd = open_own(path, os.O_RDWR | os.O_CREAT)

    @property
    def fd(self) -> int:
        """The descriptor, to be inherited by a child process that is to hold the lock too."""
        return self._fd

    def try_exclusive(self) -> bool:
        """Take the lock exclusively if it is free, giving up a shared lock that this object holds."""
        return self._try(fcntl.LOCK_EX)

    def wait_exclusive(self, deadline: float) -> None:
        """Take the lock exclusively, waiting until `deadline` (monotonic seconds).

        Raises:
            BackendUnavailable: another process still holds it.
        """
        self._wait(fcntl.LOCK_EX, deadline)

    def wait_shared(self, deadline: float) -> None:
        """Take the lock in shared mode, waiting until `deadline` (monotonic seconds).

        Raises:
            BackendUnavailable: another process still holds it exclusively.
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

    def _try(self, operation: int) -> bool:
        with suppress(BlockingIOError):
            fcntl.flock(self._fd, operation | fcntl.LOCK_NB)
            return True
        return False

    def _wait(self, operation: int, deadline: float) -> None:
        while not self._try(operation):
            if time.monotonic() >= deadline:
                raise BackendUnavailable(
                    f"Another process is still starting or stopping the database ({self._path}); try again soon.",
                    lock=str(self._path),
                )
            time.sleep(_PAUSE)


@contextmanager
def exclusive_lock(path: Path, deadline: float) -> Generator[None, None, None]:
    """Hold the lock file `path` exclusively during the block."""
    with FileLock(path) as lock:
        lock.wait_exclusive(deadline)
        yield
