"""The read horizon: the newest instant whose state can no longer change."""

from collections.abc import Sequence
from datetime import datetime

from citemark.store.database import Database


class HorizonStore:
    """Writers announce themselves by an advisory lock that names their moment; readers stay behind the oldest."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def now(self) -> datetime:
        """No transaction that still runs will record anything at or before this instant (UTC, microseconds)."""
        rows = await self._database.fetch("read_horizon")
        return rows[0]["horizon"]

    async def recorded_since(self, source_ids: Sequence[int], moment: datetime) -> bool:
        """Whether anything was recorded in these sources after `moment`."""
        rows = await self._database.fetch("recorded_since", {"source_ids": list(source_ids), "moment": moment})
        return bool(rows[0]["recorded"])
