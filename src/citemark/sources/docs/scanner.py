"""Lists a folder of documents with one stat call per file, and counts what it leaves out.

No file is read, except the beginning of those whose suffix private keys share with certificates.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeAlias, assert_never

from citemark.extraction.dispatch import readers_of_name
from citemark.model.documents import Listed, Problem, ScanEnd, TooLarge
from citemark.model.errors import FatalSourceError
from citemark.model.ids import NativeId
from citemark.model.left_out import Exclusion, LeftOutReason
from citemark.sources.docs.belonging import ENTERED, FolderRuling
from citemark.sources.docs.settings import DocsSettings
from citemark.sources.file_system import PAGE, is_file, is_inside, modified_at, version_of
from citemark.sources.left_out_count import LeftOutCount
from citemark.sources.secret_files import SNIFFED, holds_private_key, is_secret_path, may_hold_key

_BATCH = 2_000
"""Entries per call into the walking thread: the event loop stays responsive, and a thread switch costs little each."""

_DEEPEST = 128
"""Levels of folders: people nest a dozen, package managers some thirty. What nests without end, such as a backup that
contains itself, is cut here, before paths reach the 4,096 bytes that Linux can open."""

_BY_TYPE = frozenset({LeftOutReason.TYPE, LeftOutReason.NOT_INCLUDED})

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
        left_out = walk.count.result()
        yield ScanEnd(complete=not walk.reason, reason=walk.reason, skipped=left_out.suffixes, left_out=left_out)


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder that is being listed.

    Attributes:
        entries: what it contains and was not looked at yet, in the order of names.
        path: relative to the root; "" for the root itself.
        identity: tells it from every other folder, by whichever path it was reached.
        level: 0 for the root.
        linked: whether its path leads through a link.
        ruling: whether all that it contains may be a document, or only what patterns name.
    """

    entries: Iterator[os.DirEntry[str]]
    path: str
    identity: FolderIdentity
    level: int = 0
    linked: bool = False
    ruling: FolderRuling = ENTERED


class Walk:
    """One walk. Links are followed inside the root.

    A folder is never entered below itself, and at most twice in all: by its own path, and through links once. So a
    walk lists at most twice what is there, however many links lead from folder to folder.
    """

    def __init__(self, settings: DocsSettings) -> None:
        self.folders: dict[str, FolderIdentity] = {}
        self.count = LeftOutCount()
        self._settings = settings
        self._belonging = settings.belonging()
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
            if not entry.is_symlink():
                return None
            return self._refused(entry, path, "The link points to nothing.", LeftOutReason.LINK)
        except UnicodeEncodeError:
            return self._refused(entry, path, "The name is not UTF-8; rename it to have it indexed.")
        except OSError as error:
            return self._refused(entry, path, f"It cannot be accessed: {error.strerror}.")

    def _refused(
        self, entry: os.DirEntry[str], path: str, message: str, reason: LeftOutReason = LeftOutReason.UNREADABLE
    ) -> Problem:
        """The problem of a file or folder that is not listed, which is counted like the others that are left out."""
        path = _printable(path)
        if entry.is_dir(follow_symlinks=False):
            self.count.folder(path, Exclusion(reason), entry.path)
        else:
            self.count.file(path, Exclusion(reason))
        return Problem(NativeId(path), message)

    def _entry(self, entry: os.DirEntry[str], path: str, folder: _Folder) -> Listed | Problem | _Folder | None:
        if entry.is_dir():
            ruling = self._belonging.of_folder(path, folder.ruling)
            if ruling.exclusion is None:
                return self._subfolder(entry, path, folder, ruling)
            if not entry.is_symlink():
                self.count.folder(_printable(path), ruling.exclusion, entry.path)
            return None
        exclusion = self._belonging.of_file(path, folder.ruling)
        if (exclusion is None or exclusion.reason in _BY_TYPE) and self._is_secret(entry):
            exclusion = Exclusion(LeftOutReason.SECRET)
        if exclusion is None:
            return self._file(entry, path)
        self.count.file(_printable(path), exclusion)
        return None

    def _is_secret(self, entry: os.DirEntry[str]) -> bool:
        """Whether a file leads to a secret under another name, or holds a private key where its name leaves it open."""
        if entry.is_symlink():
            real = os.path.realpath(entry.path)
            if is_inside(self._root, real) and is_secret_path(os.path.relpath(real, self._root)):
                return True
        if not may_hold_key(entry.name) or not entry.is_file():
            return False
        try:
            with Path(entry.path).open("rb") as file:
                return holds_private_key(entry.name, file.read(SNIFFED))
        except OSError:
            return False

    def _file(self, entry: os.DirEntry[str], path: str) -> Listed | Problem:
        entry.name.encode()
        info = entry.stat()
        if self._leads_out(entry):
            message = "The link leads out of the folder; it is not followed."
            return self._refused(entry, path, message, LeftOutReason.LINK)
        if not is_file(info):
            return self._refused(entry, path, "It is not a regular file.")
        if info.st_size > self._settings.max_file_bytes:
            message = (
                f"The file has {info.st_size:,} bytes, more than the {self._settings.max_file_bytes:,} that are read "
                "(CITEMARK_MAX_FILE_MIB)."
            )
            self.count.file(path, Exclusion(LeftOutReason.TOO_LARGE))
            return TooLarge(NativeId(path), message, document=self._listed(path, info))
        return self._listed(path, info)

    def _listed(self, path: str, info: os.stat_result) -> Listed:
        readers = readers_of_name(path, ocr=self._settings.ocr)
        return Listed(PAGE, NativeId(path), version_of(info), modified_at(info), readers, info.st_size)

    def _subfolder(
        self, entry: os.DirEntry[str], path: str, folder: _Folder, ruling: FolderRuling
    ) -> Problem | _Folder | None:
        entry.name.encode()
        if self._leads_out(entry):
            return Problem(NativeId(path), "The link leads out of the folder; it is not followed.")
        info = entry.stat()
        identity, linked = (info.st_dev, info.st_ino), folder.linked or entry.is_symlink()
        refusal = self._refusal(path, identity, folder.level + 1, linked=linked)
        if refusal:
            if not linked:
                self.count.folder(_printable(path), Exclusion(LeftOutReason.UNREADABLE), entry.path)
            return Problem(NativeId(path), refusal)
        try:
            return _Folder(self._entries(entry.path), path, identity, folder.level + 1, linked, ruling)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._unread.append(path)
            self.count.counted_folder(_printable(path), Exclusion(LeftOutReason.UNREADABLE), 0, more=True)
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
