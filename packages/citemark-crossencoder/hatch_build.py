"""The wheel's build hook: fetch the pinned model, write it with 7-bit weights, add it to the wheel."""

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CrossEncoderBuildHook(BuildHookInterface[Any]):
    """Adds `citemark_crossencoder/model/` to the wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the model's files in a scratch folder that lives until `finalize`."""
        if version == "editable":
            raise RuntimeError("citemark-crossencoder has no editable install: its graph exists in a wheel only.")
        sys.path.insert(0, self.root)
        from crossencoder_build import ship, upstream  # noqa: PLC0415 - found only with the root on the path

        self._scratch = tempfile.TemporaryDirectory(prefix="citemark-crossencoder-")
        scratch = Path(self._scratch.name)
        for path in ship.write(upstream.obtain(scratch), scratch / "model"):
            build_data["force_include"][str(path)] = f"citemark_crossencoder/model/{path.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove the scratch folder."""
        self._scratch.cleanup()
