"""Hears of changes of one file, by the means of the system."""

import asyncio
import os
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

from citemark.model.errors import UnwatchableSource
from citemark.sources.file_system import silent_type

_STEP = 50
_MOST = 400
"""Milliseconds: changes are handed on once none came for a step, or after so long."""


class ModelWatcher:
    """Listens to the folder of the file: programs save by putting another file in its place.

    A link is listened to where it stands and where it leads.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._heard_from = frozenset[str]()

    def root_identity(self) -> str | None:
        """Device and inode of the folder that the file stands in; the file itself comes and goes as it is saved."""
        try:
            info = self._path.parent.stat()
        except OSError:
            return None
        return f"{info.st_dev}:{info.st_ino}"

    def outdated(self) -> bool:
        """Whether the link leads elsewhere since `changes` began."""
        return self._names() != self._heard_from

    async def changes(self) -> AsyncGenerator[None, None]:
        """Yield once it listens and after each change; ends when it has to be begun anew.

        Raises:
            UnwatchableSource: the limit of watches is reached, or the file system tells nothing.
        """
        self._heard_from = names = self._names()
        stop = Event()
        thread = ThreadPoolExecutor(1, thread_name_prefix="citemark-watch")
        try:
            run = asyncio.get_running_loop().run_in_executor
            notify = await run(thread, _listen, names)
            if notify is None:
                return
            try:
                yield
                while await run(thread, _heard, notify, stop, names):
                    yield
            finally:
                stop.set()
                thread.submit(notify.close)
        finally:
            thread.shutdown(wait=False)

    def _names(self) -> frozenset[str]:
        """The file's path as given, below the real path of its folder, and the path that it leads to."""
        given = os.path.join(os.path.realpath(self._path.parent), self._path.name)  # noqa: PTH118 - of strings
        return frozenset({given, os.path.realpath(self._path)})


def _listen(names: frozenset[str]) -> RustNotify | None:
    """None when a folder went away meanwhile, so that another scan is needed first."""
    folders = sorted({str(Path(name).parent) for name in names})
    for folder in folders:
        silent = silent_type(folder)
        if silent:
            raise UnwatchableSource(f"the file lies on {silent}, which does not tell of changes made elsewhere")
    try:
        return RustNotify(folders, False, False, 0, False, False)
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


def _heard(notify: RustNotify, stop: Event, names: frozenset[str]) -> bool:
    """Wait until something happens to the file; False when no more will be heard."""
    while True:
        try:
            heard = notify.watch(_MOST, _STEP, 0, stop)
        except WatchfilesRustInternalError:  # a name that is no UTF-8: from here on it says nothing else
            return False
        if isinstance(heard, str):
            return False
        if any(path in names for _, path in heard):
            return True
