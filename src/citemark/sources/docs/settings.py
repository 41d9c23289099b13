"""What a docs source is configured with."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pathspec import GitIgnoreSpec

from citemark.model.errors import ConfigurationError

PLAIN = frozenset({".txt", ".rst", ".text"})
MARKDOWN = frozenset({".md", ".mdx", ".markdown", ".mdown"})
_INCLUDE = tuple(f"*{suffix}" for suffix in sorted(MARKDOWN | PLAIN))
_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__"})


@dataclass(frozen=True, slots=True)
class DocsSettings:
    """A folder, which of its files are documents, and where they are published."""

    root: Path
    include: GitIgnoreSpec
    exclude: GitIgnoreSpec
    max_file_bytes: int
    url: str | None = None

    @classmethod
    def read(cls, config: Mapping[str, Any], *, max_file_bytes: int) -> "DocsSettings":
        """From a source's stored configuration: root, include, exclude, url.

        Raises:
            ConfigurationError: a glob cannot be read.
        """
        root = Path(os.path.realpath(str(config["root"])))
        try:
            include = GitIgnoreSpec.from_lines(config.get("include") or _INCLUDE)
            exclude = GitIgnoreSpec.from_lines(config.get("exclude") or ())
        except ValueError as error:
            raise ConfigurationError(f"A glob of the source at {root} cannot be read: {error}") from None
        url = config.get("url")
        return cls(root, include, exclude, max_file_bytes, None if url is None else str(url).rstrip("/"))

    def takes(self, native_id: str) -> bool:
        """Whether a file (its path below the root, with slashes) is a document of the source."""
        return self.include.match_file(native_id) and not self.exclude.match_file(native_id)

    def enters(self, native_id: str, name: str) -> bool:
        """Whether a folder is looked into: hidden and tool folders are not."""
        return (
            not name.startswith(".") and name not in _SKIPPED_FOLDERS and not self.exclude.match_file(native_id + "/")
        )
