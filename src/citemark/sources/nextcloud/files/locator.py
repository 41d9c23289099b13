"""Where a file is now: by what the last scan showed, else by asking."""

import asyncio
from collections.abc import Mapping

from citemark.sources.nextcloud.file_rules import FileRules
from citemark.sources.nextcloud.files.api import FilesApi
from citemark.sources.nextcloud.files.entries import Entry, FilePath


class PathCache:
    """Entries by file id. A scan fills a new shelf beside the old one, which is used until then."""

    def __init__(self) -> None:
        self.notes_path: FilePath | None = None
        self.notes_known = False
        self._entries: dict[str, Entry] = {}
        self._paths: dict[FilePath, str] | None = None

    def set_notes_path(self, path: FilePath | None) -> None:
        """Remember where notes are, which are no files here; None where nobody has any."""
        self.notes_path = path
        self.notes_known = True

    def entry(self, file_id: str) -> Entry | None:
        """A file as it was listed last."""
        return self._entries.get(file_id)

    def id_at(self, path: str) -> str | None:
        """The id of the file at a path."""
        if self._paths is None:
            self._paths = {entry.path: file_id for file_id, entry in self._entries.items()}
        return self._paths.get(FilePath(path))

    def put(self, entry: Entry) -> None:
        """Take in what a scan or a search found."""
        if entry.file_id is not None:
            self._entries[entry.file_id] = entry
            self._paths = None

    def replace(self, entries: Mapping[str, Entry]) -> None:
        """Hold just what a finished scan listed."""
        self._entries = dict(entries)
        self._paths = None


class FileLocator:
    """Finds files by id within the rules."""

    def __init__(self, api: FilesApi, rules: FileRules, path_cache: PathCache) -> None:
        self._api = api
        self._rules = rules
        self._path_cache = path_cache
        self._asking = asyncio.Lock()

    def last_seen(self, file_id: str) -> Entry | None:
        """The file as the last scan of this process showed it."""
        return self._path_cache.entry(file_id)

    async def locate(self, file_id: str) -> Entry | None:
        """The file where the account sees it now, nearest to the root first, without its tags and its owner.

        None when it is gone, and when the rules leave it out.
        """
        found, notes = await asyncio.gather(self._api.find_by_id(file_id), self._notes_path())
        documents = (entry for entry in found if notes is None or not entry.path.startswith(f"{notes}/"))
        return next((entry for entry in documents if self.allowed(entry)), None)

    async def refresh(self, file_id: str) -> Entry | None:
        """The file as a scan would show it now; None as of `locate`."""
        entry = await self.locate(file_id)
        whole = await self._api.entry_at(entry.path) if entry else None
        if whole is None or whole.file_id != file_id:
            return None
        self._path_cache.put(whole)
        return whole

    def allowed(self, entry: Entry) -> bool:
        """Whether the rules take it. Tags are looked at by scans alone: they are on folders above, too."""
        return self._rules.reaches(entry.path) and self._rules.takes(entry) and entry.size <= self._rules.max_bytes

    async def _notes_path(self) -> FilePath | None:
        """Where notes are, asked once however many files are looked for together."""
        if not self._path_cache.notes_known:
            async with self._asking:
                if not self._path_cache.notes_known:
                    self._path_cache.set_notes_path(await self._api.notes_path())
        return self._path_cache.notes_path
