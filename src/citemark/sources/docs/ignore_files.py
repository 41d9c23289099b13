"""What `.gitignore`, `.ignore` and `.git/info/exclude` leave out, in work trees of git."""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from pathspec import GitIgnoreSpec

from citemark.sources.file_system import is_inside
from citemark.sources.git_control_files import regular_file

IGNORE_FILES = (".ignore", ".gitignore")
"""The files with patterns that count in every folder of a work tree, the one that takes precedence first."""

_LOCAL = ".git/info/exclude"
_LONGEST_POINTER = 4096  # bytes: no path is longer

_LARGEST = 1 << 20
"""Bytes of a file with patterns; nobody writes a longer one."""


@dataclass(frozen=True, slots=True)
class IgnoredBy:
    """The pattern that ignores a path, and the name of the file that contains it."""

    file: str
    pattern: str


_BELOW = "ps_d"
"""The group with which pathspec marks the slash after a matched folder; what follows it is below the folder."""


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A line of such a file. A match ignores the path, or keeps it if the pattern is negated.

    `by_name`: the pattern has no slash but the last, so that the last part of a path decides.
    """

    text: str
    regex: re.Pattern[str]
    ignores: bool

    @property
    def by_name(self) -> bool:
        return "/" not in self.text.rstrip("/")

    def matches(self, path: str) -> bool:
        """Tell whether the pattern matches the path itself, and not only a folder above it; folders end in a slash."""
        if _BELOW in self.regex.groupindex:
            return any(match.start(_BELOW) in {-1, len(path) - 1} for match in self.regex.finditer(path))
        return self.regex.search(path.rstrip("/")) is not None  # such as `a/**`: what is in a folder, not the folder


class _Patterns:
    """The patterns of one file, the last one first; `version` changes when the file does.

    Hardly any path matches any pattern, and one regular expression for all of them says so ten times as fast.
    """

    def __init__(self, version: tuple[int, int, int], patterns: Sequence[_Pattern]) -> None:
        self.version = version
        self.patterns = tuple(patterns)
        self._for_names = _any_of(pattern for pattern in patterns if pattern.by_name)
        self._for_paths = _any_of(pattern for pattern in patterns if not pattern.by_name)

    def first(self, path: str) -> _Pattern | None:
        """The pattern that decides about a path."""
        name = path[path.rstrip("/").rfind("/") + 1 :]
        if not self._for_names.search(name) and not self._for_paths.search(path):
            return None
        subjects = ((pattern, name if pattern.by_name else path) for pattern in self.patterns)
        return next((pattern for pattern, subject in subjects if pattern.matches(subject)), None)


def _any_of(patterns: Iterable[_Pattern]) -> re.Pattern[str]:
    """A regular expression that matches where any of the patterns may; it matches nothing if there are none."""
    parts = [pattern.regex.pattern.replace(f"?P<{_BELOW}>", "?:") for pattern in patterns]
    return re.compile("|".join(f"(?:{part})" for part in parts) or r"(?!)")


@dataclass(slots=True)
class PatternFiles:
    """Parsed files with patterns, by path; a file is parsed again when it has changed."""

    _parsed: dict[str, _Patterns] = field(default_factory=dict[str, _Patterns])

    def of(self, path: str) -> _Patterns | None:
        """The patterns in a file; None if it does not exist, cannot be read or has none."""
        try:
            info = os.stat(path)  # noqa: PTH116 - called for every folder
        except (OSError, ValueError):
            return None
        version = (info.st_mtime_ns, info.st_ctime_ns, info.st_size)
        known = self._parsed.get(path)
        if known is None or known.version != version:
            known = self._parsed[path] = _Patterns(version, _read(path))
        return known if known.patterns else None


def _read(path: str) -> tuple[_Pattern, ...]:
    """The patterns of a file, the last one first; a line that cannot be a pattern is skipped, as git does."""
    try:
        with os.fdopen(regular_file(Path(path)), "rb") as file:
            text = file.read(_LARGEST).decode("utf-8-sig", "surrogateescape")
    except OSError:
        return ()
    found: list[_Pattern] = []
    for line in text.split("\n"):
        try:
            parsed = GitIgnoreSpec.from_lines((line.removesuffix("\r"),)).patterns
        except ValueError:
            continue
        found += [
            _Pattern(line.strip(), cast("Any", pattern).regex, pattern.include)
            for pattern in parsed
            if pattern.include is not None
        ]
    return tuple(reversed(found))


class IgnoreRules:
    """The ignore rules of one folder and everything below it, as they are during one scan or one check.

    Nothing is looked up twice, so an instance is not kept for longer.
    """

    def __init__(self, root: str, files: PatternFiles) -> None:
        """Remember the root, the real path of a folder, and the parsed files, which may be shared."""
        self._root = root
        self._files = files
        self._tops: dict[str, str | None] = {}
        self._patterns: dict[str, _Patterns | None] = {}
        self._beside: dict[str, str | None] = {}
        self._ignored_root: bool | None = None

    def top_of(self, folder: str) -> str | None:
        """The top of the innermost work tree that a folder, given relative to the root, is in; None outside of any."""
        return self._top(self._absolute(folder))

    def ignored(self, path: str, *, is_folder: bool) -> IgnoredBy | None:
        """The pattern that ignores a path relative to the root, given that no folder between the two is ignored.

        As in git, the file nearest to the path decides, and within a file the last pattern that matches. A root that
        is ignored itself was named by a person all the same: then only the patterns at or below it count.
        """
        whole = self._absolute(path)
        top = self._top(os.path.dirname(whole))  # noqa: PTH120 - called for every file
        if top is None:
            return None
        if is_inside(top, self._root) and top != self._root and self._root_is_ignored(top):
            return self._decide(whole, self._root, is_folder=is_folder, local=False)
        return self._decide(whole, top, is_folder=is_folder)

    def _root_is_ignored(self, top: str) -> bool:
        """Whether the root, or a folder between it and the top of its work tree, is ignored."""
        if self._ignored_root is None:
            steps = self._root[len(top) :].strip("/").split("/")
            folders = ["/".join([top, *steps[:count]]) for count in range(1, len(steps) + 1)]
            self._ignored_root = any(self._decide(folder, top, is_folder=True) for folder in folders)
        return self._ignored_root

    def _decide(self, whole: str, top: str, *, is_folder: bool, local: bool = True) -> IgnoredBy | None:
        """The pattern at or below `top` that ignores an absolute path."""
        folder = os.path.dirname(whole)  # noqa: PTH120
        ending = "/" if is_folder else ""
        while True:
            below = whole[len(folder.rstrip("/")) + 1 :] + ending
            for name in IGNORE_FILES:
                found, ignored = self._match(f"{folder}/{name}", name, below)
                if found:
                    return ignored
            if folder == top:
                break
            folder = os.path.dirname(folder)  # noqa: PTH120
        if not local:
            return None
        if top not in self._beside:
            self._beside[top] = _local_patterns(top)
        beside = self._beside[top]
        return None if beside is None else self._match(beside, _LOCAL, below)[1]

    def _match(self, file: str, name: str, path: str) -> tuple[bool, IgnoredBy | None]:
        """Whether a pattern of a file matches, and the pattern if it is not a negated one."""
        if file not in self._patterns:
            self._patterns[file] = self._files.of(file)
        patterns = self._patterns[file]
        found = None if patterns is None else patterns.first(path)
        if found is None:
            return False, None
        return True, IgnoredBy(name, found.text) if found.ignores else None

    def _top(self, folder: str) -> str | None:
        """The top of the innermost work tree around a folder; None outside of any."""
        if folder not in self._tops:
            if os.path.lexists(f"{folder}/.git"):
                self._tops[folder] = folder
            else:
                above = os.path.dirname(folder)  # noqa: PTH120
                self._tops[folder] = None if above == folder else self._top(above)
        return self._tops[folder]

    def _absolute(self, path: str) -> str:
        return f"{self._root.rstrip('/')}/{path}" if path else self._root


def _local_patterns(top: str) -> str | None:
    """The path of the patterns that are kept beside a repository and not in it."""
    if os.path.isdir(f"{top}/.git"):  # noqa: PTH112
        return f"{top}/{_LOCAL}"
    try:
        pointer = _words_of(Path(f"{top}/.git"))
        folder = Path(top, pointer.removeprefix("gitdir:").strip())
        common = folder / "commondir"
        shared = Path(folder, _words_of(common).strip()) if common.is_file() else folder
    except (OSError, ValueError):
        return None
    return str(shared / "info" / "exclude")


def _words_of(pointer: Path) -> str:
    """The beginning of a file that holds a path, which an archive may have made anything else."""
    with os.fdopen(regular_file(pointer), "rb") as file:
        return file.read(_LONGEST_POINTER).decode("utf-8", "surrogateescape")
