"""Lists the files of an account; folders whose etag is unchanged are taken from a cache."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from citemark.extraction.dispatch import readers_of_name
from citemark.features.nextcloud.source.file_entries import FILE, FileEntry, FilePath, join_path
from citemark.features.nextcloud.source.file_rules import FileRules
from citemark.features.nextcloud.source.files.api import FilesApi, TaggedFiles
from citemark.features.nextcloud.source.files.locator import PathCache
from citemark.features.nextcloud.source.http_responses import object_in
from citemark.features.nextcloud.source.scan_limits import ScanLimits
from citemark.model.documents import Listed, Problem, ScanEnd, TooLarge
from citemark.model.errors import RetriableSourceError, SkippableSourceError
from citemark.model.ids import NativeId
from citemark.model.left_out import Exclusion, LeftOutReason
from citemark.sources.contract import ScanState
from citemark.sources.left_out_count import LeftOutCount

_FORM = 2
"""Version of the format of a cached folder; entries of other versions are ignored."""


_CONCURRENT = 8
"""Folders requested concurrently; the rate limiter bounds the requests of all apps together."""

_MOST_FAILURES = 3
"""Folders that may fail before the scan gives up: one broken mount is common, several mean that the server is down."""

_MOST_COUNTED = 40
"""Folders below those that are left out which a scan lists only to count their files: they take requests, too."""

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
        entry.shared_by, list(entry.tags), entry.encrypted,
    ]  # fmt: skip


def _entry(folder: FileEntry, row: list[Any]) -> FileEntry:
    name, file_id, etag, is_folder, size, changed, content_type, shared_by, tags, encrypted = row
    modified = None if changed is None else datetime.fromtimestamp(changed, UTC)
    path = join_path(folder.path, name)
    return FileEntry(
        path, file_id, etag, is_folder, size, modified, content_type, shared_by, tuple(tags), encrypted=encrypted
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

        The end counts all other files, except those in the folder of the Notes app, which that app lists.

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
        await walk.count_aside()
        yield ScanEnd(complete=not walk.reason, reason=walk.reason, left_out=walk.count.result(of_account=True))


class _Walk:
    """The state of one scan: files seen, folders that failed, and where limits cut it off, by setting."""

    def __init__(
        self, api: FilesApi, rules: FileRules, scan_state: FolderCache, path_cache: PathCache, limits: ScanLimits
    ) -> None:
        self.cut: dict[str, Problem] = {}
        self._limits = limits
        self._folders = 1
        self.seen: dict[str, FileEntry] = {}
        self.count = LeftOutCount()
        self._aside: list[tuple[FileEntry, Exclusion]] = []
        self._countable = _MOST_COUNTED
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
        try:
            return await self._listed(folder)
        except RetriableSourceError as error:
            # One broken mount must not hide the rest, but a server that is down need not be asked for every folder.
            self.failures.append(f"{folder.path!r}: {error.message}")
            if error.retry_after is not None or not folder.path or len(self.failures) >= _MOST_FAILURES:
                raise
            return Problem(NativeId(folder.path), f"The folder cannot be listed: {error.message}")
        except SkippableSourceError as error:
            self.failures.append(f"{folder.path!r}: {error.message}")
            return Problem(NativeId(folder.path), f"The folder cannot be listed: {error.message}")

    async def _listed(self, folder: FileEntry) -> list[FileEntry]:
        """The content of a folder, cached or requested; nothing if it is gone."""
        known = await self._scan_state.load(folder)
        if known is not None:
            return known
        listed = await self._api.list_folder(folder.path)
        if listed is not None:
            await self._scan_state.save(folder, listed)
        return listed or []

    def documents(
        self, folder: _Folder, listed: list[FileEntry] | Problem, tagged: frozenset[str], below: list[_Folder]
    ) -> Iterator[Listed | Problem]:
        """Yield the documents in a folder, and add its folders to `below`."""
        if isinstance(listed, Problem):
            self.count.counted_folder(folder.entry.path, Exclusion(LeftOutReason.UNREADABLE), 0, more=True)
            yield listed
            return
        for entry in listed:
            has_tag = folder.tagged or entry.file_id in tagged
            if entry.is_folder:
                self._folder(entry, below, has_tag=has_tag)
            elif (exclusion := self._rules.exclusion_of(entry, tagged=has_tag)) is not None:
                self.count.file(entry.path, exclusion)
            else:
                yield from self._document(entry)

    def _folder(self, entry: FileEntry, below: list[_Folder], *, has_tag: bool) -> None:
        """Note a folder as one to list, or as one whose files are only counted."""
        exclusion = Exclusion(LeftOutReason.ENCRYPTED) if entry.encrypted else None
        exclusion = self._rules.exclusion_of_folder(entry.path) or exclusion
        if exclusion is not None:
            self._aside.append((entry, exclusion))
        elif entry.path != self._path_cache.notes_path:
            below.append(_Folder(entry, has_tag))

    async def count_aside(self) -> None:
        """Count the files in the folders that are left out, as far as few requests tell."""
        for folder, exclusion in self._aside:
            files, more = await self._files_below(folder)
            self.count.counted_folder(folder.path, exclusion, files, more=more)

    async def _files_below(self, folder: FileEntry) -> tuple[int, bool]:
        """The number of files in a folder and below it, and whether there may be more."""
        files, unlisted, waiting = 0, False, [folder]
        while waiting:
            room = min(_CONCURRENT, self._countable)
            if room == 0:
                return files, True
            now, waiting = waiting[:room], waiting[room:]
            self._countable -= len(now)
            for listed in await asyncio.gather(*map(self._listed_if_possible, now)):
                unlisted = unlisted or listed is None
                waiting += (entry for entry in listed or () if entry.is_folder)
                files += sum(not entry.is_folder for entry in listed or ())
        return files, unlisted

    async def _listed_if_possible(self, folder: FileEntry) -> list[FileEntry] | None:
        """The content of a folder that nobody needs; None if the server does not list it, and it is asked no more."""
        try:
            return await self._listed(folder)
        except (RetriableSourceError, SkippableSourceError):
            self._countable = 0
            return None

    def _document(self, entry: FileEntry) -> Iterator[Listed | Problem]:
        if entry.file_id is None:
            self.count.file(entry.path, Exclusion(LeftOutReason.UNREADABLE))
            yield Problem(NativeId(entry.path), "The server gives the file no id (oc:fileid): is it a Nextcloud?")
        elif entry.file_id not in self.seen:
            self.seen[entry.file_id] = entry
            self._path_cache.put(entry)
            readers = (_APP, *readers_of_name(entry.path, ocr=self._rules.ocr))
            listed = Listed(FILE, NativeId(entry.file_id), entry.version, entry.modified, readers, entry.size)
            yield self._too_large(entry, listed) if entry.size > self._rules.max_bytes else listed
        else:
            self.count.file(entry.path, Exclusion(LeftOutReason.REPEATED))

    def _too_large(self, entry: FileEntry, listed: Listed) -> TooLarge:
        self.count.file(entry.path, Exclusion(LeftOutReason.TOO_LARGE))
        message = (
            f"The file has {entry.size:,} bytes, more than the {self._rules.max_bytes:,} that are read "
            "(CITEMARK_MAX_FILE_MIB)."
        )
        return TooLarge(NativeId(entry.path), message, document=listed)
