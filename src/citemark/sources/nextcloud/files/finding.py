"""Where a file is now: by what the last scan showed, else by asking."""

from citemark.sources.nextcloud.files.api import FilesApi
from citemark.sources.nextcloud.files.entries import Entry, FilePath
from citemark.sources.nextcloud.files.rules import FileRules
from citemark.sources.nextcloud.files.shelf import Shelf


class Finder:
    """Finds files by id within the rules."""

    def __init__(self, api: FilesApi, rules: FileRules, shelf: Shelf) -> None:
        self._api = api
        self._rules = rules
        self._shelf = shelf

    def known(self, file_id: str) -> Entry | None:
        """The file as the last scan of this process showed it."""
        return self._shelf.entry(file_id)

    async def place(self, file_id: str) -> Entry | None:
        """The file where the account sees it now, nearest to the root first, without its tags and its owner.

        None when it is gone, and when the rules leave it out.
        """
        for entry in await self._api.places(file_id):
            if self.allowed(entry) and not await self._is_note(entry.path):
                return entry
        return None

    async def find(self, file_id: str) -> Entry | None:
        """The file as a scan would show it now; None as of `place`."""
        entry = await self.place(file_id)
        whole = await self._api.look(entry.path) if entry else None
        if whole is None or whole.file_id != file_id:
            return None
        self._shelf.put(whole)
        return whole

    def allowed(self, entry: Entry) -> bool:
        """Whether the rules take it. Tags are looked at by scans alone: they are on folders above, too."""
        return self._rules.reaches(entry.path) and self._rules.takes(entry) and entry.size <= self._rules.max_bytes

    async def _is_note(self, path: FilePath) -> bool:
        if not self._shelf.notes_known:
            self._shelf.set_notes_path(await self._api.notes_path())
        notes = self._shelf.notes_path
        return notes is not None and path.startswith(f"{notes}/")
