"""Encrypts what is stored of credentials."""

import os
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken

from citemark.model.errors import ConfigurationError
from citemark.places import data_dir
from citemark.settings import Settings

_FILE = "secret.key"


class Unreadable(Exception):
    """The content was encrypted with another key."""


class Seal:
    """Fernet (AES-128-CBC with HMAC-SHA256) with the key of these settings, which is read or made on first use."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._fernet: Fernet | None = None

    def close(self, content: bytes) -> bytes:
        """Encrypt.

        Raises:
            ConfigurationError: there is no usable key.
        """
        return self._opened().encrypt(content)

    def open(self, sealed: bytes) -> bytes:
        """Decrypt.

        Raises:
            Unreadable: this is not the key that it was encrypted with.
            ConfigurationError: there is no usable key.
        """
        try:
            return self._opened().decrypt(sealed)
        except InvalidToken:
            raise Unreadable from None

    def _opened(self) -> Fernet:
        if self._fernet is None:
            given = self._settings.secret_key
            kept = b"" if given is not None else _key_in(data_dir(self._settings) / _FILE)
            try:
                self._fernet = Fernet(kept if given is None else given.get_secret_value().strip().encode())
            except ValueError:
                where = "CITEMARK_SECRET_KEY" if given is not None else f"The file {data_dir(self._settings) / _FILE}"
                raise ConfigurationError(f"{where} is no key: 32 bytes in URL-safe base64.") from None
        return self._fernet


def _key_in(path: Path) -> bytes:
    """The key in a file, which nobody but its owner can read; made when it is missing."""
    try:
        if not path.exists():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            beside = path.with_name(f"{path.name}.{os.getpid()}")
            beside.unlink(missing_ok=True)
            with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(Fernet.generate_key())
                file.flush()
                os.fsync(file.fileno())
            try:
                os.link(beside, path)  # of several processes that make one, the first wins
            except FileExistsError:
                pass
            finally:
                beside.unlink()
        return path.read_bytes().strip()
    except OSError as error:
        raise ConfigurationError(
            f"The key for stored passwords at {path} can be neither read nor made ({error.strerror}); "
            "set CITEMARK_SECRET_KEY instead."
        ) from None
