"""Secrets in the database: the encrypted credentials of each source, and random keys that all servers share."""

import secrets
from dataclasses import dataclass

from citemark.model.errors import BackendUnavailable
from citemark.model.ids import SourceId
from citemark.store.database import Database

_KEY_BYTES = 32
"""256 bits, as AES-256 takes."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """Encrypted credentials; `refused` is the reason why the server rejected them, or None if it has not."""

    content: bytes
    generation: int
    refused: str | None


class SecretStore:
    """Encrypted credentials by source; this class cannot decrypt them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, source_id: SourceId, content: bytes) -> None:
        """Store credentials in place of earlier ones, and clear a recorded refusal."""
        await self._database.fetch("secret_keep", {"source_id": source_id, "sealed": content})

    async def of(self, source_id: SourceId) -> Sealed | None:
        """The credentials of a source, or None if it has none."""
        row = await self._database.one("secret", {"source_id": source_id})
        return None if row is None else Sealed(bytes(row["sealed"]), row["generation"], row["refused"])

    async def all(self) -> list[tuple[SourceId, bytes]]:
        """The encrypted credentials of every source."""
        rows = await self._database.fetch("secrets", {})
        return [(SourceId(row["source_id"]), bytes(row["sealed"])) for row in rows]

    async def reseal(self, source_id: SourceId, before: bytes, content: bytes) -> bool:
        """Store the same credentials, re-encrypted; False if others were stored in the meantime."""
        params = {"source_id": source_id, "before": before, "sealed": content}
        return bool(await self._database.fetch("secret_reseal", params))

    async def refuse(self, source_id: SourceId, generation: int, reason: str) -> None:
        """Record that the server rejected the credentials of this generation."""
        params = {"source_id": source_id, "generation": generation, "reason": reason}
        await self._database.fetch("secret_refuse", params)


class SharedKeys:
    """Random keys by purpose, made by the first process that needs one and kept in the database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._keys: dict[str, bytes] = {}

    async def of(self, purpose: str) -> bytes:
        """The key of a purpose, 32 bytes; the same in every process of the index.

        Raises:
            BackendUnavailable: the database does not answer, or did not keep the key.
        """
        if purpose not in self._keys:
            self._keys[purpose] = await self._read(purpose) or await self._make(purpose)
        return self._keys[purpose]

    async def _read(self, purpose: str) -> bytes | None:
        row = await self._database.one("shared_key", {"purpose": purpose})
        return None if row is None else bytes(row["secret"])

    async def _make(self, purpose: str) -> bytes:
        fresh = secrets.token_bytes(_KEY_BYTES)
        await self._database.fetch("shared_key_offer", {"purpose": purpose, "secret": fresh})
        key = await self._read(purpose)
        if key is None:
            raise BackendUnavailable("The database did not keep a key that it was given; try again.")
        return key
