"""What belongs to a source: which files of a folder are documents, and why each of the others is not."""

import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from unicodedata import normalize

from pathspec import GitIgnoreSpec

from citemark.extraction.dispatch import READ_SUFFIXES
from citemark.extraction.text_recognition import PICTURES
from citemark.model.documents import suffix_of
from citemark.model.left_out import Exclusion, LeftOutReason
from citemark.sources.docs.generated_files import is_generated, is_lock_file
from citemark.sources.docs.generated_folders import generated_kind, named_kind
from citemark.sources.docs.ignore_files import IgnoreRules, PatternFiles
from citemark.sources.docs.named_exceptions import Lifted, NamedExceptions
from citemark.sources.docs.vault import vault_of
from citemark.sources.secret_files import is_secret_folder, is_secret_path

_SAVED_PAGE_FOLDER = re.compile(
    r"(?:[_-](?:files|dateien|fichiers|archivos|arquivos|file|bestanden|filer)|\.files)$", re.IGNORECASE
)
"""Suffixes that browsers append to a page's name, by their language."""

_OFFICE_LOCK = "~$"
"""Prefix of the lock files that office programs create beside an open document: a few bytes, not a document."""

_TEMPLATES = "templates"
"""What a folder is whose notes an app copies."""

_NEVER_DOCS = frozenset({"node_modules", "__pycache__"})
"""Folders that are left out even of sources that do not follow the rules about generated folders."""


def _composed(path: str) -> str:
    """A path or pattern with composed letters, since one folder may have them and another not."""
    return path if path.isascii() else normalize("NFC", path)


@dataclass(frozen=True)
class FileChoice:
    """The settings of a source that decide about files; their meaning is that of `DocsSettings`."""

    root: Path
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    ignore: bool | None = None
    hidden: bool = False
    ocr: bool = False

    @cached_property
    def included(self) -> GitIgnoreSpec:
        """The patterns of `include`."""
        return GitIgnoreSpec.from_lines(map(_composed, self.include))

    @cached_property
    def excluded(self) -> GitIgnoreSpec:
        """The patterns of `exclude`."""
        return GitIgnoreSpec.from_lines(map(_composed, self.exclude))

    @cached_property
    def added(self) -> GitIgnoreSpec:
        """The patterns of `also` that name files; one that ends in a slash only makes an exception for a folder."""
        return GitIgnoreSpec.from_lines(_composed(pattern) for pattern in self.also if not pattern.endswith("/"))

    @cached_property
    def exceptions(self) -> NamedExceptions:
        """What the patterns name although a rule would leave it out."""
        return NamedExceptions((*self.also, *(self.include if self.ignore else ())))

    @cached_property
    def pattern_files(self) -> PatternFiles:
        """The ignore files that were read so far."""
        return PatternFiles()

    def reads(self, name: str, path: str) -> bool:
        """Tell whether the type of a file, or a pattern, makes it a document."""
        if self.also and self.added.match_file(_composed(path)):
            return True
        return self.included.match_file(_composed(path)) if self.include else self.reads_type(name)

    def reads_type(self, name: str) -> bool:
        """Tell whether files of this type are documents unless patterns say otherwise."""
        suffix = suffix_of(name)
        return suffix in READ_SUFFIXES or (self.ocr and suffix in PICTURES)


@dataclass(frozen=True, slots=True)
class FolderRuling:
    """What becomes of a folder: `exclusion` if it is not entered.

    `within` is set for a folder that is entered only for what patterns name in it: the reason why the rest of it stays
    left out, and what they name.
    """

    exclusion: Exclusion | None = None
    within: tuple[Exclusion, Lifted] | None = None


ENTERED = FolderRuling()


class Belonging:
    """Decides about the files and folders of a source, for the time of one scan or one check."""

    def __init__(self, choice: FileChoice) -> None:
        self._choice = choice
        self._root = os.path.realpath(choice.root)
        self._ignore = IgnoreRules(self._root, choice.pattern_files)

    def takes(self, path: str) -> bool:
        """Tell whether a scan would list the file at a path relative to the root."""
        folder, _, _ = path.rpartition("/")
        ruling = self.of_folders(folder)
        return ruling.exclusion is None and self.of_file(path, ruling) is None

    def of_folders(self, path: str) -> FolderRuling:
        """The ruling about the folder at a path, or about the first one above it that is left out; "" is the root."""
        ruling, walked = ENTERED, ""
        for name in path.split("/") if path else ():
            walked = f"{walked}/{name}" if walked else name
            ruling = self.of_folder(walked, ruling)
            if ruling.exclusion is not None:
                break
        return ruling

    def of_folder(self, path: str, parent: FolderRuling = ENTERED) -> FolderRuling:
        """Rule about a folder at a path relative to the root, given the ruling about the folder around it."""
        choice, name = self._choice, path.rpartition("/")[2]
        if is_secret_folder(name):
            return FolderRuling(Exclusion(LeftOutReason.SECRET))
        if choice.exclude and choice.excluded.match_file(_composed(f"{path}/")):
            return FolderRuling(Exclusion(LeftOutReason.EXCLUDED))
        if parent.within is not None and not parent.within[1].reaches(path):
            return FolderRuling(parent.within[0])
        found = self._folder_exclusion(path, name, lifted=parent.within is not None)
        if found is None:
            return parent
        named = choice.exceptions.in_folder(path)
        return FolderRuling(found) if named is None else FolderRuling(within=(found, named))

    @cached_property
    def _templates(self) -> frozenset[str]:
        """The folders of templates of the vault, whose texts are there to be filled in."""
        vault = vault_of(self._root)
        return frozenset() if vault is None else vault.templates

    def _folder_exclusion(self, path: str, name: str, *, lifted: bool) -> Exclusion | None:
        """Why a folder is left out unless a pattern names it."""
        choice = self._choice
        if choice.ignore:
            kind = generated_kind(self._root, path, lambda: self._ignore.top_of(path.rpartition("/")[0]))
            kind = kind or (_TEMPLATES if path in self._templates else "")
        else:
            kind = "" if choice.hidden else named_kind(name)
            kind = kind if name in _NEVER_DOCS or name.startswith(".") else ""
        if kind:
            return Exclusion(LeftOutReason.FOLDER, name, kind)
        if not choice.hidden and name.startswith("."):
            return Exclusion(LeftOutReason.HIDDEN)
        if not choice.hidden and self._is_part_of_a_page(path):
            return Exclusion(LeftOutReason.PAGE_PART)
        return None if lifted else self._ignored(path, is_folder=True)[0]

    def of_file(self, path: str, parent: FolderRuling = ENTERED) -> Exclusion | None:
        """Why the file at a path relative to the root is not a document, given the ruling about its folder."""
        choice, name = self._choice, path.rpartition("/")[2]
        if is_secret_path(path):
            return Exclusion(LeftOutReason.SECRET)
        if choice.exclude and choice.excluded.match_file(_composed(path)):
            return Exclusion(LeftOutReason.EXCLUDED)
        if parent.within is not None:
            reason, named = parent.within
            covered = named.covers(path, of_read_type=choice.reads_type(name))
            return self._by_name(path, name) if covered else reason
        ignored, pattern = self._ignored(path, is_folder=False)
        if ignored is not None and not choice.exceptions.names_file(path, pattern):
            return ignored
        return self._by_name(path, name, pattern) or self._by_type(path, name)

    def _by_type(self, path: str, name: str) -> Exclusion | None:
        """Why a file is left out because of its type, or because no pattern names it."""
        if self._choice.reads(name, path):
            return None
        if self._choice.include:
            return Exclusion(LeftOutReason.NOT_INCLUDED)
        return Exclusion(LeftOutReason.TYPE, suffix_of(name))

    def _by_name(self, path: str, name: str, pattern: str = "") -> Exclusion | None:
        """Why a file is left out because of its name, unless a person's pattern spells it or repeats `pattern`."""
        choice, found = self._choice, None
        if not choice.hidden and name.startswith("."):
            found = LeftOutReason.HIDDEN
        elif not choice.hidden and name.startswith(_OFFICE_LOCK):
            found = LeftOutReason.TEMPORARY
        elif choice.ignore and is_lock_file(name):
            found = LeftOutReason.LOCK_FILE
        elif choice.ignore and is_generated(name):
            found = LeftOutReason.GENERATED
        if found is None or choice.exceptions.names_file(path, pattern):
            return None
        return Exclusion(found)

    def _ignored(self, path: str, *, is_folder: bool) -> tuple[Exclusion | None, str]:
        """The exclusion by an ignore file, and the pattern that matched."""
        if not self._choice.ignore:
            return None, ""
        found = self._ignore.ignored(path, is_folder=is_folder)
        return (None, "") if found is None else (Exclusion(LeftOutReason.IGNORED, found.file), found.pattern)

    def _is_part_of_a_page(self, path: str) -> bool:
        """Tell whether a browser created the folder for the frames, styles and images of a saved page beside it."""
        part = _SAVED_PAGE_FOLDER.search(path)
        if part is None:
            return False
        page = f"{self._root}/{path[: part.start()]}"
        return any(os.path.isfile(page + suffix) for suffix in (".html", ".htm"))  # noqa: PTH113 - Path.is_file raises on long names
