"""Finds the documents of a folder by the names that wikilinks give them, as Obsidian does."""

import os
import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from unicodedata import normalize

from citemark.extraction.markdown.front_matter import read_front_matter
from citemark.model.documents import Listed
from citemark.model.errors import SourceError
from citemark.sources.docs.scanner import Walk
from citemark.sources.docs.settings import DocsSettings

_NOTES = (".md", ".markdown", ".mdx", ".org", ".txt", ".canvas", ".base")
"""Suffixes that a link may leave out, those of notes first."""

_WITH_ALIASES = (".md", ".markdown", ".mdx")

_MOST_READ = 20_000
"""Notes whose heads are read for their aliases: about a second once, and a tenth of it whenever a name is not found."""

_HEAD_BYTES = 33_000
"""As much of a note as its properties may take."""


@dataclass(frozen=True, slots=True)
class _Listing:
    """The documents by the last part of their path, in one case, and the state of the folders in which they are."""

    by_name: Mapping[str, Sequence[str]]
    folders: Mapping[str, int]


@dataclass(slots=True)
class _Aliases:
    """The aliases of one note, and the state of its file when they were read."""

    state: tuple[int, int]
    names: frozenset[str] = field(default_factory=frozenset[str])


class NotesByName:
    """Lists the folder when a name is first looked up, and again when something was added, removed or renamed in it."""

    def __init__(self, settings: DocsSettings) -> None:
        self._settings = settings
        self._root = os.path.realpath(settings.root)
        self._listing: _Listing | None = None
        self._aliases: dict[str, _Aliases] = {}
        self._lock = Lock()

    def find(self, name: str, page: str) -> str | None:
        """The document that a link on `page` means by `name`: a path, the end of one, or an alias; None without one.

        Of several, the one by its whole path counts, then those below the page's own folder, then the shortest path.
        """
        with self._lock:
            listing = self._listed()
            wanted = _comparable(name.strip().strip("/"))
            for written in _spellings(wanted):
                found = listing.by_name.get(posixpath.basename(written), ())
                fitting = [path for path in found if _ends_with(_comparable(path), written)]
                if fitting:
                    return min(fitting, key=lambda path: _nearness(path, written, page))
            return None if "/" in wanted else self._by_alias(listing, wanted, page)

    def _listed(self) -> _Listing:
        if self._listing is None or any(_changed(folder) != state for folder, state in self._listing.folders.items()):
            self._listing = self._walked()
        return self._listing

    def _walked(self) -> _Listing:
        walk = Walk(self._settings)
        by_name: dict[str, list[str]] = {}
        try:
            for entry in walk.entries():
                if isinstance(entry, Listed):
                    by_name.setdefault(posixpath.basename(_comparable(entry.native_id)), []).append(entry.native_id)
        except SourceError:
            return _Listing({}, {})
        return _Listing(by_name, {folder: _changed(folder) for folder in walk.folders})

    def _by_alias(self, listing: _Listing, wanted: str, page: str) -> str | None:
        notes = [path for paths in listing.by_name.values() for path in paths if path.lower().endswith(_WITH_ALIASES)]
        if len(notes) > _MOST_READ:
            return None
        found = [path for path in notes if wanted in self._aliases_of(path)]
        return min(found, key=lambda path: _nearness(path, wanted, page), default=None)

    def _aliases_of(self, path: str) -> frozenset[str]:
        file = Path(self._root, path)
        try:
            info = file.stat()
            kept = self._aliases.get(path)
            state = (info.st_mtime_ns, info.st_size)
            if kept is None or kept.state != state:
                with file.open("rb") as opened:
                    head = read_front_matter(opened.read(_HEAD_BYTES).decode("utf-8", "replace").removeprefix("\ufeff"))
                names = frozenset(map(_comparable, head.names())) if head is not None else frozenset[str]()
                kept = self._aliases[path] = _Aliases(state, names)
        except OSError:
            return frozenset()
        return kept.names


def _spellings(wanted: str) -> tuple[str, ...]:
    return (wanted, *(wanted + suffix for suffix in _NOTES))


def _ends_with(path: str, written: str) -> bool:
    return path == written or path.endswith(f"/{written}")


def _nearness(path: str, written: str, page: str) -> tuple[bool, bool, int, str]:
    folder = posixpath.dirname(page)
    near = not folder or path.startswith(f"{folder}/")
    return _comparable(path) != written, not near, len(path), path


def _changed(folder: str) -> int:
    """When a folder was last changed; 0 if it is gone."""
    try:
        return Path(folder).stat().st_mtime_ns
    except OSError:
        return 0


def _comparable(text: str) -> str:
    return normalize("NFC", text).casefold()
