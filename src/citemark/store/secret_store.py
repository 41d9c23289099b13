"""Secrets in the database: the encrypted credentials of each source, and random keys that all servers share."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from citemark.model.errors import BackendUnavailable
from citemark.model.ids import SourceId
from citemark.model.refused_logins import counted, delay_after, next_try
from citemark.store.database import Connection, Database, Row

_KEY_BYTES = 32
"""256 bits, as AES-256 takes."""

_TRY = timedelta(minutes=1)
"""How long one process has to try a refused password; if it dies, another may after that."""

_NO_ANSWER = timedelta(minutes=1)
"""After a try to which the server said neither yes nor no, such as in maintenance; that costs no failed login."""

_DAY = timedelta(days=1)
"""Refusals that are this far apart do not add up."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """Encrypted credentials; `refused` is the reason why the server rejected them, or None if it has not.

    Refused ones may be tried again by themselves at `retry_at` (at once if that is None).
    """

    content: bytes
    generation: int
    refused: str | None
    retry_at: datetime | None = None

    def due(self, now: datetime) -> bool:
        """Whether these are refused credentials that may be tried again by themselves."""
        return self.refused is not None and (self.retry_at is None or self.retry_at <= now)


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
        return None if row is None else _sealed(row)

    async def all(self) -> list[tuple[SourceId, bytes]]:
        """The encrypted credentials of every source."""
        rows = await self._database.fetch("secrets", {})
        return [(SourceId(row["source_id"]), bytes(row["sealed"])) for row in rows]

    async def reseal(self, source_id: SourceId, before: bytes, content: bytes) -> bool:
        """Store the same credentials, re-encrypted; False if others were stored in the meantime."""
        params = {"source_id": source_id, "before": before, "sealed": content}
        return bool(await self._database.fetch("secret_reseal", params))

    async def refuse(
        self, source_id: SourceId, generation: int, reason: str, now: datetime, *, asked: bool = False
    ) -> None:
        """Record that the server rejected the credentials of this generation, and when they may be tried again.

        A try that a person asked for (`asked`) does not put off the one that comes by itself.
        """
        async with self._database.transaction() as connection:
            row = next((row for row in await self._of_server(connection, source_id) if _is(row, source_id)), None)
            if row is None:
                return
            lately = row["refused_at"] is not None and now - row["refused_at"] < _DAY
            refusals = (row["refusals"] if lately else 0) + (not asked)
            params = {
                "source_id": source_id,
                "generation": generation,
                "reason": reason,
                "now": now,
                "refusals": refusals,
                "retry_at": row["retry_at"] if asked else now + delay_after(refusals),
            }
            await connection.execute(self._database.queries["secret_refuse"], params)

    async def try_again(self, source_id: SourceId, now: datetime, *, asked: bool) -> Sealed | None:
        """Reserve the one try of refused credentials that is due, or that a person asks for.

        Returns:
            The credentials to try, which must be followed by `refuse` or `tried`; None if no try is allowed now,
            because another process tries them, or the server's tries of a day are used up.
        """
        queries = self._database.queries
        async with self._database.transaction() as connection:
            rows = await self._of_server(connection, source_id)
            row = next((row for row in rows if _is(row, source_id)), None)
            if row is None or row["refused"] is None or any(_is_tried(each, now) for each in rows):
                return None
            tries = [moment for each in rows for moment in each["tries"]]
            allowed_at = next_try(row["retry_at"], tries, now, asked=asked)
            if allowed_at > now:
                if not asked:
                    params = {"source_id": source_id, "retry_at": allowed_at}
                    await connection.execute(queries["secret_put_off"], params)
                return None
            params = {"source_id": source_id, "tries": [*counted(row["tries"], now), now], "until": now + _TRY}
            await connection.execute(queries["secret_try"], params)
            return _sealed(row)

    async def tried(self, source_id: SourceId, generation: int, now: datetime, *, accepted: bool) -> None:
        """Record that a try was not refused: the credentials are accepted, or the server said nothing about them."""
        params = {
            "source_id": source_id,
            "generation": generation,
            "accepted": accepted,
            "retry_at": now + _NO_ANSWER,
        }
        await self._database.fetch("secret_tried", params)

    async def _of_server(self, connection: Connection, source_id: SourceId) -> list[Row]:
        """Lock and read the credentials of all accounts on the server of this source."""
        cursor = await connection.execute(self._database.queries["secrets_of_server"], {"source_id": source_id})
        return await cursor.fetchall()


def _sealed(row: Row) -> Sealed:
    return Sealed(bytes(row["sealed"]), row["generation"], row["refused"], row["retry_at"])


def _is(row: Row, source_id: SourceId) -> bool:
    return row["source_id"] == source_id


def _is_tried(row: Row, now: datetime) -> bool:
    """Whether a process is trying these credentials at this moment."""
    return row["trying_until"] is not None and row["trying_until"] > now


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
