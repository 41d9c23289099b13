"""Finds notes by the names that wikilinks give them, as Obsidian does: a path, the end of one, or a file's name."""

import posixpath
from collections.abc import Iterable, Sequence
from unicodedata import normalize

NOTE_SUFFIXES = (".md", ".markdown", ".mdx", ".org", ".txt", ".canvas", ".base")
"""Suffixes that a link may leave out, those of notes first."""


_ATTACHMENTS = (
    *(".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".bmp", ".tif", ".tiff", ".heic", ".pdf", ".zip"),
    *(".mp3", ".m4a", ".wav", ".ogg", ".flac", ".mp4", ".mov", ".mkv", ".webm", ".css", ".js", ".json"),
)
"""Suffixes of embedded files that are no notes; a missing picture is not a missing page."""


def names_attachment(name: str) -> bool:
    """Whether a link names a file that is no note."""
    return name.strip().lower().endswith(_ATTACHMENTS)


class NotePaths:
    """The paths of notes, by the names that links may give them."""

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self._by_name: dict[str, list[str]] = {}
        for path in paths:
            self._by_name.setdefault(posixpath.basename(comparable(path)), []).append(path)

    def ending_in(self, *suffixes: str) -> list[str]:
        """The paths with one of these suffixes."""
        return [path for paths in self._by_name.values() for path in paths if path.lower().endswith(suffixes)]

    def named(self, name: str, page: str) -> str | None:
        """The path that a link on `page` means by `name`, with or without its suffix; None without one.

        Of several, the one by its whole path counts, then those below the page's own folder, then the shortest path.
        """
        wanted = comparable(name.strip().strip("/"))
        for written in (wanted, *(wanted + suffix for suffix in NOTE_SUFFIXES)):
            fitting = [path for path in self._named(written) if _ends_with(comparable(path), written)]
            if fitting:
                return nearest(fitting, page, written)
        return None

    def _named(self, written: str) -> Sequence[str]:
        return self._by_name.get(posixpath.basename(written), ())


def nearest(paths: Iterable[str], page: str, written: str = "") -> str | None:
    """The path that counts for a link on `page`: the one that is `written`, one below its folder, or the shortest."""
    folder = posixpath.dirname(page)

    def distance(path: str) -> tuple[bool, bool, int, str]:
        near = not folder or path.startswith(f"{folder}/")
        return comparable(path) != written, not near, len(path), path

    return min(paths, key=distance, default=None)


def comparable(text: str) -> str:
    """A name or path in the form in which they are compared."""
    return normalize("NFC", text).casefold()


def _ends_with(path: str, written: str) -> bool:
    return path == written or path.endswith(f"/{written}")
