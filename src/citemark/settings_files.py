"""Which `citemark.toml` files are read: the user's own always, others only if named or once the user trusts them.

Trust is recorded by path and content, so a trusted file that changes is not read until it is trusted again.
"""

import hashlib
import json
import os
import time
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from citemark.folders import config_dir, default_data_dir
from citemark.model.errors import ConfigurationError

LARGEST = 1024 * 1024
"""The largest size of a settings file in bytes; real ones have a few hundred."""


@dataclass(frozen=True, slots=True)
class TrustStore:
    """A JSON file in the user's own configuration folder: maps real paths to the SHA-256 of the trusted content."""

    file: Path

    @classmethod
    def of_this_user(cls) -> "TrustStore":
        """The trust store of the user who runs this process.

        Raises:
            ConfigurationError: this user has no home folder.
        """
        folder = config_dir()
        if folder is None:
            raise ConfigurationError("This user has no home folder in which to keep what is trusted; set HOME.")
        return cls(folder / "trusted.json")

    def all(self) -> Mapping[str, str]:
        """Every trusted path with its digest; empty if the file is missing or damaged."""
        try:
            content: Any = json.loads(self.file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        pairs = cast("dict[Any, Any]", content) if isinstance(content, dict) else {}
        return {path: digest for path, digest in pairs.items() if isinstance(path, str) and isinstance(digest, str)}

    def digest_of(self, path: Path) -> str | None:
        """The digest under which a file is trusted, or None if it is not trusted."""
        return self.all().get(_key(path))

    def add(self, path: Path, content: bytes) -> None:
        """Trust a file as long as it has exactly this content.

        Raises:
            ConfigurationError: the trust store cannot be written.
        """
        self._write({**self.all(), _key(path): digest(content)})

    def remove(self, path: Path) -> bool:
        """Stop trusting a file; returns False if it was not trusted.

        Raises:
            ConfigurationError: the trust store cannot be written.
        """
        trusted = dict(self.all())
        if trusted.pop(_key(path), None) is None:
            return False
        self._write(trusted)
        return True

    def _write(self, trusted: Mapping[str, str]) -> None:
        fresh = self.file.with_name(f"{self.file.name}.{os.getpid()}.new")
        try:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                json.dump(dict(sorted(trusted.items())), file, indent=2)
            fresh.replace(self.file)
        except OSError as error:
            raise ConfigurationError(f"{self.file} cannot be written: {error.strerror}.") from None


def read_small(path: Path) -> bytes:
    """The content of a settings file, read once, so that what is checked is what is used.

    Raises:
        ConfigurationError: it cannot be read, or is larger than a megabyte.
    """
    try:
        if not path.is_file():
            raise ConfigurationError(f"{path} is not a file.")
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}.") from None
    if len(content) > LARGEST:
        raise ConfigurationError(f"{path} is not a settings file: it is larger than a megabyte.")
    return content


def digest(content: bytes) -> str:
    """The digest that the trust store records for a content."""
    return hashlib.sha256(content).hexdigest()


def _key(path: Path) -> str:
    return str(path.expanduser().resolve())


SETTINGS_FILE = "citemark.toml"
NAMED = "CITEMARK_CONFIG"
_DATA = "CITEMARK_DATA_DIR"
_PREFIX = "CITEMARK_"

_SAYS_WHERE = frozenset({_DATA, NAMED, "CITEMARK_LOG_LEVEL"})
"""Variables that do not change what a command answers: they lead to the index and to files, whose content counts."""

_PROVIDER = "EMBEDDING_PROVIDER"
_PROVIDERS_OWN = ("AZURE_OPENAI_", "OPENAI_API_KEY", "CO_API_KEY", "COHERE_API_KEY")
"""Variables that count where a provider is chosen, by how they begin."""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A settings file that is read. `own`: the user wrote or named it; else it came with a folder and is trusted."""

    path: Path
    values: Mapping[str, Any]
    own: bool


def settings_files(environ: Mapping[str, str], tell: Callable[[str], None]) -> list[SettingsFile]:
    """The files that settings come from, the strongest first.

    First the one that `CITEMARK_CONFIG` names or, without it, a trusted one in the working folder; then those in the
    user's configuration folder and in the data folder. `tell` is called with a message about a file in the working
    folder that is not read.

    Raises:
        ConfigurationError: a file that must be read is missing, is not TOML, or has changed since it was trusted.
    """
    own = _own_paths(environ)
    named = environ.get(NAMED)
    first = _named(Path(named)) if named else _found_here(own, tell)
    files = [] if first is None else [first]
    seen = {file.path.resolve() for file in files}
    files += [_read(path, own=True) for path in own if path.resolve() not in seen and path.is_file()]
    return files


def settings_print(environ: Mapping[str, str], tell: Callable[[str], None]) -> str:
    """A digest of everything that settings are made of, equal for two processes whose answers cannot differ by them.

    Cheap, since nothing is checked: settings that mean the same may have different digests. The time zone counts too.

    Raises:
        ConfigurationError: as for `settings_files`.
    """
    files = [{**file.values, "": file.own} for file in settings_files(environ, tell)]
    names = {name: value for name, value in environ.items() if name.upper() not in _SAYS_WHERE}
    set_ = {name.upper(): value for name, value in names.items() if name.upper().startswith((_PREFIX, "MCP_"))}
    set_ |= {name.upper(): value for name, value in names.items() if name.upper() == _PROVIDER}
    if f"{_PREFIX}{_PROVIDER}" in set_ or _PROVIDER in set_ or any("embedding_provider" in file for file in files):
        set_ |= {name: value for name, value in names.items() if name.startswith(_PROVIDERS_OWN)}
    return digest(json.dumps([files, set_, time.tzname, time.timezone], sort_keys=True, default=str).encode())


def _own_paths(environ: Mapping[str, str]) -> list[Path]:
    """The paths of the user's own files; a `data_dir` that one of them sets adds no further path."""
    folders = [config_dir()]
    with suppress(ConfigurationError, RuntimeError):  # no home folder: the error is raised where one is needed
        folders.append(Path(environ[_DATA]).expanduser().absolute() if environ.get(_DATA) else default_data_dir())
    return list(dict.fromkeys(folder / SETTINGS_FILE for folder in folders if folder is not None))


def _named(path: Path) -> SettingsFile:
    try:
        path = path.expanduser()
    except RuntimeError:
        path = path.absolute()
    if not path.is_file():
        raise ConfigurationError(f"{NAMED} names {str(path)!r}, which is not a file.")
    trusted = _trusted_digest(path)
    if trusted is None:
        return _read(path, own=True)
    content = read_small(path)
    if digest(content) != trusted:
        raise ConfigurationError(f"{path} has changed since it was trusted. {_how_to_trust(path)}")
    return SettingsFile(path, _parsed(path, content), own=False)


def _found_here(own: list[Path], tell: Callable[[str], None]) -> SettingsFile | None:
    try:
        path = Path.cwd() / SETTINGS_FILE
        if not path.is_file() or path.resolve() in {own_path.resolve() for own_path in own}:
            return None
    except OSError:
        return None  # the folder is gone, or closed to this user
    trusted = _trusted_digest(path)
    if trusted is None:
        tell(f"{path} is not read: it came with the folder and may not be yours. {_how_to_trust(path)}")
        return None
    content = read_small(path)
    if digest(content) != trusted:
        tell(f"{path} is not read: it has changed since it was trusted. {_how_to_trust(path)}")
        return None
    return SettingsFile(path, _parsed(path, content), own=False)


def _trusted_digest(path: Path) -> str | None:
    try:
        return TrustStore.of_this_user().digest_of(path)
    except ConfigurationError:
        return None


def _how_to_trust(path: Path) -> str:
    return f"Look at it, then run: citemark trust {path}"


def _read(path: Path, *, own: bool) -> SettingsFile:
    return SettingsFile(path, _parsed(path, read_small(path)), own)


def _parsed(path: Path, content: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        # The parser's error names a position and quotes at most one character of the file.
        raise ConfigurationError(f"{path} cannot be read: {error}") from None
