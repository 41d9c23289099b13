"""Listening to folders through the operating system (inotify, FSEvents), for the watchers of local sources."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TypeAlias

from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

from citemark.model.errors import UnwatchableSource
from citemark.sources.file_system import silent_type

_QUIET_MS = 50
_LONGEST_MS = 400
"""Changes are reported once none has come for 50 ms, or 400 ms after the first: saving a file takes several events."""

Changes: TypeAlias = Iterable[tuple[int, str]]
"""Kinds of change (`watchfiles.Change`), each with the path that changed."""


def require_reports(folder: str, what: str) -> None:
    """Check that the file system of a folder reports changes.

    Args:
        folder: its real path.
        what: what messages call the watched thing, such as "folder" or "file".

    Raises:
        UnwatchableSource: other machines may change it without notice.
    """
    silent = silent_type(folder)
    if silent:
        raise UnwatchableSource(f"the {what} is on {silent}, which does not report changes made elsewhere")


def start_listening(folders: Sequence[str], *, recursive: bool = False) -> RustNotify | None:
    """Begin to watch folders; None if one of them has disappeared, so that another scan is needed first.

    Raises:
        UnwatchableSource: a limit of the system is reached.
    """
    try:
        return RustNotify(list(folders), False, False, 0, recursive, False)
    except (FileNotFoundError, PermissionError):
        return None
    except OSError as error:
        raise UnwatchableSource(
            "the system's limit of watched folders is reached (raise fs.inotify.max_user_watches)"
        ) from error
    except WatchfilesRustInternalError as error:
        raise UnwatchableSource(
            f"the system has no watch left (raise fs.inotify.max_user_instances): {error}"
        ) from error


async def listen(
    start: Callable[[], RustNotify | None], relevant: Callable[[Changes], bool]
) -> AsyncGenerator[None, None]:
    """Yield once when listening, then after each batch of changes that matters.

    Everything that blocks runs in a thread of its own, which ends with the generator.

    Args:
        start: opens the watches; if it returns None, the stream ends immediately.
        relevant: returns whether a batch of changes matters.

    Raises:
        UnwatchableSource: as raised by `start`.
    """
    stop = Event()
    thread = ThreadPoolExecutor(1, thread_name_prefix="citemark-watch")
    try:
        run = asyncio.get_running_loop().run_in_executor
        notify = await run(thread, start)
        if notify is None:
            return
        try:
            yield
            while await run(thread, _wait, notify, stop, relevant):
                yield
        finally:
            stop.set()
            thread.submit(notify.close)
    finally:
        thread.shutdown(wait=False)


def _wait(notify: RustNotify, stop: Event, relevant: Callable[[Changes], bool]) -> bool:
    """Wait for changes that matter; False when no more will be reported."""
    while True:
        try:
            changes = notify.watch(_LONGEST_MS, _QUIET_MS, 0, stop)
        except WatchfilesRustInternalError:  # a name that is not UTF-8: from here on it reports nothing else
            return False
        if isinstance(changes, str):
            return False
        if relevant(changes):
            return True
