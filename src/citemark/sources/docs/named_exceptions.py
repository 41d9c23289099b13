"""The patterns of a person that name what would be left out: `--also 'build/report.md'` brings it in.

A pattern names a file or folder if it spells its name: `**`, `*.md` and `docs/*` name nothing that a rule leaves out,
`build/`, `build/docs/*.md` and `**/build/**` name the folder `build`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

_WILD = frozenset("*?[")
_ESCAPED = re.compile(r"\\(.)")


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A pattern as in .gitignore, by its parts. One that ends in a slash means the documents of a folder."""

    text: str
    parts: tuple[str, ...]
    folder_only: bool

    @classmethod
    def of(cls, text: str) -> "_Pattern":
        bare = text.strip()
        parts = tuple(bare.strip("/").split("/"))
        anchored = "/" in bare.rstrip("/")
        return cls(bare, parts if anchored else ("**", *parts), bare.endswith("/"))

    def names_folder(self, path: tuple[str, ...]) -> bool:
        """Tell whether a part of the pattern spells the name of the folder."""
        return any(
            _spelled(part) == path[-1] and _matches(self.parts[:count], path)
            for count, part in enumerate(self.parts, 1)
        )

    def covers(self, path: tuple[str, ...]) -> bool:
        """Tell whether the pattern matches the path or a folder above it."""
        return any(_matches(self.parts, path[:count]) for count in range(1, len(path) + 1))

    def reaches(self, path: tuple[str, ...]) -> bool:
        """Tell whether anything at or below a folder may match."""
        return self.covers(path) or any(_matches(self.parts[:count], path) for count in range(len(self.parts) + 1))


@dataclass(frozen=True, slots=True)
class Lifted:
    """A folder that is left out except for what some patterns name in it; everything else in it stays left out."""

    patterns: tuple[_Pattern, ...]

    def reaches(self, path: str) -> bool:
        """Tell whether a folder below may contain something that the patterns name."""
        parts = tuple(path.split("/"))
        return any(pattern.reaches(parts) for pattern in self.patterns)

    def covers(self, path: str, *, of_read_type: bool) -> bool:
        """Tell whether the patterns name a file below; one that ends in a slash takes only types that are read."""
        parts = tuple(path.split("/"))
        return any((of_read_type or not pattern.folder_only) and pattern.covers(parts) for pattern in self.patterns)


class NamedExceptions:
    """What a list of patterns names."""

    def __init__(self, patterns: Sequence[str]) -> None:
        named = [text for text in patterns if text.strip("/ ") and not text.startswith(("!", "#"))]
        self._patterns = tuple(_Pattern.of(text) for text in named)

    def in_folder(self, path: str) -> Lifted | None:
        """What is named in a folder that would be left out; None if nothing is."""
        parts = tuple(path.split("/"))
        found = tuple(pattern for pattern in self._patterns if pattern.names_folder(parts))
        return Lifted(found) if found else None

    def names_file(self, path: str, ignored_by: str = "") -> bool:
        """Tell whether a pattern spells a file's name, or repeats the pattern that ignores it."""
        parts = tuple(path.split("/"))
        return any(
            pattern.text == ignored_by or (_spelled(pattern.parts[-1]) == parts[-1] and _matches(pattern.parts, parts))
            for pattern in self._patterns
            if not pattern.folder_only
        )


def _matches(pattern: tuple[str, ...], path: tuple[str, ...]) -> bool:
    """Tell whether a pattern matches a whole path, part by part; `**` stands for any number of folders."""
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(_matches(pattern[1:], path[count:]) for count in range(len(path) + 1))
    if not path:
        return False
    spelled = _spelled(pattern[0])
    fits = fnmatchcase(path[0], _ESCAPED.sub(r"[\1]", pattern[0])) if spelled is None else path[0] == spelled
    return fits and _matches(pattern[1:], path[1:])


def _spelled(part: str) -> str | None:
    """The name that a part of a pattern spells; None if it has wildcards."""
    return None if _WILD.intersection(_ESCAPED.sub("", part)) else _ESCAPED.sub(r"\1", part)
