"""The token that HTTP clients send: every account that can read its file can read the index."""

import contextlib
import os
import re
import stat
from pathlib import Path

from citemark.model.errors import ConfigurationError

_FILE = "http.token"
_BYTES = 32
"""256 random bits."""

_TOKEN = re.compile(r"[A-Za-z0-9_-]{20,}")


def token_file(data_dir: Path) -> Path:
    """The file that holds the token of an index."""
    return data_dir / _FILE


def http_token(data_dir: Path) -> str:
    """The token of an index, created on first use in a file that only its owner can read.

    Raises:
        ConfigurationError: the file cannot be read or written, does not contain a token, or can be read by others.
    """
    path = token_file(data_dir)
    try:
        if not path.exists():
            _make(path)
        return _read(path)
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be used ({error.strerror}).") from None


def _read(path: Path) -> str:
    with os.fdopen(
        os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW), encoding="ascii", errors="replace"
    ) as file:
        if stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o077:
            raise ConfigurationError(
                f"Others can read {path}, and with it the index. Delete it, restart the server, which makes a "
                "new token, and run `citemark install HOST --http` again for each host that has the old one."
            )
        token = file.read(1024).strip()
    if not _TOKEN.fullmatch(token):
        raise ConfigurationError(f"{path} holds no token. Delete it, which makes a new one.")
    return token


def _make(path: Path) -> None:
    """Write a complete token to `path`; if two processes do so at the same time, the first wins."""
    import secrets  # noqa: PLC0415 - a bridge reads the token, and need not load what makes one

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(fd, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(_BYTES) + "\n")
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(fresh, path)
    finally:
        fresh.unlink()
