"""Rows behind expiring handles: passages, and ranked lists behind cursors."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from psycopg.types.json import Jsonb

from citemark.model.ids import ChunkId, PassageId, SessionId, SourceId
from citemark.model.passages import Passage, RankedHit
from citemark.model.scope import Principal, ResolvedContext
from citemark.model.text import Span
from citemark.store.database import Database, int_array, text_array


class PassageStore:
    """Rows behind handles, each bound to a principal and a session."""

    def __init__(self, database: Database, ttl: timedelta) -> None:
        self._database = database
        self._ttl = ttl

    async def keep(
        self, principal: Principal, session_id: SessionId, passages: Sequence[Passage], now: datetime
    ) -> None:
        """Remember passages until they expire."""
        if not passages:
            return
        await self._database.fetch(
            "passages_keep",
            {
                "session_id": session_id,
                "principal": principal.key,
                "now": now,
                "expires_at": now + self._ttl,
                "source_ids": int_array(passage.source_id for passage in passages),
                "passage_ids": text_array(passage.passage_id for passage in passages),
                "chunk_ids": int_array(passage.chunk_id for passage in passages),
                "starts": int_array(passage.span.start for passage in passages),
                "ends": int_array(passage.span.end for passage in passages),
                "read_at": [passage.context and passage.context.read_at for passage in passages],
                "as_of": [passage.context and passage.context.as_of for passage in passages],
                "baselines": [passage.context and passage.context.baseline_id for passage in passages],
            },
        )

    async def find(
        self, principal: Principal, session_id: SessionId, passage_ids: Sequence[str], now: datetime
    ) -> dict[str, Passage]:
        """The unexpired passages of this caller among those named; foreign and unknown ones are left out alike."""
        rows = await self._database.fetch(
            "passages_find",
            {
                "passage_ids": list(passage_ids),
                "session_id": session_id,
                "principal": principal.key,
                "now": now,
            },
        )
        return {
            row["passage_id"]: Passage(
                PassageId(row["passage_id"]),
                SourceId(row["source_id"]),
                ChunkId(row["chunk_id"]),
                Span(row["span_start"], row["span_end"]),
                row["created_at"],
                None if row["read_at"] is None else ResolvedContext(row["as_of"], row["baseline"], row["read_at"]),
            )
            for row in rows
        }

    async def session_of(self, principal: Principal, passage_id: str, now: datetime) -> SessionId | None:
        """The session in which this principal got a passage; None if it was not given to them or has expired."""
        params = {"passage_id": passage_id, "principal": principal.key, "now": now}
        row = await self._database.one("passage_session", params)
        return None if row is None else SessionId(row["session_id"])

    async def keep_ranking(
        self, principal: Principal, list_id: str, digest: str, hits: Sequence[RankedHit], now: datetime
    ) -> None:
        """Remember a ranked list for its cursors."""
        await self._database.fetch(
            "ranking_keep",
            {
                "list_id": list_id,
                "principal": principal.key,
                "digest": digest,
                "expires_at": now + self._ttl,
                "source_ids": [hit.source_id for hit in hits],
                "ranks": [hit.rank for hit in hits],
                "chunk_ids": [hit.chunk_id for hit in hits],
                "scores": [hit.score for hit in hits],
                "whys": [Jsonb(hit.why) for hit in hits],
            },
        )

    async def ranking(self, principal: Principal, list_id: str, digest: str, now: datetime) -> list[RankedHit]:
        """The list behind a cursor, in order; empty if it is not this caller's list for this question."""
        rows = await self._database.fetch(
            "ranking_read", {"list_id": list_id, "principal": principal.key, "digest": digest, "now": now}
        )
        return [
            RankedHit(SourceId(row["source_id"]), row["rank"], ChunkId(row["chunk_id"]), row["score"], row["why"])
            for row in rows
        ]

    async def forget_expired(self, now: datetime) -> None:
        """Delete what has expired."""
        await self._database.fetch("handles_forget", {"now": now})
