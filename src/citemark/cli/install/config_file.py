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
        """Read the file.

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
        """The text without a byte order mark; empty if there is no file.

        Raises:
            InvalidArgument: it is not UTF-8.
        """
        try:
            return (self.bytes or b"").decode("utf-8").removeprefix(_MARK)
        except UnicodeDecodeError:
            raise InvalidArgument("it is not written in UTF-8") from None

    def keep(self, now: datetime) -> Path | None:
        """Write a copy of the file as it was read next to it; returns its path, or None if there was no file.

        Raises:
            BackendUnavailable: the copy cannot be written.
        """
        try:
            return None if self.bytes is None else _backed_up(Path(os.path.realpath(self.path)), self.bytes, now)
        except OSError as error:
            raise BackendUnavailable(f"No copy of {self.path} can be written: {error.strerror}.") from None

    def replace(self, text: str, now: datetime) -> Path | None:
        """Replace the text in one step; returns the path of a copy of the previous file, or None if there was no file.

        Raises:
            InvalidArgument: the file changed since it was read.
            BackendUnavailable: the file cannot be written; it is unchanged.
        """
        marked = (self.bytes or b"").decode("utf-8").startswith(_MARK)
        data = (_MARK * marked + text).encode("utf-8")
        real = Path(os.path.realpath(self.path))
        try:
            real.parent.mkdir(parents=True, exist_ok=True)
            backup = None if self.bytes is None else _backed_up(real, self.bytes, now)
            if ConfigFile.read(real).bytes != self.bytes:
                if backup is not None:
                    backup.unlink()
                raise InvalidArgument(f"{self.path} was changed in the meantime; run this again.")
            _write_atomically(real, data)
        except OSError as error:
            raise BackendUnavailable(f"{self.path} cannot be written: {error.strerror}.") from None
        return backup


def _backed_up(real: Path, data: bytes, now: datetime) -> Path:
    """Write a copy next to the file, under a name that was not in use."""
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
        _copy_mode_and_owner(backup, info)
        return backup
    raise BackendUnavailable(f"There are too many backups beside {real}; move some away.")


def _write_atomically(real: Path, data: bytes) -> None:
    """Write the data so that the file holds either all of it or what it held before, whatever happens."""
    descriptor, name = tempfile.mkstemp(prefix=f".{real.name}.", dir=real.parent)
    new = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if real.exists():
            _copy_mode_and_owner(new, real.stat())
        new.replace(real)
    except OSError:
        new.unlink(missing_ok=True)
        raise


def _copy_mode_and_owner(path: Path, info: os.stat_result) -> None:
    """Give a file the mode and, if permitted, the owner of another one."""
    path.chmod(info.st_mode & 0o7777)
    if hasattr(os, "chown"):
        with suppress(PermissionError):
            os.chown(path, info.st_uid, info.st_gid)
