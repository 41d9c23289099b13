"""Finds the documents of a folder by the names that wikilinks give them, as Obsidian does."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from citemark.extraction.markdown.front_matter import read_front_matter
from citemark.extraction.org import org_ids
from citemark.model.documents import Listed
from citemark.model.errors import SourceError
from citemark.sources.docs.scanner import Walk
from citemark.sources.docs.settings import DocsSettings
from citemark.sources.note_names import NotePaths, comparable, nearest

_WITH_ALIASES = (".md", ".markdown", ".mdx")

_WITH_IDS = (".org",)
_MOST_READ = 20_000
"""Notes whose heads are read for their aliases: about a second once, and a tenth of it whenever a name is not found."""

_HEAD_BYTES = 33_000
"""As much of a note as its properties may take."""

_FILE_BYTES = 2_000_000
"""As much of an Org file as is searched for ids, which any heading may have."""


@dataclass(frozen=True, slots=True)
class _Listing:
    """The documents, and the state of the folders in which they are."""

    paths: NotePaths
    folders: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _Head:
    """What a note calls itself, and the state of its file when that was read: aliases, and ids with their headings."""

    state: tuple[int, int] = (0, 0)
    aliases: frozenset[str] = field(default_factory=frozenset[str])
    ids: Mapping[str, str] = field(default_factory=dict[str, str])


class _Heads:
    """Reads the notes of a folder, each again when it has changed."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._known: dict[str, _Head] = {}

    def of(self, path: str) -> _Head:
        """What the note at a path calls itself; nothing if it cannot be read."""
        file = Path(self._root, path)
        try:
            info = file.stat()
            state = (info.st_mtime_ns, info.st_size)
            kept = self._known.get(path)
            if kept is None or kept.state != state:
                kept = self._known[path] = _read_head(file, path, state)
        except OSError:
            return _Head()
        return kept


def _read_head(file: Path, path: str, state: tuple[int, int]) -> _Head:
    with file.open("rb") as opened:
        if path.lower().endswith(_WITH_IDS):
            return _Head(state, ids=org_ids(opened.read(_FILE_BYTES).decode("utf-8", "replace")))
        head = read_front_matter(opened.read(_HEAD_BYTES).decode("utf-8", "replace").removeprefix("\ufeff"))
    return _Head(state, frozenset(map(comparable, head.names())) if head is not None else frozenset[str]())


class NotesByName:
    """Lists the folder when a name is first looked up, and again when something was added, removed or renamed in it."""

    def __init__(self, settings: DocsSettings) -> None:
        self._settings = settings
        self._root = os.path.realpath(settings.root)
        self._listing: _Listing | None = None
        self._heads = _Heads(self._root)
        self._lock = Lock()

    def find(self, name: str, page: str) -> str | None:
        """The document that a link on `page` means by `name`: a path, the end of one, or an alias; None without one.

        Of several, the one by its whole path counts, then those below the page's own folder, then the shortest path.
        """
        with self._lock:
            listing = self._listed()
            found = listing.paths.named(name, page)
            wanted = comparable(name.strip().strip("/"))
            return found if found is not None or "/" in wanted else self._by_alias(listing, wanted, page)

    def find_id(self, name: str) -> str | None:
        """The Org file, with the slug of a heading in it, that has an id; None without one."""
        with self._lock:
            listing = self._listed()
            files = listing.paths.ending_in(*_WITH_IDS)
            wanted = name.strip().casefold()
            places = {path: ids[wanted] for path in files[:_MOST_READ] if wanted in (ids := self._heads.of(path).ids)}
        path = min(places, default=None)
        return path and (f"{path}#{places[path]}" if places[path] else path)

    def _listed(self) -> _Listing:
        if self._listing is None or any(_changed(folder) != state for folder, state in self._listing.folders.items()):
            self._listing = self._walked()
        return self._listing

    def _walked(self) -> _Listing:
        walk = Walk(self._settings)
        try:
            paths = NotePaths([entry.native_id for entry in walk.entries() if isinstance(entry, Listed)])
        except SourceError:
            return _Listing(NotePaths(), {})
        return _Listing(paths, {folder: _changed(folder) for folder in walk.folders})

    def _by_alias(self, listing: _Listing, wanted: str, page: str) -> str | None:
        notes = listing.paths.ending_in(*_WITH_ALIASES)
        if len(notes) > _MOST_READ:
            return None
        found = [path for path in notes if wanted in self._heads.of(path).aliases]
        return nearest(found, page)


def _changed(folder: str) -> int:
    """When a folder was last changed; 0 if it is gone."""
    try:
        return Path(folder).stat().st_mtime_ns
    except OSError:
        return 0
