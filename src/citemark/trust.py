"""Which settings files of other people's folders this user trusts: each by its path and what stood in it."""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from citemark.model.errors import ConfigurationError
from citemark.places import config_dir

LARGEST = 1024 * 1024
"""Bytes of a settings file; a longer one is none."""


@dataclass(frozen=True, slots=True)
class TrustStore:
    """A JSON file in the user's own configuration folder: real path to the SHA-256 of the trusted content."""

    file: Path

    @classmethod
    def of_this_user(cls) -> "TrustStore":
        """That of the user who runs this process.

        Raises:
            ConfigurationError: this user has no home folder.
        """
        folder = config_dir()
        if folder is None:
            raise ConfigurationError("This user has no home folder in which to keep what is trusted; set HOME.")
        return cls(folder / "trusted.json")

    def all(self) -> Mapping[str, str]:
        """Every trusted path with its digest; nothing where the file is missing or damaged."""
        try:
            found: Any = json.loads(self.file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        pairs = cast("dict[Any, Any]", found) if isinstance(found, dict) else {}
        return {path: digest for path, digest in pairs.items() if isinstance(path, str) and isinstance(digest, str)}

    def digest_of(self, path: Path) -> str | None:
        """The digest under which a file was trusted, None for one that never was."""
        return self.all().get(_key(path))

    def add(self, path: Path, content: bytes) -> None:
        """Trust a file as long as it holds exactly this.

        Raises:
            ConfigurationError: that cannot be written down.
        """
        self._write({**self.all(), _key(path): digest(content)})

    def remove(self, path: Path) -> bool:
        """Trust a file no longer; False when it was not trusted.

        Raises:
            ConfigurationError: that cannot be written down.
        """
        known = dict(self.all())
        if known.pop(_key(path), None) is None:
            return False
        self._write(known)
        return True

    def _write(self, known: Mapping[str, str]) -> None:
        fresh = self.file.with_name(f"{self.file.name}.{os.getpid()}.new")
        try:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                json.dump(dict(sorted(known.items())), file, indent=2)
            fresh.replace(self.file)
        except OSError as error:
            raise ConfigurationError(f"{self.file} cannot be written: {error.strerror}.") from None


def read_small(path: Path) -> bytes:
    """The content of a settings file, read once, so that what is checked is what is used.

    Raises:
        ConfigurationError: it is no readable file, or one of more than a megabyte.
    """
    try:
        if not path.is_file():
            raise ConfigurationError(f"{path} is no file.")
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}.") from None
    if len(content) > LARGEST:
        raise ConfigurationError(f"{path} is no settings file: it has more than a megabyte.")
    return content


def digest(content: bytes) -> str:
    """How a content is written down."""
    return hashlib.sha256(content).hexdigest()


def _key(path: Path) -> str:
    return str(path.expanduser().resolve())
