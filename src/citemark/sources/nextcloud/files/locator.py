"""Where files are: as the last scan saw them, or as the server says."""

import asyncio
from collections.abc import Mapping

from citemark.sources.nextcloud.file_entries import FileEntry, FilePath
from citemark.sources.nextcloud.file_rules import FileRules
from citemark.sources.nextcloud.files.api import FilesApi


class PathCache:
    """The files that the last scan of this process listed, by id and path."""

    def __init__(self) -> None:
        self.notes_path: FilePath | None = None
        self.notes_known = False
        self._entries: dict[str, FileEntry] = {}
        self._paths: dict[FilePath, str] | None = None

    def set_notes_path(self, path: FilePath | None) -> None:
        """Store where notes are kept, which do not count as files; None if there is no such folder."""
        self.notes_path = path
        self.notes_known = True

    def entry(self, file_id: str) -> FileEntry | None:
        """Return a file as it was listed last."""
        return self._entries.get(file_id)

    def id_at(self, path: str) -> str | None:
        """Return the id of the file at a path."""
        if self._paths is None:
            self._paths = {entry.path: file_id for file_id, entry in self._entries.items()}
        return self._paths.get(FilePath(path))

    def put(self, entry: FileEntry) -> None:
        """Add what a scan or search found."""
        if entry.file_id is not None:
            self._entries[entry.file_id] = entry
            self._paths = None

    def replace(self, entries: Mapping[str, FileEntry]) -> None:
        """Keep exactly what a finished scan listed."""
        self._entries = dict(entries)
        self._paths = None


class FileLocator:
    """Finds files by id, within the rules."""

    def __init__(self, api: FilesApi, rules: FileRules, path_cache: PathCache) -> None:
        self._api = api
        self._rules = rules
        self._path_cache = path_cache
        self._asking = asyncio.Lock()

    def last_seen(self, file_id: str) -> FileEntry | None:
        """Return a file as the last scan of this process saw it."""
        return self._path_cache.entry(file_id)

    async def locate(self, file_id: str) -> FileEntry | None:
        """Find where the account sees a file now, the place nearest to the root first; without tags and owner.

        None if it is gone or excluded by the rules.
        """
        found, notes = await asyncio.gather(self._api.find_by_id(file_id), self._notes_path())
        documents = (entry for entry in found if notes is None or not entry.path.startswith(f"{notes}/"))
        return next((entry for entry in documents if self.allowed(entry)), None)

    async def refresh(self, file_id: str) -> FileEntry | None:
        """Return a file as a scan would list it now; None as of `locate`."""
        entry = await self.locate(file_id)
        whole = await self._api.entry_at(entry.path) if entry else None
        if whole is None or whole.file_id != file_id:
            return None
        self._path_cache.put(whole)
        return whole

    def allowed(self, entry: FileEntry) -> bool:
        """Tell whether the rules take a file. Only scans check tags, because folders above may have them."""
        return self._rules.reaches(entry.path) and self._rules.takes(entry) and entry.size <= self._rules.max_bytes

    async def _notes_path(self) -> FilePath | None:
        """Return where notes are; requested once however many files are looked for at the same time."""
        if not self._path_cache.notes_known:
            async with self._asking:
                if not self._path_cache.notes_known:
                    self._path_cache.set_notes_path(await self._api.notes_path())
        return self._path_cache.notes_path
