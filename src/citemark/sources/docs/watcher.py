"""Hears of changes in a folder of documents, by the means of the system."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event

from watchfiles import Change
from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

from citemark.model.errors import UnwatchableSource
from citemark.sources.docs.scanner import DocsScanner, FolderIdentity
from citemark.sources.docs.settings import DocsSettings
from citemark.sources.file_system import silent_type

_STEP = 50
_MOST = 400
"""Milliseconds: changes are handed on once none came for a step, or after so long."""

_BY_FOLDER = sys.platform == "linux"
"""Linux has a watch per folder, so only folders with documents get one; elsewhere a whole tree costs one."""


class DocsWatcher:
    """Listens to the folders that the scanner saw last.

    Only those: links out of the folder, `node_modules` and `.git` would cost watches and wake it for nothing.
    """

    def __init__(self, settings: DocsSettings, scanner: DocsScanner) -> None:
        self._settings = settings
        # Patterns with a folder in them are not for single names; whatever has the right suffix may matter.
        self._by_name = replace(settings, exclude=())
        self._scanner = scanner
        self._covered: Mapping[str, FolderIdentity] = {}
        self._moved = False

    def root_identity(self) -> str | None:
        """Device and inode of the folder: another disk, or none, may come to stand there."""
        try:
            info = Path(os.path.realpath(self._settings.root)).stat()
        except OSError:
            return None
        return f"{info.st_dev}:{info.st_ino}"

    def outdated(self) -> bool:
        """Whether folders came or were replaced since `changes` began; the watch of a moved folder is lost."""
        return self._moved or any(
            self._covered.get(path) != root_identity for path, root_identity in self._scanner.folders.items()
        )

    async def changes(self) -> AsyncGenerator[None, None]:
        """Yield once it listens and after each change; ends when it has to be begun anew.

        Raises:
            UnwatchableSource: the limit of watches is reached, or the file system tells nothing.
        """
        self._covered = dict(self._scanner.folders)
        self._moved = False
        stop = Event()
        thread = ThreadPoolExecutor(1, thread_name_prefix="citemark-watch")
        try:
            run = asyncio.get_running_loop().run_in_executor
            notify = await run(thread, self._listen)
            if notify is None:
                return
            try:
                yield
                while await run(thread, self._heard, notify, stop):
                    yield
            finally:
                stop.set()
                thread.submit(notify.close)
        finally:
            thread.shutdown(wait=False)

    def _listen(self) -> RustNotify | None:
        """None when a folder went away meanwhile, so that another scan is needed first."""
        root = os.path.realpath(self._settings.root)
        silent = silent_type(root)
        if silent:
            raise UnwatchableSource(f"the folder lies on {silent}, which does not tell of changes made elsewhere")
        try:
            return RustNotify(list(self._covered) if _BY_FOLDER else [root], False, False, 0, not _BY_FOLDER, False)
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

    def _heard(self, notify: RustNotify, stop: Event) -> bool:
        """Wait for changes that matter; False when no more will be heard."""
        while True:
            try:
                heard = notify.watch(_MOST, _STEP, 0, stop)
            except WatchfilesRustInternalError:  # a name that is no UTF-8: from here on it says nothing else
                return False
            if isinstance(heard, str):
                return False
            self._moved = self._moved or any(
                path in self._covered for change, path in heard if change != Change.modified
            )
            if any(self._matters(Change(change), path) for change, path in heard):
                return True

    def _matters(self, change: Change, path: str) -> bool:
        """Whether a scan might see a difference: anything may be a folder, save what was only written to."""
        if change is not Change.modified or self._settings.include or path in self._covered:
            return True
        name = os.path.basename(path)  # noqa: PTH119 - one call per event, by the thousand
        return self._by_name.takes_file(name, name)
