"""Who may read a source, and why."""

from typing import NamedTuple

from citemark.model.ids import SourceId
from citemark.store.database import Database


class Grant(NamedTuple):
    """One permission: the grantee, as stores name it, and the reason."""

    grantee: str
    reason: str


class GrantStore:
    """The grants of every source; questions read them within the statement that finds the sources."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, source_id: SourceId, grant: Grant) -> None:
        """Let a person or group read a source; does nothing if they already may."""
        params = {"source_id": source_id, "grantee": grant.grantee, "reason": grant.reason}
        await self._database.fetch("grant_add", params)

    async def remove(self, source_id: SourceId, grantee: str) -> bool:
        """Withdraw the permission to read a source; returns whether there was one."""
        return bool(await self._database.fetch("grant_remove", {"source_id": source_id, "grantee": grantee}))

    async def of(self, source_id: SourceId) -> list[Grant]:
        """Every grant of a source."""
        rows = await self._database.fetch("grants", {"source_id": source_id})
        return [Grant(row["grantee"], row["reason"]) for row in rows]
