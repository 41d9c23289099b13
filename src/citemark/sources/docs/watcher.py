"""Watches a folder of documents."""

import os
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from pathlib import Path

from watchfiles import Change
from watchfiles._rust_notify import RustNotify

from citemark.sources.docs.belonging import Belonging
from citemark.sources.docs.ignore_files import IGNORE_FILES
from citemark.sources.docs.scanner import DocsScanner, FolderIdentity
from citemark.sources.docs.settings import DocsSettings
from citemark.sources.folder_watch import Changes, listen, require_reports, start_listening

_BY_FOLDER = sys.platform == "linux"
"""Linux needs a watch per folder, so only folders with documents get one; elsewhere one watch covers a whole tree."""


class DocsWatcher:
    """Watches the folders that the scanner listed last.

    Others (targets of links out of the folder, `node_modules`, `.git`) would cost watches and trigger needless scans.
    """

    def __init__(self, settings: DocsSettings, scanner: DocsScanner) -> None:
        self._settings = settings
        self._scanner = scanner
        self._covered: Mapping[str, FolderIdentity] = {}
        self._moved = False

    def root_identity(self) -> str | None:
        """Return device and inode of the folder; both change when another disk is mounted there."""
        try:
            info = Path(os.path.realpath(self._settings.root)).stat()
        except OSError:
            return None
        return f"{info.st_dev}:{info.st_ino}"

    def outdated(self) -> bool:
        """Tell whether folders were added or replaced since `changes` began; a moved folder loses its watch."""
        return self._moved or any(self._covered.get(path) != known for path, known in self._scanner.folders.items())

    async def changes(self) -> AsyncGenerator[None, None]:
        """Yield once when listening and after each change; ends when it has to be started again.

        Raises:
            UnwatchableSource: the limit of watches is reached, or the file system does not report changes.
        """
        self._covered = dict(self._scanner.folders)
        self._moved = False
        async with aclosing(listen(self._start, self._relevant)) as heard:
            async for _ in heard:
                yield

    def _start(self) -> RustNotify | None:
        root = os.path.realpath(self._settings.root)
        require_reports(root, "folder")
        return start_listening(list(self._covered) if _BY_FOLDER else [root], recursive=not _BY_FOLDER)

    def _relevant(self, changes: Changes) -> bool:
        changed = list(changes)
        self._moved = self._moved or any(path in self._covered for change, path in changed if change != Change.modified)
        root, belonging = os.path.realpath(self._settings.root), self._settings.belonging()
        return any(self._matters(Change(change), path, root, belonging) for change, path in changed)

    def _matters(self, change: Change, path: str, root: str, belonging: Belonging) -> bool:
        """Tell whether a scan might see a difference: any path may be a folder unless it was only written to."""
        if path in self._covered or not path.startswith(f"{root.rstrip('/')}/"):
            return True
        below = path[len(root.rstrip("/")) + 1 :]
        folder, _, name = below.rpartition("/")
        ruling = belonging.of_folders(folder)
        if ruling.exclusion is not None:
            return False
        if change is not Change.modified or name in IGNORE_FILES:
            return True
        return belonging.of_file(below, ruling) is None
