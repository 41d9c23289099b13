"""Lists the files of an account; folders whose etag is unchanged are taken from a cache."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from citemark.extraction.dispatch import readers_of_name
from citemark.model.documents import Listed, Problem, ScanEnd
from citemark.model.errors import RetriableSourceError, SkippableSourceError
from citemark.model.ids import NativeId
from citemark.model.left_out import Exclusion, LeftOut, LeftOutGroup, LeftOutReason
from citemark.sources.contract import ScanState
from citemark.sources.nextcloud.file_entries import FILE, FileEntry, FilePath, join_path
from citemark.sources.nextcloud.file_rules import FileRules
from citemark.sources.nextcloud.files.api import FilesApi, TaggedFiles
from citemark.sources.nextcloud.files.locator import PathCache
from citemark.sources.nextcloud.http_responses import object_in
from citemark.sources.nextcloud.scan_limits import ScanLimits

_FORM = 1
"""Version of the format of a cached folder; entries of other versions are ignored."""


_CONCURRENT = 8
"""Folders requested concurrently; the rate limiter bounds the requests of all apps together."""

_MOST_FAILURES = 3
"""Folders that may fail before the scan gives up: one broken mount is common, several mean that the server is down."""

_ROOT = FilePath("")


class FolderCache:
    """The content of each folder as listed last, by the folder's id: names only and regardless of the rules.

    So moving a folder or changing the rules does not invalidate it.
    """

    def __init__(self, scan_state: ScanState) -> None:
        self._scan_state = scan_state

    async def load(self, folder: FileEntry) -> list[FileEntry] | None:
        """Return the content of a folder; None if it was never listed with this etag."""
        if folder.file_id is None or folder.etag is None:
            return None
        value = object_in(await self._scan_state.load(_key(folder)))
        if value.get("etag") != folder.etag or value.get("form") != _FORM:
            return None
        return [_entry(folder, row) for row in value["entries"]]

    async def save(self, folder: FileEntry, entries: Sequence[FileEntry]) -> None:
        """Store a listing under the etag known before it; what changed since then has another etag."""
        if folder.file_id is not None and folder.etag is not None:
            rows = [_row(entry) for entry in entries]
            await self._scan_state.save(_key(folder), {"form": _FORM, "etag": folder.etag, "entries": rows})


def _key(folder: FileEntry) -> str:
    return f"files:{folder.file_id}"


def _row(entry: FileEntry) -> list[Any]:
    changed = entry.modified.timestamp() if entry.modified else None
    return [
        entry.name, entry.file_id, entry.etag, entry.is_folder, entry.size, changed, entry.content_type,
        entry.shared_by, list(entry.tags),
    ]  # fmt: skip


def _entry(folder: FileEntry, row: list[Any]) -> FileEntry:
    name, file_id, etag, is_folder, size, changed, content_type, shared_by, tags = row
    modified = None if changed is None else datetime.fromtimestamp(changed, UTC)
    return FileEntry(
        join_path(folder.path, name), file_id, etag, is_folder, size, modified, content_type, shared_by, tuple(tags)
    )


_APP = "files"


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder to list; `tagged`: it, or one around it, has a tag that the rules ask for."""

    entry: FileEntry
    tagged: bool


class FilesScanner:
    """Lists files folder by folder. A change gives every folder above it another etag, so others need no request."""

    def __init__(
        self, api: FilesApi, rules: FileRules, scan_state: FolderCache, path_cache: PathCache, limits: ScanLimits
    ) -> None:
        self._api = api
        self._rules = rules
        self._scan_state = scan_state
        self._path_cache = path_cache
        self._limits = limits

    async def scan(self) -> AsyncIterator[Listed | Problem | ScanEnd]:
        """Yield every file that the rules take, nearest to the root first; incomplete if a folder could not be listed.

        Raises:
            RetriableSourceError: the server cannot be asked now.
            FatalSourceError: the account cannot be used any more.
        """
        root = await self._api.entry_at(_ROOT)
        if root is None or not root.is_folder:
            yield ScanEnd(complete=False, reason="the server shows no files for this account; is the user id right?")
            return
        walk = _Walk(self._api, self._rules, self._scan_state, self._path_cache, self._limits)
        self._path_cache.set_notes_path(await self._api.notes_path())
        tagged = await self._api.find_tagged(self._rules.tags) if self._rules.tags else TaggedFiles()
        for name in sorted(tagged.unknown):
            yield Problem(NativeId(name), "The rules for files ask for this tag, which does not exist on the server.")
        level = [_Folder(root, root.file_id in tagged.ids)]
        depth = 0
        while level:
            below: list[_Folder] = []
            for start in range(0, len(level), _CONCURRENT):
                folders = level[start : start + _CONCURRENT]
                for folder, listed in zip(folders, await walk.list_folders(folders), strict=True):
                    for found in walk.documents(folder, listed, tagged.ids, below):
                        yield found
            depth += 1
            level = walk.admitted(below, depth)
        for problem in walk.cut.values():
            yield problem
        if not walk.reason:
            self._path_cache.replace(walk.seen)
        yield ScanEnd(complete=not walk.reason, reason=walk.reason, left_out=walk.left_out)


class _Walk:
    """The state of one scan: files seen, folders that failed, and where limits cut it off, by setting."""

    def __init__(
        self, api: FilesApi, rules: FileRules, scan_state: FolderCache, path_cache: PathCache, limits: ScanLimits
    ) -> None:
        self.cut: dict[str, Problem] = {}
        self._limits = limits
        self._folders = 1
        self.seen: dict[str, FileEntry] = {}
        self._set_aside = 0
        self.failures: list[str] = []
        self._api = api
        self._rules = rules
        self._scan_state = scan_state
        self._path_cache = path_cache

    @property
    def reason(self) -> str:
        """Why the listing is incomplete; "" if it is complete."""
        reasons = [problem.message for problem in self.cut.values()]
        if self.failures:
            reasons.insert(0, f"{len(self.failures)} folder(s) cannot be listed, the first: {self.failures[0]}")
        return " ".join(reasons)

    @property
    def left_out(self) -> LeftOut | None:
        """What the rules of a person leave out, at least; None if that is nothing."""
        if not self._set_aside:
            return None
        return LeftOut((LeftOutGroup(Exclusion(LeftOutReason.EXCLUDED), self._set_aside, more=True),))

    def admitted(self, below: Sequence[_Folder], depth: int) -> Sequence[_Folder]:
        """Return the folders of the next level to list, within the limits of depth and number."""
        if below and depth > self._limits.depth:
            self._cut(below[0], "DEPTH", f"Folders are nested more than {self._limits.depth:,} levels deep")
            return ()
        room = max(0, self._limits.folders - self._folders)
        if len(below) > room:
            self._cut(below[room], "FOLDERS", f"There are more than {self._limits.folders:,} folders")
        self._folders += min(len(below), room)
        return below[:room]

    def _cut(self, first: _Folder, setting: str, what: str) -> None:
        message = f"{what}; those from here on are not listed (CITEMARK_NEXTCLOUD_MAX_{setting})."
        self.cut[setting] = Problem(NativeId(first.entry.path), message)

    async def list_folders(self, folders: Sequence[_Folder]) -> list[list[FileEntry] | Problem]:
        """Return the content of each folder, cached or requested; a problem for one that cannot be listed."""
        return await asyncio.gather(*(self._content(folder.entry) for folder in folders))

    async def _content(self, folder: FileEntry) -> list[FileEntry] | Problem:
        known = await self._scan_state.load(folder)
        if known is not None:
            return known
        try:
            listed = await self._api.list_folder(folder.path)
        except RetriableSourceError as error:
            # One broken mount must not hide the rest, but a server that is down need not be asked for every folder.
            self.failures.append(f"{folder.path!r}: {error.message}")
            if error.retry_after is not None or not folder.path or len(self.failures) >= _MOST_FAILURES:
                raise
            return Problem(NativeId(folder.path), f"The folder cannot be listed: {error.message}")
        except SkippableSourceError as error:
            self.failures.append(f"{folder.path!r}: {error.message}")
            return Problem(NativeId(folder.path), f"The folder cannot be listed: {error.message}")
        if listed is None:
            return []
        await self._scan_state.save(folder, listed)
        return listed

    def documents(
        self, folder: _Folder, listed: list[FileEntry] | Problem, tagged: frozenset[str], below: list[_Folder]
    ) -> Iterator[Listed | Problem]:
        """Yield the documents in a folder, and add its folders to `below`."""
        if isinstance(listed, Problem):
            yield listed
            return
        for entry in listed:
            has_tag = folder.tagged or entry.file_id in tagged
            self._set_aside += self._rules.set_aside(entry, tagged=has_tag)
            if entry.is_folder:
                if self._rules.takes_folder(entry.path) and entry.path != self._path_cache.notes_path:
                    below.append(_Folder(entry, has_tag))
            elif self._rules.takes(entry, tagged=has_tag):
                yield from self._document(entry)

    def _document(self, entry: FileEntry) -> Iterator[Listed | Problem]:
        if entry.file_id is None:
            yield Problem(NativeId(entry.path), "The server gives the file no id (oc:fileid): is it a Nextcloud?")
        elif entry.size > self._rules.max_bytes:
            yield Problem(
                NativeId(entry.path),
                f"The file has {entry.size:,} bytes, more than the {self._rules.max_bytes:,} that are read "
                "(CITEMARK_MAX_FILE_MIB).",
            )
        elif entry.file_id not in self.seen:
            self.seen[entry.file_id] = entry
            self._path_cache.put(entry)
            readers = (_APP, *readers_of_name(entry.path))
            yield Listed(FILE, NativeId(entry.file_id), entry.version, entry.modified, readers)
