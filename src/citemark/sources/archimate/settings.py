"""What a source of architecture models is configured with."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citemark.model.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The file of a model. Its capability only names the tools, and is no business of a connector."""

    path: Path

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> "ModelSettings":
        """Read a stored configuration.

        Raises:
            ConfigurationError: it names no file.
        """
        path: object = config.get("path")
        if not isinstance(path, str) or not path:
            raise ConfigurationError("A source of kind archimate needs `path`, the file that holds the model.")
        return cls(Path(path))
