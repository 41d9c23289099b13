"""The settings of a folder of documents."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from citemark.extraction.text_recognition import asks_for_ocr
from citemark.model.errors import ConfigurationError
from citemark.model.ids import NativeId
from citemark.model.sources import Source
from citemark.sources.docs.belonging import Belonging, FileChoice
from citemark.sources.docs.vault import Vault, vault_of

DOCS = "docs"
"""The kind of such sources."""

DEFAULT_MAX_BYTES = 20 * 1024 * 1024
"""Default of CITEMARK_MAX_FILE_MIB: larger files are mostly scans and media, and take long to parse."""
_NO_ADDRESS = "none"
_KEYS = frozenset({"root", "include", "exclude", "also", "ignore", "url", "hidden", "ocr"})


@dataclass(frozen=True)
class DocsSettings:
    """A folder, and which of its files are documents.

    Attributes:
        root: the folder.
        include: patterns as in .gitignore, relative to the folder. Without them, every file of a supported format is
            a document: Markdown, MDX, text, CSV, HTML, PDF, office and mail. With them, every matching file is; code,
            data and logs are then read as text.
        exclude: patterns of files and folders to leave out.
        also: patterns of files to take besides; one that spells the name of an ignored, generated or hidden file or
            folder makes an exception for it, and one that ends in a slash means the documents in that folder.
        ignore: obey `.gitignore` and `.ignore` in work trees of git, and leave out what programs generate. None for a
            source that was added before this rule and whose person has not decided; it is read as before.
        url: where the folder is published. "{path}" is replaced by the file's path and "{page}" for the path without
            suffix and index; without either, the path is appended. None for addresses that open the notes of an
            Obsidian vault in the app, and none for other folders; "none" for no addresses.
        hidden: also take names that begin with a dot, lock files of office programs, the parts of saved pages and,
            unless `ignore` is set, `node_modules`.
        ocr: also take pictures, and recognise text in them and in scanned pages.
        max_file_bytes: larger files are reported as problems.
    """

    root: Path
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    ignore: bool | None = None
    url: str | None = None
    hidden: bool = False
    ocr: bool = False
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
        ignore = config.get("ignore")
        if ignore is not None and not isinstance(ignore, bool):
            raise ConfigurationError(f"`ignore` of a docs source is true or false, not {ignore!r}.")
        settings = cls(
            root=Path(root),
            include=_patterns(config, "include"),
            exclude=_patterns(config, "exclude"),
            also=_patterns(config, "also"),
            ignore=ignore,
            url=url or None,
            hidden=bool(config.get("hidden", False)),
            ocr=asks_for_ocr(config),
            max_file_bytes=max_file_bytes,
        )
        try:
            _ = settings.choice.included, settings.choice.excluded, settings.choice.added
        except ValueError as error:
            raise ConfigurationError(f"A pattern of the docs source {root!r} cannot be read: {error}") from None
        return settings

    @classmethod
    def of(cls, source: Source) -> "DocsSettings | None":
        """The settings of a source; None if it is of another kind."""
        return cls.from_config(source.config) if source.kind == DOCS else None

    @cached_property
    def choice(self) -> FileChoice:
        """The settings that decide which files belong to the source."""
        return FileChoice(self.root, self.include, self.exclude, self.also, self.ignore, self.hidden, self.ocr)

    def belonging(self) -> Belonging:
        """The rules about files and folders as the disk is now; made anew for each scan or check."""
        return Belonging(self.choice)

    def vault(self) -> Vault | None:
        """The Obsidian vault that the folder belongs to, as its settings are on the disk now."""
        return vault_of(os.path.realpath(self.root))

    def takes(self, native_id: NativeId) -> bool:
        """Tell whether a scan would list the path: neither the file nor a folder above it is left out."""
        return self.belonging().takes(native_id)

    def takes_folder_at(self, path: str) -> bool:
        """Tell whether a scan would enter the folder at `path` relative to the root."""
        return self.belonging().of_folders(path).exclusion is None

    def url_of(self, native_id: NativeId, vault: Vault | None) -> str | None:
        """Return the page's address: on the web, in the app if it is in a vault, None if it has none."""
        if self.url is None:
            return None if vault is None else vault.address_of(native_id)
        if self.url == _NO_ADDRESS:
            return None
        path = quote(native_id)
        if "{path}" in self.url or "{page}" in self.url:
            page = path.rpartition(".")[0] or path
            page = "" if page == "index" else page.removesuffix("/index")
            return self.url.replace("{path}", path).replace("{page}", page)
        return f"{self.url.rstrip('/')}/{path}"


def _patterns(config: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value: object = config.get(key, ())
    if not isinstance(value, list | tuple):
        raise ConfigurationError(f"`{key}` of a docs source is a list of patterns, not {value!r}.")
    return tuple(str(pattern) for pattern in cast("Sequence[object]", value))
