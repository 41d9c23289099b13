"""Rules that decide which files of an account are documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, cast

from pathspec import GitIgnoreSpec

from citemark.extraction.dispatch import READ_SUFFIXES
from citemark.extraction.text_recognition import PICTURES, asks_for_ocr
from citemark.features.nextcloud.source.file_entries import FileEntry, FilePath
from citemark.model.documents import suffix_of
from citemark.model.errors import ConfigurationError
from citemark.model.left_out import Exclusion, LeftOutReason
from citemark.sources.secret_files import is_secret_path

DEFAULT_MAX_BYTES = 20 * 1024 * 1024
"""Default of CITEMARK_MAX_FILE_MIB: larger files are mostly scans and media, and take long to download and parse."""

_KEYS = ("include", "exclude", "tags", "types", "hidden", "ocr")
_NEVER_DOCS: Mapping[str, str] = MappingProxyType({"node_modules": "vendored packages", "__pycache__": "compiled code"})
"""Folders that only programs fill, by name, and what is in them."""


@dataclass(frozen=True)
class FileRules:
    """Rules for files; a file has to pass every rule that is set. Files that hold secrets by their name never do.

    Attributes:
        include: patterns as in .gitignore, relative to the account's root.
        exclude: patterns of files and folders to leave out.
        tags: names of system tags in lower case, on the file itself or on a folder around it.
        types: suffixes (".pdf") or media types ("text/*"); by default every format that can be read.
        hidden: also take names that begin with a dot.
        ocr: also take pictures, and recognise text in them and in scanned pages.
        max_bytes: larger files are reported as problems.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    tags: frozenset[str] = frozenset()
    types: tuple[str, ...] = ()
    hidden: bool = False
    ocr: bool = False
    max_bytes: int = DEFAULT_MAX_BYTES

    @classmethod
    def from_config(cls, config: Mapping[str, Any], *, max_bytes: int = DEFAULT_MAX_BYTES) -> "FileRules":
        """Read the rules of a stored configuration.

        Raises:
            ConfigurationError: a key is unknown, or a value cannot be understood.
        """
        unknown = sorted(set(config) - set(_KEYS))
        if unknown:
            raise ConfigurationError(f"The rules for files have no {unknown[0]!r}; they take {', '.join(_KEYS)}.")
        rules = cls(
            include=_words(config, "include"),
            exclude=_words(config, "exclude"),
            tags=frozenset(tag.casefold() for tag in _words(config, "tags")),
            types=tuple(_type(word) for word in _words(config, "types")),
            hidden=bool(config.get("hidden", False)),
            ocr=asks_for_ocr(config),
            max_bytes=max_bytes,
        )
        try:
            _ = rules._included, rules._excluded
        except ValueError as error:
            raise ConfigurationError(f"A pattern in the rules for files cannot be read: {error}") from None
        return rules

    def takes_folder(self, path: FilePath) -> bool:
        """Tell whether anything below a folder can be a document, as far as its path tells."""
        return self.exclusion_of_folder(path) is None

    def exclusion_of_folder(self, path: FilePath) -> Exclusion | None:
        """Why nothing below a folder can be a document; None if something can, as far as its path tells."""
        name = path.rpartition("/")[2]
        if self.exclude and self._excluded.match_file(f"{path}/"):
            return Exclusion(LeftOutReason.EXCLUDED)
        if not self.hidden and name in _NEVER_DOCS:
            return Exclusion(LeftOutReason.FOLDER, name, _NEVER_DOCS[name])
        return Exclusion(LeftOutReason.HIDDEN) if not self.hidden and name.startswith(".") else None

    def takes(self, entry: FileEntry, *, tagged: bool = True) -> bool:
        """Tell whether a file in a folder that is entered is a document, unless it is too large.

        Args:
            entry: the file.
            tagged: whether it, or a folder around it, has one of the tags.
        """
        return self.exclusion_of(entry, tagged=tagged) is None

    def exclusion_of(self, entry: FileEntry, *, tagged: bool = True) -> Exclusion | None:
        """Why a file in a folder that is entered is no document, its size apart; the arguments are those of `takes`."""
        reason = self._reason(entry, tagged=tagged)
        if reason is None:
            return None
        return Exclusion(reason, suffix_of(entry.name) if reason is LeftOutReason.TYPE else "")

    def _reason(self, entry: FileEntry, *, tagged: bool) -> LeftOutReason | None:
        by_reason = (
            (LeftOutReason.SECRET, is_secret_path(entry.path)),
            (LeftOutReason.EXCLUDED, bool(self.exclude) and self._excluded.match_file(entry.path)),
            (LeftOutReason.NOT_INCLUDED, bool(self.include) and not self._included.match_file(entry.path)),
            (LeftOutReason.UNTAGGED, bool(self.tags) and not tagged),
            (LeftOutReason.HIDDEN, not self.hidden and entry.name.startswith(".")),
            (LeftOutReason.OTHER_TYPE if self.types else LeftOutReason.TYPE, not self._typed(entry)),
        )
        return next((reason for reason, applies in by_reason if applies), None)

    def may_take(self, path: FilePath) -> bool:
        """Tell whether a file at a path can be a document, as far as its path tells, without type and tags."""
        named = FileEntry(path, file_id=None, etag=None, is_folder=False)
        by_media_type = any("/" in each for each in self.types)
        return self.reaches(path) and (by_media_type or self.takes(named))

    def reaches(self, path: FilePath) -> bool:
        """Tell whether a scan would reach a path: no folder above it is left out."""
        parts = path.split("/")[:-1]
        return all(self.takes_folder(FilePath("/".join(parts[: count + 1]))) for count in range(len(parts)))

    def _typed(self, entry: FileEntry) -> bool:
        suffix = suffix_of(entry.name)
        if not self.types:
            return suffix in READ_SUFFIXES or (self.ocr and suffix in PICTURES)
        kind = entry.content_type
        return any(
            each in {suffix, kind} or (each.endswith("/*") and kind.startswith(each[:-1])) for each in self.types
        )

    @cached_property
    def _included(self) -> GitIgnoreSpec:
        return GitIgnoreSpec.from_lines(self.include)

    @cached_property
    def _excluded(self) -> GitIgnoreSpec:
        return GitIgnoreSpec.from_lines(self.exclude)


def _type(word: str) -> str:
    word = word.strip().lower()
    return word if "/" in word or word.startswith(".") else f".{word}"


def _words(config: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value: object = config.get(key, ())
    if not isinstance(value, list | tuple):
        raise ConfigurationError(f"`{key}` in the rules for files is a list, not {value!r}.")
    return tuple(str(word) for word in cast("Sequence[object]", value) if str(word).strip())
