"""Secrets that every server of one index has in common."""

import secrets

from citemark.model.errors import BackendUnavailable
from citemark.store.database import Database

_BYTES = 32


class SharedKeys:
    """Random keys by purpose, made by the first process that needs one and kept in the database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[str, bytes] = {}

    async def of(self, purpose: str) -> bytes:
        """The key of a purpose, 32 bytes; the same in every process of the index.

        Raises:
            BackendUnavailable: the database cannot be asked.
        """
        if purpose not in self._known:
            self._known[purpose] = await self._read(purpose) or await self._made(purpose)
        return self._known[purpose]

    async def _read(self, purpose: str) -> bytes | None:
        row = await self._database.one("shared_key", {"purpose": purpose})
        return None if row is None else bytes(row["secret"])

    async def _made(self, purpose: str) -> bytes:
        fresh = secrets.token_bytes(_BYTES)
        await self._database.fetch("shared_key_offer", {"purpose": purpose, "secret": fresh})
        found = await self._read(purpose)
        if found is None:
            raise BackendUnavailable("The database did not keep a key that it was given; try again.")
        return found
