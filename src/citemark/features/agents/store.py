"""The calls of agents that are kept for a few days."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any, cast

from psycopg.types.json import Jsonb

from citemark.features.agents.agent_call import AgentCall, CitedPlace, KeptCall
from citemark.store.database import Database, Row


class AgentCallStore:
    """Calls with the sources that they show something of, with which they go."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, tenant: str, call: AgentCall, asked_at: datetime) -> bool:
        """Record a call; False if a source that it cites was removed meanwhile, so that nothing of it may stay.

        A call that shows hits without saying of which sources goes with the first source that is removed.
        """
        names = sorted({place.source for place in call.cited})
        row = await self._database.one(
            "agent_call_keep",
            {
                "tenant": tenant,
                "asked_at": asked_at,
                "principal": call.principal,
                "tool": call.tool,
                "question": call.question,
                "phrasings": list(call.phrasings),
                "limits": Jsonb(dict(call.limits)),
                "outcome": call.outcome,
                "hits": call.hits,
                "cited": Jsonb([asdict(place) for place in call.cited]),
                "bytes": call.size,
                "seconds": call.seconds,
                "withheld": call.withheld,
                "notes": list(call.notes),
                "sources": names,
                "of_any": bool(call.hits) and not names,
            },
        )
        return row is not None

    async def latest(self, tenant: str, since: datetime, limit: int, before: int | None = None) -> list[KeptCall]:
        """The calls since a moment, the latest first, from the one before the call with a number."""
        params = {"tenant": tenant, "since": since, "limit": limit, "before": before}
        return [_kept(row) for row in await self._database.fetch("agent_calls", params)]

    async def forget(self, tenant: str, before: datetime | None) -> int:
        """Delete the calls before a moment, or all; returns their number."""
        rows = await self._database.fetch("agent_calls_forget", {"tenant": tenant, "before": before})
        return len(rows)


def _kept(row: Row) -> KeptCall:
    limits = cast("Mapping[str, Any]", row["limits"])
    return KeptCall(
        row["call_id"],
        row["asked_at"],
        AgentCall(
            principal=row["principal"],
            tool=row["tool"],
            question=row["question"],
            phrasings=tuple(row["phrasings"]),
            limits=limits,
            outcome=row["outcome"],
            hits=row["hits"],
            cited=tuple(CitedPlace(**place) for place in row["cited"]),
            size=row["bytes"],
            seconds=row["seconds"],
            withheld=row["withheld"],
            notes=tuple(row["notes"]),
        ),
    )
