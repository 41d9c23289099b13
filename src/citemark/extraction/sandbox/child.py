"""A process that reads untrusted files, one request after another: `python -m citemark.extraction.sandbox.child`.

It holds nothing worth stealing, is not root and has no network. It ends when its parent closes the pipe or dies, when
an item needs more memory than allowed, and when one takes much longer than its parent should have waited.
"""

import contextlib
import ctypes
import json
import os
import pwd
import re
import signal
import sys
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from types import FrameType, ModuleType, TracebackType
from typing import Any, BinaryIO, Self

from citemark.extraction.sandbox.ipc import LENGTH_BYTES, ParseItem, ParseTask, packed
from citemark.model.errors import SkippableSourceError

_USER_IDS = (64_866, 65_534)
"""The user ids that root switches to: one that neither a system account nor the database server has (ADR 30), or
`nobody` where a container has no such id."""

_PR_SET_NO_NEW_PRIVS = 38
_CLONE_NEWNET = 0x40000000
_CLONE_NEWUSER = 0x10000000
_PR_SET_PDEATHSIG = 1

_NICE = 5
"""The niceness: searches come first, and the threads that embed in the background, with 19, come last."""

_CLOSE = 0.75
"""Share of the memory limit: an error after the process came this close to it counts as a lack of memory."""

_OVERTIME = 5.0
"""Seconds beyond the parent's limit; as long as the parent lives, it is the one that ends a slow process."""

_AGAIN = 0.5
"""Seconds of processor time after which an item is stopped again if its parser caught the first stop."""


class _TookTooLong(BaseException):
    """An item used up its processor time. Not an `Exception`, since libraries catch those."""


def main() -> None:
    """Serve requests until the pipe closes. Arguments: MiB of memory, the parent's process id, seconds per item."""
    memory, parent, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    leave_signals_to_the_parent()
    _limit(memory * 1024 * 1024)
    give_up_privileges()
    _die_with(parent)  # after dropping privileges: the kernel forgets this when the account changes
    source, sink = claim_pipes()
    while (request := _read_request(source)) is not None:
        task, items = request
        for item in items:
            alarm(seconds + _OVERTIME)
            for message in _answers(task, item):
                sink.write(packed(message))
                sink.flush()
                alarm(seconds + _OVERTIME)
            alarm(0)


def _answers(task: ParseTask, item: ParseItem) -> Iterator[dict[str, Any]]:
    """Yield the messages for an item; the last one says how reading it ended."""
    last: dict[str, Any] = {}
    try:
        read = task.load()  # before the limits: imports do not count against the item
        with _headroom(task.memory_mib), _ProcessorTime(task.cpu_seconds) as time:
            for part in read(item.data, **item.arguments):
                if last:
                    time.counts = False
                    yield last
                    time.counts = True
                last = {"part": part}
    except _TookTooLong:
        last = {"error": f"Reading it takes more than {task.cpu_seconds:g} seconds of the processor."}
    except SkippableSourceError as error:
        # Libraries raise errors of their own for a failed allocation.
        last = {"memory": True} if _starved() else {"error": error.message}
    except MemoryError:
        last = {"memory": True}
    except Exception as error:  # noqa: BLE001 - a file that breaks its parser must not stop the others
        message = f"The file cannot be read: {type(error).__name__} in the parser of {task.what}."
        last = {"memory": True} if _starved() else {"error": message}
    yield {**last, "end": True}


class _ProcessorTime:
    """Stops a block after a number of seconds of processor time, however busy the machine is.

    While `counts` is False the block is not stopped, so that no incomplete message is sent.
    """

    def __init__(self, seconds: float | None) -> None:
        self.counts = True
        self._seconds = None if sys.platform == "win32" else seconds

    def __enter__(self) -> Self:
        if self._seconds is not None:
            signal.signal(signal.SIGVTALRM, self._stop)
            signal.setitimer(signal.ITIMER_VIRTUAL, self._seconds, _AGAIN)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.counts = False
        if self._seconds is not None:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        if self.counts:
            raise _TookTooLong


@contextlib.contextmanager
def _headroom(mib: int | None) -> Generator[None]:
    """Limit the memory that the process may add to its present size, where the system reports that size."""
    sizes = Path("/proc/self/statm")
    if mib is None or sys.platform == "win32" or not sizes.exists():
        yield
        return
    import resource  # noqa: PLC0415 - not on every platform

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    now = int(sizes.read_text("ascii").split()[0]) * resource.getpagesize()
    limit = now + mib * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _starved() -> bool:
    """Whether this process has come close to its memory limit, as far as the system reports it."""
    status = Path("/proc/self/status")
    if not status.exists():
        return False
    import resource  # noqa: PLC0415 - not on every platform

    peak = re.search(r"VmPeak:\s+(\d+) kB", status.read_text("ascii", "replace"))
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return peak is not None and limit > 0 and int(peak[1]) * 1024 > _CLOSE * limit


def _read_request(source: BinaryIO) -> tuple[ParseTask, list[ParseItem]] | None:
    length = source.read(LENGTH_BYTES)
    if len(length) < LENGTH_BYTES:
        return None
    head: dict[str, Any] = json.loads(source.read(int.from_bytes(length, "big")))
    items = [ParseItem(source.read(entry["bytes"]), entry["arguments"]) for entry in head["items"]]
    return ParseTask(**head["task"]), items


def claim_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Return the pipes to the parent; close the standard streams, so that no parser writes to the pipes by accident."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null_device = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null_device, standard)
    return source, sink


def leave_signals_to_the_parent() -> None:
    """Ignore Ctrl-C and SIGTERM, which reach the whole process group: the parent decides when this process ends."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def alarm(seconds: float) -> None:
    """Have the kernel end this process after `seconds`, in case no parent is left to do it; 0 means never."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _die_with(parent: int) -> None:
    """Have the kernel end this process together with its parent, where it can (Linux)."""
    if not sys.platform.startswith("linux"):
        return
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        raise SystemExit(0)


def _limit(memory: int) -> None:
    """Limit the memory of this process, and let searches have the processor first."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on every platform

    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    with contextlib.suppress(OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.nice(_NICE)


def give_up_privileges(*, account: bool = True) -> None:
    """Give up root, the network, and any way to gain privileges, as far as the system allows.

    Files are read even where it does not allow this. `account`: root becomes a user who owns nothing; without it the
    process can still read what its account can, which it has to if it is told a path.
    """
    if not sys.platform.startswith("linux"):
        return
    libc = ctypes.CDLL(None, use_errno=True)
    with contextlib.suppress(AttributeError):
        # Without root, the network can be left only together with the user namespace.
        libc.unshare(_CLONE_NEWNET if os.geteuid() == 0 else _CLONE_NEWNET | _CLONE_NEWUSER)
    if account and os.geteuid() == 0:
        _keep_modules_in_reach()
        _drop_root()
    with contextlib.suppress(AttributeError):
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def _drop_root() -> None:
    for user_id in _USER_IDS:
        if user_id == _USER_IDS[0] and _is_taken(user_id):
            continue
        with contextlib.suppress(OSError):
            os.setgroups([])
            os.setgid(user_id)
            os.setuid(user_id)
            return


def _is_taken(user_id: int) -> bool:
    try:
        pwd.getpwuid(user_id)
    except KeyError:
        return False
    return True


def _keep_modules_in_reach() -> None:
    """Keep module folders reachable through descriptors if other accounts cannot enter the folders above them.

    Root's Python may be in root's home; a descriptor leads to its folder without passing through those above it.
    """
    descriptors: dict[str, str] = {}
    for entry in sys.path:
        folder = Path(entry)
        if entry and folder.is_dir() and not _is_open(folder):
            descriptors[str(folder)] = f"/proc/self/fd/{os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)}"
    if not descriptors:
        return
    sys.path[:] = _moved(sys.path, descriptors)
    for module in list(sys.modules.values()):
        _move(module, descriptors)
    sys.path_importer_cache.clear()


def _is_open(folder: Path) -> bool:
    """Whether every account can enter all folders down to this one."""
    resolved = folder.resolve()
    return all(directory.stat().st_mode & 0o001 for directory in (resolved, *resolved.parents))


def _move(module: ModuleType, descriptors: dict[str, str]) -> None:
    """Make a package look for its modules where they can be reached."""
    with contextlib.suppress(AttributeError, TypeError):
        moved = _moved(module.__path__, descriptors)
        if moved != list(module.__path__):
            module.__path__ = moved


def _moved(paths: Iterable[str], descriptors: dict[str, str]) -> list[str]:
    found: list[str] = []
    for path in paths:
        folder = next((root for root in descriptors if path == root or path.startswith(root + os.sep)), None)
        found.append(path if folder is None else descriptors[folder] + path[len(folder) :])
    return found


if __name__ == "__main__":
    main()
