"""Lists a folder of documents with one stat call per file, without reading any."""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeAlias, assert_never

from citemark.model.documents import Listed, Problem, ScanEnd, suffix_of
from citemark.model.errors import FatalSourceError
from citemark.model.ids import NativeId
from citemark.sources.docs.settings import DocsSettings
from citemark.sources.file_system import PAGE, is_file, is_inside, modified_at, version_of

_BATCH = 2_000
"""Entries per call into the walking thread: the event loop stays responsive, and a thread switch costs little each."""

_DEEPEST = 128
"""Levels of folders: people nest a dozen, package managers some thirty. What nests without end, such as a backup that
contains itself, is cut here, before paths reach the 4,096 bytes that Linux can open."""

FolderIdentity: TypeAlias = tuple[int, int]
"""(device, inode) of a folder."""


class DocsScanner:
    """Walks the folder in alphabetical order, in a thread."""

    def __init__(self, settings: DocsSettings) -> None:
        self._settings = settings
        self.folders: Mapping[str, FolderIdentity] = {}
        """The folders that the last finished scan listed, by real path; what the watcher listens to."""

    async def scan(self) -> AsyncIterator[Listed | Problem | ScanEnd]:
        """Yield every document and the problems found, then ScanEnd; incomplete if a folder was not read.

        Raises:
            FatalSourceError: the folder is missing or cannot be read.
        """
        walk = Walk(self._settings)
        entries = walk.entries()
        while batch := await asyncio.to_thread(lambda: list(islice(entries, _BATCH))):
            for entry in batch:
                yield entry
        self.folders = walk.folders
        yield ScanEnd(complete=not walk.reason, reason=walk.reason, skipped=walk.skipped)


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder that is being listed.

    Attributes:
        entries: what it contains and was not looked at yet, in the order of names.
        path: relative to the root; "" for the root itself.
        identity: tells it from every other folder, by whichever path it was reached.
        level: 0 for the root.
        linked: whether its path leads through a link.
    """

    entries: Iterator[os.DirEntry[str]]
    path: str
    identity: FolderIdentity
    level: int = 0
    linked: bool = False


class Walk:
    """One walk. Links are followed inside the root.

    A folder is never entered below itself, and at most twice in all: by its own path, and through links once. So a
    walk lists at most twice what is there, however many links lead from folder to folder.
    """

    def __init__(self, settings: DocsSettings) -> None:
        self.folders: dict[str, FolderIdentity] = {}
        self.skipped: Counter[str] = Counter()
        self._settings = settings
        self._root = os.path.realpath(settings.root)
        self._unread: list[str] = []
        self._above: set[FolderIdentity] = set()
        self._linked: dict[FolderIdentity, str] = {}

    @property
    def reason(self) -> str:
        """Why the listing is incomplete; "" if it is complete."""
        unread = self._unread
        return "" if not unread else f"{len(unread)} folder(s) were not read, the first is {unread[0]!r}"

    def entries(self) -> Iterator[Listed | Problem]:
        """Yield what is in the folder, in the order of names; folders are a stack, as they may be nested deeply."""
        try:
            info = Path(self._root).stat()
            root = _Folder(self._entries(self._root), "", (info.st_dev, info.st_ino))
        except OSError as error:
            raise FatalSourceError(
                f"The folder {str(self._settings.root)!r} cannot be listed: {error.strerror}. "
                "Bring it back, or remove the source.",
            ) from error
        self._enter(self._root, root)
        stack = [root]
        while stack:
            folder = stack[-1]
            entry = next(folder.entries, None)
            if entry is None:
                self._above.remove(stack.pop().identity)
                continue
            path = f"{folder.path}/{entry.name}" if folder.path else entry.name
            found = self._found(entry, path, folder)
            match found:
                case _Folder():
                    self._enter(entry.path, found)
                    stack.append(found)
                case Listed() | Problem():
                    yield found
                case None:
                    pass
                case _:
                    assert_never(found)

    def _enter(self, real: str, folder: _Folder) -> None:
        self.folders[real] = folder.identity
        self._above.add(folder.identity)
        if folder.linked:
            self._linked[folder.identity] = folder.path

    def _entries(self, folder: str) -> Iterator[os.DirEntry[str]]:
        with os.scandir(folder) as found:
            return iter(sorted(found, key=lambda entry: entry.name))

    def _found(self, entry: os.DirEntry[str], path: str, folder: _Folder) -> Listed | Problem | _Folder | None:
        """What an entry of a folder is: a document, a folder to enter, a problem, or nothing that counts."""
        try:
            return self._entry(entry, path, folder)
        except FileNotFoundError:
            return Problem(NativeId(_printable(path)), "The link points to nothing.") if entry.is_symlink() else None
        except UnicodeEncodeError:
            return Problem(NativeId(_printable(path)), "The name is not UTF-8; rename it to have it indexed.")
        except OSError as error:
            return Problem(NativeId(_printable(path)), f"It cannot be accessed: {error.strerror}.")

    def _entry(self, entry: os.DirEntry[str], path: str, folder: _Folder) -> Listed | Problem | _Folder | None:
        settings = self._settings
        if entry.is_dir():
            return self._subfolder(entry, path, folder) if settings.takes_folder(entry.name, path) else None
        if settings.takes_file(entry.name, path):
            return self._file(entry, path)
        if settings.skips_by_type(entry.name, path):
            self.skipped[suffix_of(entry.name)] += 1
        return None

    def _file(self, entry: os.DirEntry[str], path: str) -> Listed | Problem:
        entry.name.encode()
        info = entry.stat()
        if self._leads_out(entry):
            return Problem(NativeId(path), "The link leads out of the folder; it is not followed.")
        if not is_file(info):
            return Problem(NativeId(path), "It is not a regular file.")
        if info.st_size > self._settings.max_file_bytes:
            return Problem(
                NativeId(path),
                f"The file has {info.st_size:,} bytes, more than the {self._settings.max_file_bytes:,} that are read "
                "(CITEMARK_MAX_FILE_MIB).",
            )
        return Listed(PAGE, NativeId(path), version_of(info), modified_at(info))

    def _subfolder(self, entry: os.DirEntry[str], path: str, folder: _Folder) -> Problem | _Folder | None:
        entry.name.encode()
        if self._leads_out(entry):
            return Problem(NativeId(path), "The link leads out of the folder; it is not followed.")
        info = entry.stat()
        identity, linked = (info.st_dev, info.st_ino), folder.linked or entry.is_symlink()
        refusal = self._refusal(path, identity, folder.level + 1, linked=linked)
        if refusal:
            return Problem(NativeId(path), refusal)
        try:
            return _Folder(self._entries(entry.path), path, identity, folder.level + 1, linked)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._unread.append(path)
            return Problem(NativeId(path), f"The folder cannot be read: {error.strerror}.")

    def _refusal(self, path: str, identity: FolderIdentity, level: int, *, linked: bool) -> str:
        """Why a folder is not entered; "" if it is."""
        if identity in self._above:
            return "The link leads back to a folder above it; it is not followed."
        if linked and identity in self._linked:
            listed = self._linked[identity]
            return f"The folder is already listed through a link, as {listed!r}; it is not listed again."
        if level > _DEEPEST:
            self._unread.append(path)
            return f"The folder is nested more than {_DEEPEST} levels deep and not listed; move it up, or exclude it."
        return ""

    def _leads_out(self, entry: os.DirEntry[str]) -> bool:
        return entry.is_symlink() and not is_inside(self._root, os.path.realpath(entry.path))


def _printable(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode()
