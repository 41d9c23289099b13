"""The credentials of sources: encrypted in the database, decrypted in memory, not used again after a refusal."""

import json
import os
from dataclasses import asdict, replace
from pathlib import Path
from time import monotonic
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from citemark.features.nextcloud.source.client import Attempt, Credential
from citemark.features.nextcloud.source.login import LoginFlow, VerifiedAccount
from citemark.folders import data_dir
from citemark.model.accounts import login_hint, refusal
from citemark.model.clock import Clock
from citemark.model.errors import BackendUnavailable, ConfigurationError, FatalSourceError
from citemark.model.ids import SourceId
from citemark.model.refused_logins import RefusedLogin
from citemark.settings import Settings
from citemark.store.secret_store import Sealed, SecretStore

_FILE = "secret.key"


class WrongKey(ConfigurationError):
    """The content was encrypted with another key."""

    def __init__(self) -> None:
        super().__init__("It was encrypted with another key than that of this server.")


class CredentialCipher:
    """Fernet (AES-128-CBC with HMAC-SHA256) with the keys of these settings, read or created on first use.

    There may be several keys, separated by white space: the first one encrypts, and each of them decrypts. This allows
    keys to be rotated.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._fernet: MultiFernet | None = None

    def close(self, content: bytes) -> bytes:
        """Encrypt.

        Raises:
            ConfigurationError: there is no usable key.
        """
        self._fernet = None  # another process may have rotated the key
        return self._multi_fernet().encrypt(content)

    def open(self, sealed: bytes) -> bytes:
        """Decrypt.

        Raises:
            WrongKey: the content was encrypted with another key.
            ConfigurationError: there is no usable key.
        """
        try:
            return self._multi_fernet().decrypt(sealed)
        except InvalidToken:
            self._fernet = None  # another process may have rotated the key
        try:
            return self._multi_fernet().decrypt(sealed)
        except InvalidToken:
            raise WrongKey from None

    def add_key(self) -> None:
        """Encrypt with a new key from now on; keys in the settings stay as they are, because their owner changes them.

        Raises:
            ConfigurationError: the file of keys cannot be written.
        """
        if self._settings.secret_key is None:
            self._replace([Fernet.generate_key(), *self._keys()])

    def drop_old_keys(self) -> None:
        """Remove all keys except the first from the file.

        Raises:
            ConfigurationError: the file cannot be written.
        """
        if self._settings.secret_key is None:
            self._replace(self._keys()[:1])

    def _replace(self, keys: list[bytes]) -> None:
        path = data_dir(self._settings.data_dir) / _FILE
        try:
            _write_beside(path, b"\n".join(keys) + b"\n").replace(path)
        except OSError as error:
            raise ConfigurationError(f"The key in {path} cannot be replaced ({error.strerror}).") from None
        self._fernet = None

    def _keys(self) -> list[bytes]:
        secret = self._settings.secret_key
        if secret is not None:
            return secret.get_secret_value().encode().split()
        return _key_in(data_dir(self._settings.data_dir) / _FILE).split()

    def _multi_fernet(self) -> MultiFernet:
        if self._fernet is None:
            try:
                self._fernet = MultiFernet([Fernet(key) for key in self._keys()])
            except ValueError:
                where = (
                    "CITEMARK_SECRET_KEY"
                    if self._settings.secret_key is not None
                    else f"The file {data_dir(self._settings.data_dir) / _FILE}"
                )
                raise ConfigurationError(f"{where} is not a key: it must be 32 bytes in URL-safe base64.") from None
        return self._fernet


def _key_in(path: Path) -> bytes:
    """The keys in a file that only its owner can read; the file is created with one key if it is missing."""
    try:
        if not path.exists():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            beside = _write_beside(path, Fernet.generate_key())
            try:
                os.link(beside, path)  # if several processes create a key, the first wins
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


def _write_beside(path: Path, content: bytes) -> Path:
    """Write a file next to `path` that only its owner can read, with this content flushed to the disk."""
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    beside.unlink(missing_ok=True)
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return beside


async def rotate_key(secrets: SecretStore, cipher: CredentialCipher) -> int:
    """Re-encrypt all stored credentials with a new key and delete the old keys; return the number of credentials.

    A credential that no key of this machine decrypts stays as it is. An interruption leaves both the old and the new
    key in place, and each credential readable; running it again finishes the work.

    Raises:
        ConfigurationError: there is no usable key, or it cannot be replaced.
    """
    cipher.add_key()
    rotated = 0
    for source_id, sealed in await secrets.all():
        try:
            content = cipher.open(sealed)
        except WrongKey:
            continue
        rotated += await secrets.reseal(source_id, sealed, cipher.close(content))
    cipher.drop_old_keys()
    return rotated


class LoginFlowCipher:
    """Encrypts logins that wait for a person to agree: their token is as good as a password."""

    def __init__(self, cipher: CredentialCipher) -> None:
        self._cipher = cipher

    def seal(self, server: str, flow: LoginFlow) -> bytes:
        """Encrypt a login to a server.

        Raises:
            ConfigurationError: there is no usable key.
        """
        return self._cipher.close(json.dumps({"server": server, **asdict(flow)}).encode())

    def unseal(self, sealed: bytes) -> tuple[str, LoginFlow]:
        """Decrypt a login; returns its server and the login.

        Raises:
            WrongKey: it was encrypted with another key.
            ConfigurationError: there is no usable key.
        """
        fields: dict[str, str] = json.loads(self._cipher.open(sealed))
        return fields.pop("server"), LoginFlow(**fields)


_FRESH = 5.0
"""Seconds after which a credential is read again: another process may have renewed it, or seen it refused."""


class LentCredentials:
    """The credentials of an account that is only tried: nothing is stored."""

    def __init__(self, account: VerifiedAccount) -> None:
        self._credential = Credential(account.login, account.password)
        self._refused = False

    async def current(self) -> Credential:
        """Return the credential.

        Raises:
            FatalSourceError: the server has refused it.
        """
        if self._refused:
            raise FatalSourceError(f"The server does not accept the app password of {self._credential.login} any more.")
        return self._credential

    async def refuse(self, credential: Credential) -> None:
        """Do not use the credential again."""
        self._refused = self._refused or credential == self._credential

    async def tried(self, credential: Credential, *, accepted: bool) -> None:
        """Nothing to record: a refused credential is never given for another try."""


class StoredCredentials:
    """The credential of one source.

    With `asked`, a person asks whether a refused one is accepted again: the next `current` may give it for a try at
    once. Otherwise that takes minutes after the first refusal, and ever longer after further ones.
    """

    def __init__(
        self,
        source_id: SourceId,
        name: str,
        secrets: SecretStore,
        seal: CredentialCipher,
        clock: Clock,
        *,
        asked: bool = False,
    ) -> None:
        self._source_id = source_id
        self._name = name
        self._secrets = secrets
        self._cipher = seal
        self._clock = clock
        self._asked = asked
        self._cached: Credential | None = None
        self._until = 0.0

    async def keep(self, login: str, password: str) -> None:
        """Store a credential that the server has accepted; it replaces the previous one.

        Raises:
            ConfigurationError: there is no key to encrypt it with.
        """
        content = json.dumps({"login": login, "password": password}).encode()
        await self._secrets.keep(self._source_id, self._cipher.close(content))
        self._cached = None

    async def current(self) -> Credential:
        """The credential to use now; one with an `attempt` for one request, whose outcome must be reported.

        Raises:
            FatalSourceError: no credential is stored, it was refused, or it cannot be decrypted here.
        """
        if self._cached is not None and monotonic() < self._until:
            return self._cached
        try:
            sealed = await self._secrets.of(self._source_id)
        except BackendUnavailable:
            if self._cached is not None:
                return self._cached
            raise
        if sealed is None:
            raise FatalSourceError(f"No password is stored for {self._name}; {self._renew}.")
        if sealed.refused is not None:
            self._cached = None
            return await self._attempt(sealed, RefusedLogin(sealed.refused, sealed.retry_at))
        if self._cached is None or self._cached.generation != sealed.generation:
            self._cached = self._decrypted(sealed.content, sealed.generation)
        self._until = monotonic() + _FRESH
        return self._cached

    async def _attempt(self, sealed: Sealed, refused: RefusedLogin) -> Credential:
        now = self._clock()
        if self._asked or sealed.due(now):
            attempt = Attempt.DUE if sealed.due(now) else Attempt.ASKED
            self._asked = False
            again = await self._secrets.try_again(self._source_id, now, asked=attempt is Attempt.ASKED)
            if again is not None:
                return replace(self._decrypted(again.content, again.generation), attempt=attempt)
        raise FatalSourceError(f"{refusal(refused)} {login_hint(self._name)}.")

    async def refuse(self, credential: Credential) -> None:
        """Record that the server did not accept the credential; no process uses it before the next try."""
        self._until = 0.0
        reason = f"The server does not accept the app password of {credential.login} any more."
        asked = credential.attempt is Attempt.ASKED
        await self._secrets.refuse(self._source_id, credential.generation, reason, self._clock(), asked=asked)

    async def tried(self, credential: Credential, *, accepted: bool) -> None:
        """Record that an attempt was not refused: the server accepts the credential, or said nothing about it."""
        self._until = 0.0
        await self._secrets.tried(self._source_id, credential.generation, self._clock(), accepted=accepted)

    @property
    def _renew(self) -> str:
        return login_hint(self._name)

    def _decrypted(self, content: bytes, generation: int) -> Credential:
        try:
            fields: Any = json.loads(self._cipher.open(content))
        except WrongKey:
            raise FatalSourceError(
                f"The password of {self._name} was encrypted with another key than that of this machine; set "
                f"CITEMARK_SECRET_KEY to the one it was stored with, or {self._renew}."
            ) from None
        except ConfigurationError as error:
            raise FatalSourceError(error.message) from None
        return Credential(str(fields["login"]), str(fields["password"]), generation)
