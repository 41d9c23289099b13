"""The wheel's build hook: fetch the pinned weights, write the graphs, add them to the wheel."""

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class MultilingualBuildHook(BuildHookInterface[Any]):
    """Adds `citemark_multilingual/model/` to the wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the model's files in a scratch folder that lives until `finalize`."""
        if version == "editable":
            raise RuntimeError("citemark-multilingual has no editable install: its graphs exist in a wheel only.")
        # The encoder is that of citemark-minilm: beside this package in the repository, within it in a source archive.
        sys.path[:0] = [self.root, str(Path(self.root).parent / "citemark-minilm")]
        from multilingual_build import ship, upstream  # noqa: PLC0415 - found only with the root on the path

        self._scratch = tempfile.TemporaryDirectory(prefix="citemark-multilingual-")
        scratch = Path(self._scratch.name)
        for path in ship.write(upstream.obtain(scratch), scratch / "model"):
            build_data["force_include"][str(path)] = f"citemark_multilingual/model/{path.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove the scratch folder."""
        self._scratch.cleanup()
