"""The settings of a folder of documents."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast
from unicodedata import normalize
from urllib.parse import quote

from pathspec import GitIgnoreSpec

from citemark.extraction.dispatch import READ_SUFFIXES
from citemark.model.documents import suffix_of
from citemark.model.errors import ConfigurationError
from citemark.model.ids import NativeId

DOCS = "docs"
"""The kind of such sources."""

DEFAULT_MAX_BYTES = 20 * 1024 * 1024
"""Default of CITEMARK_MAX_FILE_MIB: larger files are mostly scans and media, and take long to parse."""
_KEYS = frozenset({"root", "include", "exclude", "url", "hidden"})
_SAVED_PAGE_FOLDER = re.compile(
    r"(?:[_-](?:files|dateien|fichiers|archivos|arquivos|file|bestanden|filer)|\.files)$", re.IGNORECASE
)
"""Suffixes that browsers append to a page's name, by their language."""

_OFFICE_LOCK = "~$"
"""Prefix of the lock files that office programs create beside an open document: a few bytes, not a document."""

_NEVER_DOCS = frozenset({"node_modules", "__pycache__"})


@dataclass(frozen=True)
class DocsSettings:
    """A folder, and which of its files are documents.

    Attributes:
        root: the folder.
        include: patterns as in .gitignore, relative to the folder. Without them, every file of a supported format is
            a document: Markdown, MDX, text, CSV, HTML, PDF, office and mail. With them, every matching file is; code,
            data and logs are then read as text.
        exclude: patterns of files and folders to leave out.
        url: where the folder is published. "{path}" is replaced by the file's path and "{page}" for the path without
            suffix and index; without either, the path is appended.
        hidden: also take names that begin with a dot, lock files of office programs, `node_modules` and the parts
            of saved pages.
        max_file_bytes: larger files are reported as problems.
    """

    root: Path
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    url: str | None = None
    hidden: bool = False
    max_file_bytes: int = DEFAULT_MAX_BYTES

    @classmethod
    def from_config(cls, config: Mapping[str, Any], *, max_file_bytes: int = DEFAULT_MAX_BYTES) -> "DocsSettings":
        """Read a source's stored configuration.

        Raises:
            ConfigurationError: a key is unknown, or a value has the wrong type.
        """
        unknown = sorted(set(config) - _KEYS)
        if unknown:
            raise ConfigurationError(
                f"A docs source has no setting {unknown[0]!r}; it takes {', '.join(sorted(_KEYS))}."
            )
        root = config.get("root")
        if not isinstance(root, str) or not root:
            raise ConfigurationError("A docs source needs `root`, the folder that holds the documents.")
        url = config.get("url")
        if url is not None and not isinstance(url, str):
            raise ConfigurationError(f"`url` of a docs source is an address, not {url!r}.")
        settings = cls(
            root=Path(root),
            include=_patterns(config, "include"),
            exclude=_patterns(config, "exclude"),
            url=url or None,
            hidden=bool(config.get("hidden", False)),
            max_file_bytes=max_file_bytes,
        )
        try:
            _ = settings._included, settings._excluded
        except ValueError as error:
            raise ConfigurationError(f"A pattern of the docs source {root!r} cannot be read: {error}") from None
        return settings

    def takes(self, native_id: NativeId) -> bool:
        """Tell whether a scan would list the path: neither the file nor a folder above it is left out."""
        folder, _, name = native_id.rpartition("/")
        return (not folder or self.takes_folder_at(folder)) and self.takes_file(name, native_id)

    def takes_folder_at(self, path: str) -> bool:
        """Tell whether a scan would enter the folder at `path` relative to the root."""
        walked = ""
        for folder in path.split("/"):
            walked = f"{walked}/{folder}" if walked else folder
            if not self.takes_folder(folder, walked):
                return False
        return True

    def takes_folder(self, name: str, path: str) -> bool:
        """Tell whether to enter a folder at `path` relative to the root, given that its parent is entered."""
        if not self.hidden and (name.startswith(".") or name in _NEVER_DOCS or self._is_part_of_a_page(path)):
            return False
        return not (self.exclude and self._excluded.match_file(_composed(f"{path}/")))

    def takes_file(self, name: str, path: str) -> bool:
        """Tell whether the file at `path` relative to the root is a document, given that its folder is entered."""
        taken = self._included.match_file(_composed(path)) if self.include else suffix_of(name) in READ_SUFFIXES
        return taken and self._may_take(name, path)

    def skips_by_type(self, name: str, path: str) -> bool:
        """Tell whether the file at `path` is left out only because of its type, which an `include` would change."""
        return not self.include and suffix_of(name) not in READ_SUFFIXES and self._may_take(name, path)

    def _may_take(self, name: str, path: str) -> bool:
        if not self.hidden and name.startswith((".", _OFFICE_LOCK)):
            return False
        return not (self.exclude and self._excluded.match_file(_composed(path)))

    def url_of(self, native_id: NativeId) -> str | None:
        """Return the page's address on the web; None if the folder is not published."""
        if self.url is None:
            return None
        path = quote(native_id)
        if "{path}" in self.url or "{page}" in self.url:
            page = path.rpartition(".")[0] or path
            page = "" if page == "index" else page.removesuffix("/index")
            return self.url.replace("{path}", path).replace("{page}", page)
        return f"{self.url.rstrip('/')}/{path}"

    def _is_part_of_a_page(self, path: str) -> bool:
        """Tell whether a browser created the folder for the frames, styles and images of a saved page beside it."""
        part = _SAVED_PAGE_FOLDER.search(path)
        if part is None:
            return False
        page = f"{self.root}/{path[: part.start()]}"
        return any(os.path.isfile(page + suffix) for suffix in (".html", ".htm"))  # noqa: PTH113 - Path.is_file raises on long names

    @cached_property
    def _included(self) -> GitIgnoreSpec:
        return GitIgnoreSpec.from_lines(map(_composed, self.include))

    @cached_property
    def _excluded(self) -> GitIgnoreSpec:
        return GitIgnoreSpec.from_lines(map(_composed, self.exclude))


def _composed(path: str) -> str:
    """A path or pattern with composed letters, since one folder may have them and another not."""
    return path if path.isascii() else normalize("NFC", path)


def _patterns(config: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value: object = config.get(key, ())
    if not isinstance(value, list | tuple):
        raise ConfigurationError(f"`{key}` of a docs source is a list of patterns, not {value!r}.")
    return tuple(str(pattern) for pattern in cast("Sequence[object]", value))
