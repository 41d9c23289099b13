"""How long superseded states are kept, and the purge of older ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from citemark.model.baselines import RECORDS_BEGIN, HistorySetting, Purged
from citemark.model.ids import SourceId
from citemark.store.database import Connection, Database

_BATCH = 200
"""Revisions that one transaction removes: pages of the source can be written between two transactions."""


@dataclass(frozen=True, slots=True)
class KeptHistory:
    """The history of one source.

    Attributes:
        source_id: the source.
        setting: how long it keeps superseded states.
        since: the moment from which on states are complete; None if all are.
        before: the moment up to which the setting removes what was superseded, in the database's time; None if it
            keeps everything.
        revisions: the number of its superseded revisions.
        baselines: the names of the baselines that include it, the oldest first.
        unfinished: the names of those that are being made, or whose making was cut short; they need its history too.
        at: the database's time when this was read.
    """

    source_id: SourceId
    setting: HistorySetting
    since: datetime | None
    before: datetime | None
    revisions: int
    baselines: tuple[str, ...]
    unfinished: tuple[str, ...]
    at: datetime


class HistoryStore:
    """Purges superseded revisions by age; those that a baseline holds stay."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def kept(self, source_ids: Sequence[int]) -> list[KeptHistory]:
        """The history of each source."""
        rows = await self._database.fetch("history_setting", {"source_ids": list(source_ids)})
        return [
            KeptHistory(
                SourceId(row["source_id"]),
                HistorySetting(row["keep_history"], row["history_days"]),
                row["since"],
                row["before"],
                row["revisions"],
                tuple(row["finished"]),
                tuple(row["unfinished"]),
                row["at"],
            )
            for row in rows
        ]

    async def settle(self, source_id: SourceId, setting: HistorySetting) -> datetime | None:
        """Change how long a source keeps superseded states; the next purge follows it.

        Waits for the pages of the source that are being written; every later one follows the new setting.

        Returns:
            The moment of the change in the database's time. None if the source is to keep none but belongs to a
            baseline, which may have been made a moment ago.
        """
        params = {"source_id": source_id, "keep": setting.keeps, "days": setting.days}
        queries = self._database.queries
        async with self._database.transaction() as connection:
            await connection.execute(queries["source_lock"], {"source_id": source_id})
            row = await (await connection.execute(queries["history_settle"], params)).fetchone()
        return None if row is None else row["at"]

    async def overdue(self) -> list[tuple[SourceId, datetime]]:
        """Sources with revisions older than they keep, and the moment before which to purge each."""
        rows = await self._database.fetch("history_overdue")
        return [(SourceId(row["source_id"]), row["before"]) for row in rows]

    async def count(self, source_id: SourceId, before: datetime) -> Purged:
        """What a purge would remove, and what it would leave because a baseline needs it."""
        row = await self._database.one("purge_count", {"source_id": source_id, "before": before})
        return Purged() if row is None else Purged(row["revisions"] - row["held"], row["held"], row["bytes"])

    async def purge(self, source_id: SourceId, before: datetime) -> int:
        """Remove what was superseded before a moment and no baseline holds; the purge may be killed at any time.

        Returns:
            The number of revisions removed.
        """
        removed = 0
        while batch := await self._purge_batch(source_id, before):
            removed += batch
        if removed:
            params = {"source_id": source_id, "before": before}
            await self._database.fetch("purge_relationships", params)
            await self._database.fetch("purge_common_names", {"source_id": source_id})
            await self._database.fetch("purge_documents", params)
        return removed

    async def _purge_batch(self, source_id: SourceId, before: datetime) -> int:
        queries = self._database.queries
        async with self._database.transaction() as connection:
            await connection.execute(queries["set_hold"])
            await connection.execute(queries["history_hold"], {"source_ids": [source_id]})
            cursor = await connection.execute(
                queries["purge_choose"], {"source_id": source_id, "before": before, "limit": _BATCH}
            )
            rows = await cursor.fetchall()
            if not rows:
                return 0
            revisions = {"source_id": source_id, "revision_ids": [row["revision_id"] for row in rows]}
            await connection.execute(queries["purge_texts"], revisions)
            await connection.execute(queries["purge_sections"], revisions)
            await connection.execute(queries["purge_revisions"], {**revisions, "begin": RECORDS_BEGIN})
            keys = [key for row in rows for key in row["keys"]]
            cursor = await connection.execute(queries["purge_keys"], {"source_id": source_id, "keys": keys})
            params = {"source_id": source_id, "keys": [row["key"] for row in await cursor.fetchall()]}
            await connection.execute(queries["purge_words"], params)
            await self._forget_vectors(connection, params)
        return len(rows)

    async def _forget_vectors(self, connection: Connection, params: Mapping[str, Any]) -> None:
        queries = self._database.queries
        cursor = await connection.execute(queries["sets_with_tables"])
        for row in await cursor.fetchall():
            statement = queries.for_set("purge_vectors", row["embedding_set_id"])
            await connection.execute(statement, params)
