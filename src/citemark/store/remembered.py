"""What is kept for a source beside its documents: what its scanners remember, and its sealed credentials."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from citemark.model.ids import SourceId
from citemark.store.database import Database

_LONG = 1 << 16
"""Characters of JSON that take long enough to parse for others to be let in meanwhile."""


class ScanStateStore:
    """The memory of one source's scanners."""

    def __init__(self, database: Database, source_id: SourceId) -> None:
        self._database = database
        self._source_id = source_id

    async def load(self, key: str) -> Any | None:
        """The value that was saved under `key`; None for none."""
        row = await self._database.one("memory_load", {"source_id": self._source_id, "key": key})
        if row is None:
            return None
        text: str = row["value"]
        return await asyncio.to_thread(json.loads, text) if len(text) > _LONG else json.loads(text)

    async def save(self, key: str, value: Any) -> None:
        """Keep a value that JSON can hold."""
        text = await asyncio.to_thread(json.dumps, value)
        await self._database.fetch("memory_save", {"source_id": self._source_id, "key": key, "value": text})


@dataclass(frozen=True, slots=True)
class Sealed:
    """Encrypted credentials; `refused` says why the server did not take them, None while it may."""

    content: bytes
    generation: int
    refused: str | None


class SecretStore:
    """Sealed credentials by source. What is in them, only their owner can read."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, source_id: SourceId, content: bytes) -> None:
        """Keep credentials; they take the place of those before, and of their refusal."""
        await self._database.fetch("secret_keep", {"source_id": source_id, "sealed": content})

    async def of(self, source_id: SourceId) -> Sealed | None:
        """The credentials of a source, None where it has none."""
        row = await self._database.one("secret", {"source_id": source_id})
        return None if row is None else Sealed(bytes(row["sealed"]), row["generation"], row["refused"])

    async def refuse(self, source_id: SourceId, generation: int, reason: str) -> None:
        """Remember that the server did not take credentials of this generation."""
        params = {"source_id": source_id, "generation": generation, "reason": reason}
        await self._database.fetch("secret_refuse", params)
