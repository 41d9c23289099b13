"""Lists a folder of documents with one stat call per file, without reading any."""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from citemark.model.documents import Listed, Problem, ScanEnd, suffix_of
from citemark.model.errors import FatalSourceError
from citemark.model.ids import NativeId
from citemark.sources.docs.settings import DocsSettings
from citemark.sources.file_system import PAGE, is_file, is_inside, version_of

_BATCH = 2_000
"""Entries per call into the walking thread: the event loop stays responsive, and a thread switch costs little each."""

FolderIdentity: TypeAlias = tuple[int, int]
"""(device, inode) of a folder."""


class DocsScanner:
    """Walks the folder in alphabetical order, in a thread."""

    def __init__(self, settings: DocsSettings) -> None:
        self._settings = settings
        self.folders: Mapping[str, FolderIdentity] = {}
        """The folders that the last finished scan listed, by real path; what the watcher listens to."""

    async def scan(self) -> AsyncIterator[Listed | Problem | ScanEnd]:
        """Yield every document and the problems found, then ScanEnd; incomplete if a folder could not be read.

        Raises:
            FatalSourceError: the folder is missing or cannot be read.
        """
        walk = _Walk(self._settings)
        entries = walk.entries()
        while batch := await asyncio.to_thread(lambda: list(islice(entries, _BATCH))):
            for entry in batch:
                yield entry
        self.folders = walk.folders
        unread = walk.unread
        reason = "" if not unread else f"{len(unread)} folder(s) cannot be read, the first is {unread[0]!r}"
        yield ScanEnd(complete=not unread, reason=reason, skipped=walk.skipped)


class _Walk:
    """One walk. Links are followed inside the root; a folder is never entered below itself."""

    def __init__(self, settings: DocsSettings) -> None:
        self.unread: list[str] = []
        self.folders: dict[str, FolderIdentity] = {}
        self.skipped: Counter[str] = Counter()
        self._settings = settings
        self._root = os.path.realpath(settings.root)

    def entries(self) -> Iterator[Listed | Problem]:
        try:
            info = Path(self._root).stat()
            names = self._names(self._root)
        except OSError as error:
            raise FatalSourceError(
                f"The folder {str(self._settings.root)!r} cannot be listed: {error.strerror}. "
                "Bring it back, or remove the source.",
            ) from error
        self.folders[self._root] = identity = (info.st_dev, info.st_ino)
        yield from self._folder(names, "", frozenset({identity}))

    def _names(self, folder: str) -> list[os.DirEntry[str]]:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)

    def _folder(
        self, names: list[os.DirEntry[str]], prefix: str, chain: frozenset[FolderIdentity]
    ) -> Iterator[Listed | Problem]:
        for entry in names:
            path = prefix + entry.name
            try:
                yield from self._entry(entry, path, chain)
            except FileNotFoundError:
                if entry.is_symlink():
                    yield Problem(NativeId(_printable(path)), "The link points to nothing.")
            except UnicodeEncodeError:
                yield Problem(NativeId(_printable(path)), "The name is not UTF-8; rename it to have it indexed.")
            except OSError as error:
                yield Problem(NativeId(_printable(path)), f"It cannot be accessed: {error.strerror}.")

    def _entry(
        self, entry: os.DirEntry[str], path: str, chain: frozenset[FolderIdentity]
    ) -> Iterator[Listed | Problem]:
        settings = self._settings
        linked = entry.is_symlink()
        if entry.is_dir():
            if settings.takes_folder(entry.name, path):
                yield from self._subfolder(entry, path, chain, linked=linked)
        elif settings.takes_file(entry.name, path):
            entry.name.encode()
            info = entry.stat()
            if linked and not is_inside(self._root, os.path.realpath(entry.path)):
                yield Problem(NativeId(path), "The link leads out of the folder; it is not followed.")
            elif not is_file(info):
                yield Problem(NativeId(path), "It is not a regular file.")
            elif info.st_size > settings.max_file_bytes:
                yield Problem(
                    NativeId(path),
                    f"The file has {info.st_size:,} bytes, more than the {settings.max_file_bytes:,} that are read "
                    "(CITEMARK_MAX_FILE_MIB).",
                )
            else:
                modified = datetime.fromtimestamp(info.st_mtime, UTC)
                yield Listed(PAGE, NativeId(path), version_of(info), modified)
        elif settings.skips_by_type(entry.name, path):
            self.skipped[suffix_of(entry.name)] += 1

    def _subfolder(
        self, entry: os.DirEntry[str], path: str, chain: frozenset[FolderIdentity], *, linked: bool
    ) -> Iterator[Listed | Problem]:
        entry.name.encode()
        if linked and not is_inside(self._root, os.path.realpath(entry.path)):
            yield Problem(NativeId(path), "The link leads out of the folder; it is not followed.")
            return
        info = entry.stat()
        identity = (info.st_dev, info.st_ino)
        if identity in chain:
            yield Problem(NativeId(path), "The link leads back to a folder above it; it is not followed.")
            return
        try:
            names = self._names(entry.path)
        except FileNotFoundError:
            return
        except OSError as error:
            self.unread.append(path)
            yield Problem(NativeId(path), f"The folder cannot be read: {error.strerror}.")
            return
        self.folders[entry.path] = identity
        yield from self._folder(names, f"{path}/", chain | {identity})


def _printable(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode()
