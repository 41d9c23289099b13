"""Which `citemark.toml` are read: the user's own always, another only by name or once it is trusted."""

import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citemark.model.errors import ConfigurationError
from citemark.places import config_dir, default_data_dir
from citemark.trust import TrustStore, digest, read_small

FILE = "citemark.toml"
NAMED = "CITEMARK_CONFIG"
_DATA = "CITEMARK_DATA_DIR"


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A file that is read. `own`: the user wrote it or named it; otherwise somebody else's, which the user trusts."""

    path: Path
    values: Mapping[str, Any]
    own: bool


def settings_files(environ: Mapping[str, str], tell: Callable[[str], None]) -> list[SettingsFile]:
    """The files that settings come from, the strongest first.

    That which `CITEMARK_CONFIG` names or, without one, a trusted one in the working folder; then those in the user's
    configuration folder and in the data folder. `tell` hears of one in the working folder that is not read.

    Raises:
        ConfigurationError: a file that is to be read is missing, is no TOML, or has changed since it was trusted.
    """
    own = _own_paths(environ)
    named = environ.get(NAMED)
    first = _named(Path(named)) if named else _found_here(own, tell)
    files = [] if first is None else [first]
    seen = {file.path.resolve() for file in files}
    files += [_read(path, own=True) for path in own if path.resolve() not in seen and path.is_file()]
    return files


def _own_paths(environ: Mapping[str, str]) -> list[Path]:
    """Where the user's own files lie; what they say themselves does not add to it."""
    folders = [config_dir()]
    with suppress(ConfigurationError, RuntimeError):  # without a home folder, which is told where one is needed
        folders.append(Path(environ[_DATA]).expanduser().absolute() if environ.get(_DATA) else default_data_dir())
    return list(dict.fromkeys(folder / FILE for folder in folders if folder is not None))


def _named(path: Path) -> SettingsFile:
    try:
        path = path.expanduser()
    except RuntimeError:
        path = path.absolute()
    if not path.is_file():
        raise ConfigurationError(f"{NAMED} names {str(path)!r}, which is no file.")
    trusted = _trusted_digest(path)
    if trusted is None:
        return _read(path, own=True)
    content = read_small(path)
    if digest(content) != trusted:
        raise ConfigurationError(f"{path} has changed since it was trusted. {_how_to_trust(path)}")
    return SettingsFile(path, _parsed(path, content), own=False)


def _found_here(own: list[Path], tell: Callable[[str], None]) -> SettingsFile | None:
    try:
        path = Path.cwd() / FILE
        if not path.is_file() or path.resolve() in {each.resolve() for each in own}:
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
        # The error of the parser names a place, and quotes no more than a character of the file.
        raise ConfigurationError(f"{path} cannot be read: {error}") from None
