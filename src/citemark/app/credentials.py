"""The credentials of sources: sealed in the database, opened in memory, given up for all at the first refusal."""

import json
from time import monotonic
from typing import Any

from citemark.app.sealing import Seal, Unreadable
from citemark.model.accounts import login_hint, refusal
from citemark.model.errors import BackendUnavailable, ConfigurationError, FatalSourceError
from citemark.model.ids import SourceId
from citemark.sources.nextcloud.client import Credential
from citemark.store.secret_store import SecretStore

_FRESH = 5.0
"""Seconds after which another process may have renewed the credential, or seen it refused."""


class StoredCredentials:
    """The credential of one source."""

    def __init__(self, source_id: SourceId, name: str, secrets: SecretStore, seal: Seal) -> None:
        self._source_id = source_id
        self._name = name
        self._secrets = secrets
        self._seal = seal
        self._known: Credential | None = None
        self._until = 0.0

    async def keep(self, login: str, password: str) -> None:
        """Store a credential that the server has accepted; it takes the place of the one before.

        Raises:
            ConfigurationError: there is no key to encrypt it with.
        """
        content = json.dumps({"login": login, "password": password}).encode()
        await self._secrets.keep(self._source_id, self._seal.close(content))
        self._known = None

    async def current(self) -> Credential:
        """The credential to use now.

        Raises:
            FatalSourceError: there is none, it was refused, or it cannot be decrypted here.
        """
        if self._known is not None and monotonic() < self._until:
            return self._known
        try:
            sealed = await self._secrets.of(self._source_id)
        except BackendUnavailable:
            if self._known is not None:
                return self._known
            raise
        if sealed is None:
            raise FatalSourceError(f"No password is stored for {self._name}; {self._renew}.")
        if sealed.refused is not None:
            self._known = None
            raise FatalSourceError(refusal(self._name, sealed.refused))
        if self._known is None or self._known.generation != sealed.generation:
            self._known = self._opened(sealed.content, sealed.generation)
        self._until = monotonic() + _FRESH
        return self._known

    async def refuse(self, credential: Credential) -> None:
        """Remember that the server did not accept it; it is not tried again by any process."""
        self._until = 0.0
        reason = f"The server does not accept the app password of {credential.login} any more."
        await self._secrets.refuse(self._source_id, credential.generation, reason)

    @property
    def _renew(self) -> str:
        return login_hint(self._name)

    def _opened(self, content: bytes, generation: int) -> Credential:
        try:
            fields: Any = json.loads(self._seal.open(content))
        except Unreadable:
            raise FatalSourceError(
                f"The password of {self._name} was encrypted with another key than that of this machine; set "
                f"CITEMARK_SECRET_KEY to the one it was stored with, or {self._renew}."
            ) from None
        except ConfigurationError as error:
            raise FatalSourceError(error.message) from None
        return Credential(str(fields["login"]), str(fields["password"]), generation)
