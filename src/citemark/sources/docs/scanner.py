"""Lists a folder: one stat per file, in order, following links only inside the root and never in circles."""

import asyncio
import os
import stat as modes
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from citemark.model.documents import Listed, Problem, ScanEnd
from citemark.model.errors import FatalSourceError
from citemark.model.ids import NativeId
from citemark.sources.docs.places import version_of
from citemark.sources.docs.settings import DocsSettings

PAGE = "page"
_BATCH = 500

Entry = Listed | Problem | ScanEnd


class DocsScanner:
    """Walks the folder in a thread, a batch at a time."""

    def __init__(self, settings: DocsSettings) -> None:
        self._settings = settings

    async def scan(self) -> AsyncIterator[Entry]:
        """Every document, problems on the way, and the end.

        Raises:
            FatalSourceError: the folder is not there.
        """
        walk = _Walk(self._settings)
        entries = walk.entries()
        while batch := await asyncio.to_thread(lambda: list(islice(entries, _BATCH))):
            for entry in batch:
                yield entry


class _Walk:
    """One walk, with the folders it could not read."""

    def __init__(self, settings: DocsSettings) -> None:
        self._settings = settings
        self._unread: list[str] = []

    def entries(self) -> Iterator[Entry]:
        root = self._settings.root
        try:
            top = root.stat()
        except OSError as error:
            raise FatalSourceError(f"The folder {root} cannot be read: {error.strerror}.") from None
        if not modes.S_ISDIR(top.st_mode):
            raise FatalSourceError(f"{root} is no folder any more.")
        yield from self._folder(root, "", ((top.st_dev, top.st_ino),))
        if self._unread:
            shown = ", ".join(self._unread[:3])
            yield ScanEnd(complete=False, reason=f"{len(self._unread)} folders could not be read, {shown} among them")
        else:
            yield ScanEnd(complete=True)

    def _folder(self, folder: Path, prefix: str, chain: tuple[tuple[int, int], ...]) -> Iterator[Entry]:
        try:
            with os.scandir(folder) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            self._unread.append(prefix or ".")
            yield Problem(NativeId(_shown(prefix or ".")), f"The folder cannot be read: {error.strerror}.")
            return
        for entry in entries:
            native_id = prefix + entry.name
            try:
                native_id.encode()
            except UnicodeEncodeError:
                yield Problem(NativeId(_shown(native_id)), "The file name is not UTF-8; rename the file.")
                continue
            yield from self._entry(entry, native_id, chain)

    def _entry(self, entry: "os.DirEntry[str]", native_id: str, chain: tuple[tuple[int, int], ...]) -> Iterator[Entry]:
        try:
            if entry.is_symlink() and not self._stays_inside(entry.path):
                if self._settings.takes(native_id):
                    yield Problem(NativeId(native_id), "The link leaves the folder of the source and is not followed.")
                return
            if entry.is_dir():
                if self._settings.enters(native_id, entry.name):
                    status = entry.stat()
                    place = (status.st_dev, status.st_ino)
                    if place not in chain:
                        yield from self._folder(Path(entry.path), native_id + "/", (*chain, place))
            elif self._settings.takes(native_id):
                yield self._file(entry.stat(), native_id)
        except OSError as error:
            if self._settings.takes(native_id):
                yield Problem(NativeId(native_id), f"The file cannot be read: {error.strerror}.")

    def _stays_inside(self, path: str) -> bool:
        return Path(os.path.realpath(path)).is_relative_to(self._settings.root)

    def _file(self, status: os.stat_result, native_id: str) -> Entry:
        if not modes.S_ISREG(status.st_mode):
            return Problem(NativeId(native_id), "This is no regular file and is not read.")
        if status.st_size > self._settings.max_file_bytes:
            limit = self._settings.max_file_bytes / 2**20
            return Problem(
                NativeId(native_id),
                f"The file has {status.st_size / 2**20:.0f} MiB, over the limit of {limit:.0f} "
                "(CITEMARK_MAX_FILE_MIB); it is not indexed.",
            )
        modified = datetime.fromtimestamp(status.st_mtime_ns / 1e9, UTC)
        return Listed(PAGE, NativeId(native_id), version_of(status), modified)


def _shown(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode()
