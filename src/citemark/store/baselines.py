"""Baselines, and how far back each source can be read."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from citemark.model.baselines import RECORDS_BEGIN, Baseline, BaselineSource, HistoryRange
from citemark.model.citation import iso
from citemark.model.errors import InvalidArgument
from citemark.model.ids import SourceId
from citemark.store.database import Connection, Database, Row


class BaselineStore:
    """The named states of an index."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def history_ranges(self, source_ids: Sequence[int], moment: datetime) -> list[HistoryRange]:
        """How far back each source can be read, and whether it has changed since `moment`."""
        params = {"source_ids": list(source_ids), "moment": moment, "begin": RECORDS_BEGIN}
        return [
            HistoryRange(SourceId(row["source_id"]), row["keep_history"], row["since"], row["begins"], row["changed"])
            for row in await self._database.fetch("history_reach", params)
        ]

    async def all_baselines(self, tenant: str) -> list[Baseline]:
        """Every baseline of a tenant, oldest first."""
        return [_baseline(row) for row in await self._database.fetch("baselines", {"tenant": tenant, "name": None})]

    async def named(self, tenant: str, name: str) -> Baseline | None:
        """The baseline of that name, or None if there is none."""
        row = await self._database.one("baselines", {"tenant": tenant, "name": name})
        return None if row is None else _baseline(row)

    async def create(
        self, tenant: str, name: str, at: datetime, made_at: datetime, sources: Sequence[BaselineSource]
    ) -> Baseline:
        """Give a state a name.

        Raises:
            InvalidArgument: the name is taken, a source keeps no history, or a purge has just damaged the state.
        """
        async with self._database.transaction() as connection:
            await self._hold(connection, at, sources)
            await self.record(connection, tenant, name, at, made_at, sources)
        return Baseline(name, at, made_at, tuple(sources))

    async def _hold(self, connection: Connection, at: datetime, sources: Sequence[BaselineSource]) -> None:
        """Block purges of the sources until the baseline is written, and check that none has damaged the state before.

        Raises:
            InvalidArgument: a source keeps no history, or a purge has removed part of the state.
        """
        queries = self._database.queries
        params = {"source_ids": sorted(source.source_id for source in sources)}
        rows = await (await connection.execute(queries["history_hold"], params)).fetchall()
        if any(not row["keep_history"] for row in rows):
            raise InvalidArgument("A source has just been told to keep no history; leave it out.")
        if at >= RECORDS_BEGIN and any(row["since"] is not None and row["since"] > at for row in rows):
            raise InvalidArgument(
                f"A purge has taken parts of the state of {iso(at)}; name a later one.", as_of=iso(at)
            )

    async def sizes(self, baseline: Baseline) -> dict[SourceId, tuple[int, int]]:
        """By source, the number of documents in a baseline, and of their revisions that were superseded since."""
        ids = [source.source_id for source in baseline.sources]
        rows = await self._database.fetch("state_sizes", {"source_ids": ids, "at": baseline.at})
        return {SourceId(row["source_id"]): (row["documents"], row["superseded"]) for row in rows}

    async def past_kept(self, tenant: str) -> bool:
        """Whether a tenant has a baseline or a superseded revision, so that there is a past to ask about."""
        row = await self._database.one("past_kept", {"tenant": tenant})
        return row is not None and bool(row["kept"])

    async def record(
        self,
        connection: Connection,
        tenant: str,
        name: str,
        at: datetime,
        made_at: datetime | None,
        sources: Sequence[BaselineSource],
    ) -> None:
        """Do the same as `create`, in a transaction that also writes what the baseline holds.

        Without `made_at` the baseline is unfinished: purges spare it, and it is not shown to anyone.

        Raises:
            InvalidArgument: the name is taken.
        """
        queries = self._database.queries
        params: dict[str, Any] = {"tenant": tenant, "name": name, "at": at, "made_at": made_at or "infinity"}
        row = await (await connection.execute(queries["baseline_add"], params)).fetchone()
        if row is None:
            raise InvalidArgument(
                f"There is already a baseline named {name!r}, and baselines never change; give another name, or "
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
        """Delete a baseline; the next purge removes what only it needed. False if there is no such baseline."""
        return await self._database.one("baseline_delete", {"tenant": tenant, "name": name}) is not None


def _baseline(row: Row) -> Baseline:
    sources = zip(row["source_ids"], row["commit_ids"], strict=True)
    return Baseline(
        name=row["name"],
        at=row["at"],
        made_at=row["made_at"],
        sources=tuple(BaselineSource(SourceId(source_id), commit_id) for source_id, commit_id in sources),
    )
