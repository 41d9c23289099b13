"""A host's configuration file: read and replaced as a whole, with a copy of the previous version beside it."""

import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from citemark.model.errors import BackendUnavailable, InvalidArgument

_MARK = "\ufeff"
_NEW_MODE = 0o600
"""Configurations can hold tokens, so only their owner may read new files."""


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A file as it was read; `bytes` is None if it does not exist. A symbolic link is followed and stays a link."""

    path: Path
    bytes: bytes | None

    @classmethod
    def read(cls, path: Path) -> "ConfigFile":
        """Read it.

        Raises:
            InvalidArgument: it is not a file, or cannot be read.
        """
        try:
            return cls(path, path.read_bytes())
        except FileNotFoundError:
            return cls(path, None)
        except OSError as error:
            raise InvalidArgument(f"{path} cannot be read: {error.strerror}.") from None

    @property
    def text(self) -> str:
        """Its text without a byte order mark; empty without a file.

        Raises:
            InvalidArgument: it is not UTF-8.
        """
        try:
            return (self.bytes or b"").decode("utf-8").removeprefix(_MARK)
        except UnicodeDecodeError:
            raise InvalidArgument("it is not written in UTF-8") from None

    def keep(self, now: datetime) -> Path | None:
        """Write a copy of the file as it was read beside it; its path, None if there was no file.

        Raises:
            BackendUnavailable: it cannot be written.
        """
        try:
            return None if self.bytes is None else _kept(Path(os.path.realpath(self.path)), self.bytes, now)
        except OSError as error:
            raise BackendUnavailable(f"No copy of {self.path} can be written: {error.strerror}.") from None

    def replace(self, text: str, now: datetime) -> Path | None:
        """Write another text in one step; the path of a copy of the previous one, None if there was no file.

        Raises:
            InvalidArgument: the file changed since it was read.
            BackendUnavailable: it cannot be written; it is as it was.
        """
        marked = (self.bytes or b"").decode("utf-8").startswith(_MARK)
        data = (_MARK * marked + text).encode("utf-8")
        real = Path(os.path.realpath(self.path))
        try:
            real.parent.mkdir(parents=True, exist_ok=True)
            backup = None if self.bytes is None else _kept(real, self.bytes, now)
            if ConfigFile.read(real).bytes != self.bytes:
                if backup is not None:
                    backup.unlink()
                raise InvalidArgument(f"{self.path} was changed meanwhile; run this again.")
            _written(real, data)
        except OSError as error:
            raise BackendUnavailable(f"{self.path} cannot be written: {error.strerror}.") from None
        return backup


def _kept(real: Path, data: bytes, now: datetime) -> Path:
    """A copy beside the file under a name that nothing had."""
    info = real.stat()
    for number in range(1000):
        suffix = f"-{number}" if number else ""
        backup = real.with_name(f"{real.name}.{now.astimezone():%Y%m%d-%H%M%S}{suffix}.bak")
        try:
            descriptor = os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _NEW_MODE)
        except FileExistsError:
            continue
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _like(backup, info)
        return backup
    raise BackendUnavailable(f"There are too many backups beside {real}; move some away.")


def _written(real: Path, data: bytes) -> None:
    """The file holds all of the data or what it held before, whatever happens meanwhile."""
    descriptor, name = tempfile.mkstemp(prefix=f".{real.name}.", dir=real.parent)
    new = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if real.exists():
            _like(new, real.stat())
        new.replace(real)
    except OSError:
        new.unlink(missing_ok=True)
        raise


def _like(path: Path, info: os.stat_result) -> None:
    """Mode and, where it may be given, owner of another file."""
    path.chmod(info.st_mode & 0o7777)
    if hasattr(os, "chown"):
        with suppress(PermissionError):
            os.chown(path, info.st_uid, info.st_gid)
