"""Where files are: as the last scan saw them, or as the server says."""

import asyncio
from collections.abc import Collection, Mapping

from citemark.features.nextcloud.source.file_entries import FileEntry, FilePath
from citemark.features.nextcloud.source.file_rules import FileRules
from citemark.features.nextcloud.source.files.api import FilesApi
from citemark.sources.note_names import NotePaths

_MOST_ASKED = 200
"""Paths of one text that the server is asked about: generated texts have thousands of links."""


class PathCache:
    """The files that the last scan of this process listed, by id and path."""

    def __init__(self) -> None:
        self.notes_path: FilePath | None = None
        self.notes_known = False
        self._entries: dict[str, FileEntry] = {}
        self._paths: dict[FilePath, str] = {}
        self._names: NotePaths | None = None

    def set_notes_path(self, path: FilePath | None) -> None:
        """Store where notes are kept, which do not count as files; None if there is no such folder."""
        self.notes_path = path
        self.notes_known = True

    def entry(self, file_id: str) -> FileEntry | None:
        """Return a file as it was listed last."""
        return self._entries.get(file_id)

    def id_at(self, path: FilePath) -> str | None:
        """Return the id of the file at a path."""
        return self._paths.get(path)

    def id_named(self, name: str, page: FilePath) -> str | None:
        """Return the id of the file that a wikilink in the file at `page` means by a name."""
        if self._names is None:
            self._names = NotePaths(self._paths)
        path = self._names.named(name, page)
        return None if path is None else self._paths.get(FilePath(path))

    def put(self, entry: FileEntry) -> None:
        """Add what a scan or search found."""
        if entry.file_id is None:
            return
        before = self._entries.get(entry.file_id)
        if before is not None and self._paths.get(before.path) == entry.file_id:
            del self._paths[before.path]
            self._names = None
        self._entries[entry.file_id] = entry
        if self._paths.get(entry.path) != entry.file_id:
            self._names = None
        self._paths[entry.path] = entry.file_id

    def replace(self, entries: Mapping[str, FileEntry]) -> None:
        """Keep exactly what a finished scan listed."""
        self._entries = dict(entries)
        self._paths = {entry.path: file_id for file_id, entry in entries.items()}
        self._names = None


class FileLocator:
    """Finds files by id, within the rules."""

    def __init__(self, api: FilesApi, rules: FileRules, path_cache: PathCache) -> None:
        self._api = api
        self._rules = rules
        self._path_cache = path_cache
        self._asking = asyncio.Lock()

    def id_named(self, name: str, page: FilePath) -> str | None:
        """Return the id of the file that a wikilink means by its name, of those that the last scan saw."""
        return self._path_cache.id_named(name, page)

    def last_seen(self, file_id: str) -> FileEntry | None:
        """Return a file as the last scan of this process saw it."""
        return self._path_cache.entry(file_id)

    async def find(self, file_id: str, *, refused: FilePath | None = None) -> FileEntry | None:
        """Find a file where the account may open it now, the place nearest to the root first, as a scan would list it.

        A search by id may name what a path does not show any more, so each place is looked up. None if the file is
        gone or excluded by the rules.

        Args:
            file_id: of the file.
            refused: a path that was just looked up and does not show the file.
        """
        found, notes = await asyncio.gather(self._api.find_by_id(file_id), self._notes_path())
        for place in found:
            if place.path == refused or (notes is not None and place.path.startswith(f"{notes}/")):
                continue
            entry = await self._api.entry_at(place.path) if self.within_rules(place) else None
            if entry is not None and entry.file_id == file_id and self.within_rules(entry):
                return entry
        return None

    async def refresh(self, file_id: str) -> FileEntry | None:
        """Find a file as of `find` that is not too large to be read, and remember where it is."""
        entry = await self.find(file_id)
        if entry is None or not self.allowed(entry):
            return None
        self._path_cache.put(entry)
        return entry

    async def ids_at(self, paths: Collection[FilePath]) -> Mapping[FilePath, str]:
        """Return the ids of the documents at some paths; the server is asked about those that were not listed yet.

        Raises:
            RetriableSourceError, FatalSourceError: as for any request.
        """
        found = {path: self._path_cache.id_at(path) for path in paths}
        unlisted = sorted(path for path, known in found.items() if known is None and self._rules.may_take(path))
        asked = unlisted[:_MOST_ASKED]
        found |= zip(asked, await asyncio.gather(*map(self._ask, asked)), strict=True)
        return {path: file_id for path, file_id in found.items() if file_id is not None}

    async def _ask(self, path: FilePath) -> str | None:
        notes = await self._notes_path()
        entry = None if notes is not None and path.startswith(f"{notes}/") else await self._api.file_at(path)
        if entry is None or not self.allowed(entry):
            return None
        self._path_cache.put(entry)
        return entry.file_id

    def allowed(self, entry: FileEntry) -> bool:
        """Tell whether the rules take a file, and it is not too large."""
        return self.within_rules(entry) and not self.too_large(entry)

    def too_large(self, entry: FileEntry) -> bool:
        """Tell whether a file is larger than what is read. What was read while the limit was higher may be shown."""
        return entry.size > self._rules.max_bytes

    def within_rules(self, entry: FileEntry) -> bool:
        """Tell whether the rules take a file, however large. Only scans check tags: folders above may have them."""
        return self._rules.reaches(entry.path) and self._rules.takes(entry)

    async def _notes_path(self) -> FilePath | None:
        """Return where notes are; requested once however many files are looked for at the same time."""
        if not self._path_cache.notes_known:
            async with self._asking:
                if not self._path_cache.notes_known:
                    self._path_cache.set_notes_path(await self._api.notes_path())
        return self._path_cache.notes_path
