"""Watches the file of an architecture model."""

import os
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

from watchfiles._rust_notify import RustNotify

from citemark.sources.folder_watch import Changes, listen, require_reports, start_listening


class ModelWatcher:
    """Watches the folder of the file, because programs save by replacing the file.

    If the path is a link, both its own folder and that of its target are watched.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._watched = frozenset[str]()

    def root_identity(self) -> str | None:
        """Return device and inode of the folder that holds the file; the file itself is replaced by each save."""
        try:
            info = self._path.parent.stat()
        except OSError:
            return None
        return f"{info.st_dev}:{info.st_ino}"

    def outdated(self) -> bool:
        """Tell whether the link has another target since `changes` began."""
        return self._names() != self._watched

    async def changes(self) -> AsyncGenerator[None, None]:
        """Yield once when listening and after each change; ends when it has to be started again.

        Raises:
            UnwatchableSource: the limit of watches is reached, or the file system does not report changes.
        """
        self._watched = names = self._names()

        def start() -> RustNotify | None:
            folders = sorted({str(Path(name).parent) for name in names})
            for folder in folders:
                require_reports(folder, "file")
            return start_listening(folders)

        def relevant(changes: Changes) -> bool:
            return any(path in names for _, path in changes)

        async with aclosing(listen(start, relevant)) as heard:
            async for _ in heard:
                yield

    def _names(self) -> frozenset[str]:
        """Return the path as given, below the real path of its folder, and the path that it leads to."""
        given = os.path.join(os.path.realpath(self._path.parent), self._path.name)  # noqa: PTH118 - of strings
        return frozenset({given, os.path.realpath(self._path)})
