"""Baselines, and how far back each source can be read."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from citemark.model.baselines import RECORDS_BEGIN, Baseline, BaselineSource, HistoryRange
from citemark.model.errors import InvalidArgument
from citemark.model.ids import SourceId
from citemark.store.database import Connection, Database, Row


class BaselineStore:
    """The named states of an index."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def history_ranges(self, source_ids: Sequence[int], moment: datetime) -> list[HistoryRange]:
        """How far back sources can be read, and which of them have changed since a moment."""
        params = {"source_ids": list(source_ids), "moment": moment, "begin": RECORDS_BEGIN}
        return [
            HistoryRange(SourceId(row["source_id"]), row["keep_history"], row["since"], row["begins"], row["changed"])
            for row in await self._database.fetch("history_reach", params)
        ]

    async def all_baselines(self, tenant: str) -> list[Baseline]:
        """Every baseline of a tenant, the oldest first."""
        return [_baseline(row) for row in await self._database.fetch("baselines", {"tenant": tenant, "name": None})]

    async def named(self, tenant: str, name: str) -> Baseline | None:
        """The baseline of that name."""
        row = await self._database.one("baselines", {"tenant": tenant, "name": name})
        return None if row is None else _baseline(row)

    async def create(
        self, tenant: str, name: str, at: datetime, made_at: datetime, sources: Sequence[BaselineSource]
    ) -> Baseline:
        """Give a state a name.

        Raises:
            InvalidArgument: the name is taken.
        """
        async with self._database.transaction() as connection:
            await self.record(connection, tenant, name, at, made_at, sources)
        return Baseline(name, at, made_at, tuple(sources))

    async def record(
        self,
        connection: Connection,
        tenant: str,
        name: str,
        at: datetime,
        made_at: datetime,
        sources: Sequence[BaselineSource],
    ) -> None:
        """As `create`, in a transaction that also writes what the baseline holds.

        Raises:
            InvalidArgument: the name is taken.
        """
        queries = self._database.queries
        params: dict[str, Any] = {"tenant": tenant, "name": name, "at": at, "made_at": made_at}
        row = await (await connection.execute(queries["baseline_add"], params)).fetchone()
        if row is None:
            raise InvalidArgument(
                f"There is a baseline named {name!r} already, and baselines never change; give another name, or "
                f"delete it first: citemark baseline delete {name}",
                name=name,
            )
        await connection.execute(
            queries["baseline_sources_add"],
            {
                "baseline_id": row["baseline_id"],
                "source_ids": [source.source_id for source in sources],
                "commit_ids": [source.commit_id for source in sources],
            },
        )

    async def delete(self, tenant: str, name: str) -> bool:
        """Forget a baseline; what only it held goes with the next purge. False when there is none of that name."""
        return await self._database.one("baseline_delete", {"tenant": tenant, "name": name}) is not None


def _baseline(row: Row) -> Baseline:
    sources = zip(row["source_ids"], row["commit_ids"], strict=True)
    return Baseline(
        name=row["name"],
        at=row["at"],
        made_at=row["made_at"],
        sources=tuple(BaselineSource(SourceId(source_id), commit_id) for source_id, commit_id in sources),
    )
