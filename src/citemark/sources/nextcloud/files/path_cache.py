"""The files that the last scan of this process listed: where they are, without asking."""

from collections.abc import Mapping

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
