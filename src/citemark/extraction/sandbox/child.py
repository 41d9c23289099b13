"""A process that reads files from strangers, request after request: `python -m citemark.extraction.sandbox.child`.

It holds nothing worth stealing, is not root and has no network. It ends when its parent closes the pipe or dies, when
an item needs more memory than it may have, and when one takes much longer than its parent should have waited.
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

_NUMBERS = (64_866, 65_534)
"""The account numbers that root changes to: one that neither a system account nor the database server has (ADR 30), or
`nobody` where a container has no such number."""

_PR_SET_NO_NEW_PRIVS = 38
_CLONE_NEWNET = 0x40000000
_CLONE_NEWUSER = 0x10000000
_PR_SET_PDEATHSIG = 1

_NICE = 5
"""Behind searches, and before the threads that embed in the background, which have 19."""

_CLOSE = 0.75
"""Of the memory limit: an error after the process came this close to it is taken for a lack of memory."""

_OVERTIME = 5.0
"""Seconds beyond the limit of the parent, which is the one to end a slow process as long as it lives."""

_AGAIN = 0.5
"""Seconds of processor time after which an item that caught the first stop is stopped again."""


class _TookTooLong(BaseException):
    """An item used up its processor time. Not an `Exception`, since libraries catch those."""


def main() -> None:
    """Serve until the pipe closes. Arguments: MiB of memory, the parent's process id, seconds for an item."""
    memory, parent, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    _leave_signals_to_the_parent()
    _limit(memory * 1024 * 1024)
    give_up_privileges()
    _die_with(parent)  # after all else: the kernel forgets this when the account changes
    source, sink = _claim()
    while (asked := _asked(source)) is not None:
        task, items = asked
        for item in items:
            _alarm(seconds + _OVERTIME)
            for message in _answers(task, item):
                sink.write(packed(message))
                sink.flush()
                _alarm(seconds + _OVERTIME)
            _alarm(0)


def _answers(task: ParseTask, item: ParseItem) -> Iterator[dict[str, Any]]:
    """The messages for an item; the last one says how it ended."""
    last: dict[str, Any] = {}
    try:
        read = task.load()  # before the limits: imports are not the item's
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
        # Libraries have words of their own for an allocation that failed.
        last = {"memory": True} if _starved() else {"error": error.message}
    except MemoryError:
        last = {"memory": True}
    except Exception as error:  # noqa: BLE001 - a file that breaks its parser must not stop the others
        message = f"The file cannot be read: {type(error).__name__} in the parser of {task.what}."
        last = {"memory": True} if _starved() else {"error": message}
    yield {**last, "end": True}


class _ProcessorTime:
    """Stops a block after so many seconds of processor time, whatever else the machine is doing.

    While `counts` is False the block is not stopped, so that no half message is sent.
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
    """Limit what the process may occupy beyond its present size, if the system reports that size."""
    sizes = Path("/proc/self/statm")
    if mib is None or sys.platform == "win32" or not sizes.exists():
        yield
        return
    import resource  # noqa: PLC0415 - not on every platform

    whole, hard = resource.getrlimit(resource.RLIMIT_AS)
    now = int(sizes.read_text("ascii").split()[0]) * resource.getpagesize()
    wanted = now + mib * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (whole, hard))


def _starved() -> bool:
    """Whether this process has come close to its memory limit, as far as the system reports it."""
    status = Path("/proc/self/status")
    if not status.exists():
        return False
    import resource  # noqa: PLC0415 - not on every platform

    peak = re.search(r"VmPeak:\s+(\d+) kB", status.read_text("ascii", "replace"))
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return peak is not None and limit > 0 and int(peak[1]) * 1024 > _CLOSE * limit


def _asked(source: BinaryIO) -> tuple[ParseTask, list[ParseItem]] | None:
    length = source.read(LENGTH_BYTES)
    if len(length) < LENGTH_BYTES:
        return None
    head: dict[str, Any] = json.loads(source.read(int.from_bytes(length, "big")))
    items = [ParseItem(source.read(each["bytes"]), each["arguments"]) for each in head["items"]]
    return ParseTask(**head["task"]), items


def _claim() -> tuple[BinaryIO, BinaryIO]:
    """The pipes to the parent; the standard streams are closed, so that no parser writes to the pipes by accident."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    return source, sink


def _leave_signals_to_the_parent() -> None:
    """Ctrl-C and the end of a service reach the whole process group; the parent decides when this process ends."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def _alarm(seconds: float) -> None:
    """Have the kernel end this process after so many seconds, should no parent be left to do it; 0 for never."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _die_with(parent: int) -> None:
    """Let the kernel end this process with its parent, where it can (Linux)."""
    if not sys.platform.startswith("linux"):
        return
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        raise SystemExit(0)


def _limit(memory: int) -> None:
    """Take no more memory than allowed, and let searches have the processor first."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on every platform

    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    with contextlib.suppress(OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.nice(_NICE)


def give_up_privileges() -> None:
    """Give up root, the network, and any way to get more, as far as the system allows; files are read in any case."""
    if not sys.platform.startswith("linux"):
        return
    libc = ctypes.CDLL(None, use_errno=True)
    with contextlib.suppress(AttributeError):
        # Without root, the network can be left only together with the user namespace.
        libc.unshare(_CLONE_NEWNET if os.geteuid() == 0 else _CLONE_NEWNET | _CLONE_NEWUSER)
    if os.geteuid() == 0:
        _keep_modules_in_reach()
        _drop_root()
    with contextlib.suppress(AttributeError):
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def _drop_root() -> None:
    for number in _NUMBERS:
        if number == _NUMBERS[0] and _is_taken(number):
            continue
        with contextlib.suppress(OSError):
            os.setgroups([])
            os.setgid(number)
            os.setuid(number)
            return


def _is_taken(number: int) -> bool:
    try:
        pwd.getpwuid(number)
    except KeyError:
        return False
    return True


def _keep_modules_in_reach() -> None:
    """Make folders of modules reachable by descriptors where other accounts cannot enter the folders above them.

    Root's Python may lie in root's home; a descriptor leads to its folder without passing those above.
    """
    places: dict[str, str] = {}
    for entry in sys.path:
        folder = Path(entry)
        if entry and folder.is_dir() and not _is_open(folder):
            places[str(folder)] = f"/proc/self/fd/{os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)}"
    if not places:
        return
    sys.path[:] = _moved(sys.path, places)
    for module in list(sys.modules.values()):
        _move(module, places)
    sys.path_importer_cache.clear()


def _is_open(folder: Path) -> bool:
    """Whether every account can enter all folders down to this one."""
    resolved = folder.resolve()
    return all(place.stat().st_mode & 0o001 for place in (resolved, *resolved.parents))


def _move(module: ModuleType, places: dict[str, str]) -> None:
    """Let a package look for its modules where they can be reached."""
    with contextlib.suppress(AttributeError, TypeError):
        moved = _moved(module.__path__, places)
        if moved != list(module.__path__):
            module.__path__ = moved


def _moved(paths: Iterable[str], places: dict[str, str]) -> list[str]:
    found: list[str] = []
    for path in paths:
        above = next((place for place in places if path == place or path.startswith(place + os.sep)), None)
        found.append(path if above is None else places[above] + path[len(above) :])
    return found


if __name__ == "__main__":
    main()
