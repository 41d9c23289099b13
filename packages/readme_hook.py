"""Hatchling's metadata hook: the README for package indexes, whose links lead to the repository."""

import sys
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class ReadmeHook(MetadataHookInterface):
    """Sets `readme`, with each relative link made absolute by the project's URL `Repository`."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the README to the metadata."""
        sys.path.insert(0, str(Path(self.root) / "packages"))
        from absolute_links import with_absolute_links  # noqa: PLC0415 - found only with the folder on the path

        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        text = with_absolute_links(text, metadata["urls"]["Repository"])
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
