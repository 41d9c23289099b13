"""Nextcloud accounts: who owns them, how far their apps are indexed, and how they are switched on and off."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from citemark.model.accounts import NEXTCLOUD, AccountState, TypeCount
from citemark.model.ids import RevisionId, SourceId
from citemark.model.left_out import LeftOut
from citemark.model.refused_logins import RefusedLogin
from citemark.model.scope import Principal
from citemark.model.sources import AllowedSources, Source
from citemark.store.database import Database
from citemark.store.sources import EVERYONE, SourceStore, source_of


class AccountStore:
    """The Nextcloud accounts of one index."""

    def __init__(self, database: Database, sources: SourceStore) -> None:
        self._database = database
        self._sources = sources

    async def owned(self, principal: Principal) -> list[Source]:
        """The accounts of one person, by name: those granted to them and, on this machine, to everyone."""
        grantees = [f"user:{principal.subject}", *([EVERYONE] if principal.key == Principal.local().key else [])]
        rows = await self._database.fetch(
            "accounts_owned", {"tenant": principal.tenant, "kind": NEXTCLOUD, "grantees": grantees}
        )
        return [source_of(row) for row in rows]

    async def states(self, sources: Sequence[Source]) -> dict[SourceId, AccountState]:
        """Counts and the last scan of each source."""
        left_out = {source.source_id: await self._sources.left_out(source.source_id) for source in sources}
        ids = [source.source_id for source in sources]
        counts: dict[int, list[TypeCount]] = {number: [] for number in ids}
        for row in await self._database.fetch("account_counts", {"source_ids": ids}):
            counts[row["source_id"]].append(TypeCount(row["doc_type"], row["indexed"], row["pending"], row["failed"]))
        return {
            SourceId(row["source_id"]): AccountState(
                source_id=SourceId(row["source_id"]),
                counts=tuple(counts[row["source_id"]]),
                vectors_pending=row["vectors_pending"],
                not_by_meaning=row["firsts_missing"],
                scanning=row["scanning"],
                last_complete_scan=row["last_complete_at"],
                lag=row["lag"],
                last_error=row["reason"],
                scan_wanted=row["wanted"],
                refused=None if row["refused"] is None else RefusedLogin(row["refused"], row["retry_at"]),
                erase_at=row["erase_at"],
                left_out=left_out[SourceId(row["source_id"])] or LeftOut(),
            )
            for row in await self._database.fetch("account_states", {"source_ids": ids})
        }

    async def switch(self, source: Source, changes: Mapping[str, Any]) -> None:
        """Change the configuration of an account that is followed from now on; what it has is not to be erased."""
        params = {"source_id": source.source_id, "changes": Jsonb(dict(changes)), "erase_at": None}
        await self._database.fetch("source_configure", params)

    async def switch_off(self, source: Source, erase_at: datetime | None) -> None:
        """Stop following an account: nothing is read or written of it any more, by scans and workers under way neither.

        What came from it is erased at once, or once `erase_at` has passed.
        """
        queries, params = self._database.queries, {"source_id": source.source_id}
        off = {**params, "changes": Jsonb({"sync": False}), "erase_at": erase_at}
        async with self._database.transaction() as connection:
            await connection.execute(queries["set_hold"])
            await connection.execute(queries["source_lock"], params)
            await connection.execute(queries["source_configure"], off)
            await connection.execute(queries["source_interrupt"], params)
            if erase_at is None:
                await self._sources.empty(connection, source.source_id)

    async def erase_overdue(self, now: datetime) -> int:
        """Erase what came from accounts whose time to be switched on again has passed; return their number."""
        queries, erased = self._database.queries, 0
        for row in await self._database.fetch("accounts_overdue", {"now": now}):
            params = {"source_id": row["source_id"]}
            async with self._database.transaction() as connection:
                await connection.execute(queries["set_hold"])
                await connection.execute(queries["source_lock"], params)
                cursor = await connection.execute(queries["account_erasing"], {**params, "now": now})
                if await cursor.fetchone() is not None:
                    await self._sources.empty(connection, SourceId(row["source_id"]))
                    erased += 1
        return erased

    async def series(
        self, allowed: AllowedSources, revisions: Sequence[tuple[SourceId, RevisionId]]
    ) -> dict[tuple[SourceId, RevisionId], str]:
        """The iCalendar series of revisions of recurring entries, by source and revision."""
        params = {
            "source_ids": allowed.ids,
            "sources": [source_id for source_id, _ in revisions],
            "revisions": [revision_id for _, revision_id in revisions],
        }
        rows = await self._database.fetch("revision_series", params)
        return {(SourceId(row["source_id"]), RevisionId(row["revision_id"])): row["series"] for row in rows}
