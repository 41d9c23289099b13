"""Embedding sets (one narrow table each), the leased queue that fills them, and how close random vectors are."""

from collections import Counter
from collections.abc import Collection, Sequence
from time import monotonic
from typing import Any

from psycopg.types.json import Jsonb

from citemark.model.errors import BackendUnavailable
from citemark.model.ids import ChunkId, EmbeddingSetId, SourceId
from citemark.model.vectors import (
    MOST_DIMENSIONS,
    EmbeddingIdentity,
    EmbeddingSet,
    SetOrigin,
    TooManyDimensions,
    Vector,
    VectorBacklog,
    VectorTask,
)
from citemark.store.database import Connection, Database, Row

_ACTIVE_TTL = 1.0
"""Seconds for which the active set is cached: questions see a cut-over within that time."""

SHARES = (0.1, 0.5, 0.9, 0.99)
"""The quantiles of random cosines that are stored, as shares of all pairs."""

_SAMPLE = 300
"""Vectors drawn for these quantiles: 44,850 pairs, so that the 99 % quantile rests on 450."""

_LEAST_PAIRS = 1000
"""Fewer pairs leave fewer than ten beyond the 99 % quantile, too few to locate it."""

_GROWTH = 2.0
"""The factor by which a set grows or shrinks before it is measured again."""

_TWINS = 500
"""Chunks that one statement copies vectors to: it takes half a second in the graph index, and no page waits longer."""

_TWIN_COLUMNS = ("twin_source_ids", "twin_chunk_ids", "source_ids", "chunk_ids")

_BUNDLED = SetOrigin()


def _set(row: Row) -> EmbeddingSet:
    return EmbeddingSet(
        set_id=EmbeddingSetId(row["embedding_set_id"]),
        model=row["model"],
        fingerprint=row["fingerprint"],
        dimensions=row["dimensions"],
        active=row["state"] == "active",
        origin=SetOrigin(row["recipe"], tuple(row["canary"])),
        random_pairs=tuple(row["random_pairs"]),
    )


class VectorStore:
    """Embedding sets with their tables and task queues."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._active: tuple[float, EmbeddingSet | None] | None = None

    async def sets(self) -> list[EmbeddingSet]:
        """The active set and one that is being built, by number."""
        return [_set(row) for row in await self._database.fetch("sets")]

    async def active(self) -> EmbeddingSet | None:
        """The set that answers questions, or None before the first one exists."""
        return next((entry for entry in await self.sets() if entry.active), None)

    async def active_cached(self) -> EmbeddingSet | None:
        """The active set, read from the database at most once a second; a cut-over is seen within that time."""
        if self._active is None or monotonic() - self._active[0] > _ACTIVE_TTL:
            self._active = (monotonic(), await self.active())
        return self._active[1]

    async def ensure(self, identity: EmbeddingIdentity, origin: SetOrigin = _BUNDLED) -> EmbeddingSet:
        """Return the set of a model, created if it is new (active if it is the first), with its tables and its queue.

        Raises:
            TooManyDimensions: pgvector's graph index takes no vectors of that size.
        """
        if identity.dimensions > MOST_DIMENSIONS:
            raise TooManyDimensions(identity.model, identity.dimensions)
        queries = self._database.queries
        key = {"model": identity.model, "fingerprint": identity.fingerprint}
        existing = await self._database.one("set_find", key)
        if existing is not None and existing["state"] != "retired":
            return _set(existing)
        async with self._database.transaction() as connection:
            await connection.execute(queries["set_lock"])
            origin_params = {"recipe": Jsonb(dict(origin.recipe)), "canary": list(origin.probe)}
            cursor = await connection.execute(
                queries["set_add"], {**key, **origin_params, "dimensions": identity.dimensions}
            )
            created = await cursor.fetchone()
            if created is not None:
                await self._make_tables(connection, created["embedding_set_id"], identity.dimensions)
                statement = queries.for_set("set_queue_all", created["embedding_set_id"])
                await connection.execute(statement)
            row = await (await connection.execute(queries["set_find"], key)).fetchone()
        if row is None:
            raise BackendUnavailable("The embedding set vanished while it was made; try again.")
        return _set(row)

    async def _make_tables(self, connection: Connection, number: int, dimensions: int) -> None:
        queries = self._database.queries
        await connection.execute(queries["set_drop"], {"set": number})
        await connection.execute(queries["set_tables"], {"set": number, "dimensions": dimensions})

    async def complete(self, candidate: EmbeddingSet) -> bool:
        """Whether a set is being built and no chunk waits for it."""
        row = await self._database.one("set_complete", {"set": candidate.set_id})
        return row is not None and bool(row["complete"])

    async def cut_over(self, candidate: EmbeddingSet) -> bool:
        """Make a set that is being built the active one if no chunk waits for it, and retire the one it replaces."""
        queries = self._database.queries
        async with self._database.transaction() as connection:
            await connection.execute(queries["set_lock"])
            row = await (await connection.execute(queries["set_complete"], {"set": candidate.set_id})).fetchone()
            if row is None or not row["complete"]:
                return False
            await connection.execute(queries["set_retire_others"], {"set": candidate.set_id})
            await connection.execute(queries["set_activate"], {"set": candidate.set_id})
        return True

    async def drop_retired(self, grace: float = 60.0) -> int:
        """Drop the tables of replaced sets `grace` seconds after a cut-over.

        Returns:
            The number of sets dropped.
        """
        queries = self._database.queries
        if not await self._database.fetch("sets_retired", {"grace": grace}):
            return 0
        async with self._database.transaction() as connection:
            await connection.execute(queries["set_lock"])
            rows = await (await connection.execute(queries["sets_retired"], {"grace": grace})).fetchall()
            for row in rows:
                number = row["embedding_set_id"]
                await connection.execute(queries["set_drop"], {"set": number})
                await connection.execute(queries["set_forget"], {"set": number})
        return len(rows)

    async def claim(
        self,
        set_id: EmbeddingSetId,
        worker: str,
        *,
        limit: int,
        lease: float,
        source_ids: Collection[SourceId] | None = None,
    ) -> list[VectorTask]:
        """Lease chunks that lack a vector, of some sources or of all; none with a text that another worker holds."""
        params = {"set": set_id, "worker": worker, "limit": limit, "lease": lease, "source_ids": _ids(source_ids)}
        queries = self._database.queries
        async with self._database.transaction() as connection:
            await connection.execute(queries["tasks_turn"])
            rows = await (await connection.execute(queries["tasks_claim"], params)).fetchall()
        return [
            VectorTask(
                source_id=SourceId(row["source_id"]),
                chunk_id=ChunkId(row["chunk_id"]),
                context=row["context"],
                text=row["text"],
                digest=bytes(row["embed_hash"]),
            )
            for row in rows
        ]

    async def settle(
        self, set_id: EmbeddingSetId, worker: str, tasks: Sequence[VectorTask], vectors: Sequence[Vector]
    ) -> Counter[int]:
        """Store the vectors of leased tasks, then copy them to waiting chunks of equal text, batch by batch.

        Returns:
            The number of vectors written, by source id.
        """
        settled = await self._run_for_set(
            set_id,
            "tasks_settle",
            worker=worker,
            source_ids=[task.source_id for task in tasks],
            chunk_ids=[task.chunk_id for task in tasks],
            vectors=[literal(vector) for vector in vectors],
        )
        written = Counter(row["source_id"] for row in settled)
        twins = [
            (*twin, row["source_id"], row["chunk_id"])
            for row in settled
            for twin in zip(row["twin_source_ids"] or (), row["twin_chunk_ids"] or (), strict=True)
        ]
        for start in range(0, len(twins), _TWINS):
            columns = zip(_TWIN_COLUMNS, zip(*twins[start : start + _TWINS], strict=True), strict=True)
            copied = await self._run_for_set(set_id, "twins_settle", **{name: list(ids) for name, ids in columns})
            written.update({row["source_id"]: row["written"] for row in copied})
        return written

    async def _run_for_set(self, set_id: EmbeddingSetId, name: str, **params: Any) -> list[Row]:
        """Rows of a writing statement in a transaction of its own; none if the set is gone."""
        queries = self._database.queries
        async with self._database.transaction(durable=False) as connection:
            await connection.execute(queries["set_hold"])
            sets = await (await connection.execute(queries["sets_with_tables"])).fetchall()
            if set_id not in {row["embedding_set_id"] for row in sets}:
                return []
            cursor = await connection.execute(queries.for_set(name, set_id), params)
            return await cursor.fetchall()

    async def park(
        self, set_id: EmbeddingSetId, worker: str, tasks: Sequence[VectorTask], errors: Sequence[str]
    ) -> None:
        """Park leased tasks, each with its reason, until their text changes."""
        await self._database.fetch(
            "tasks_park",
            {
                "set": set_id,
                "worker": worker,
                "source_ids": [task.source_id for task in tasks],
                "chunk_ids": [task.chunk_id for task in tasks],
                "errors": list(errors),
            },
        )

    async def release(self, worker: str) -> None:
        """Return leased tasks on a clean stop; that does not count as a try."""
        await self._database.fetch("tasks_release", {"worker": worker})

    async def backlog(self, set_id: EmbeddingSetId, source_ids: Collection[SourceId] | None = None) -> VectorBacklog:
        """The number of chunks of some sources, or of all, that wait for a vector of this set or are parked."""
        row = await self._database.one("tasks_waiting", {"set": set_id, "source_ids": _ids(source_ids)})
        return VectorBacklog(0, 0) if row is None else VectorBacklog(row["waiting"] - row["parked"], row["parked"])

    async def note_search(self, server: str) -> None:
        """Let the indexers of every process know that a search is going on."""
        await self._database.fetch("activity_note", {"server": server})

    async def seconds_since_search(self) -> float | None:
        """The seconds since the newest search on this database, or None if there was none."""
        row = await self._database.one("activity_age")
        return None if row is None else row["seconds"]


def _ids(source_ids: Collection[SourceId] | None) -> list[int] | None:
    return None if source_ids is None else list(source_ids)


def literal(vector: Sequence[float]) -> str:
    """A vector as PostgreSQL reads it, with the nine digits that a float32 holds."""
    # Formatting all numbers in one go takes a fifth of the time of formatting each one.
    return f"[{','.join(['%.9g'] * len(vector)) % tuple(vector)}]"


class RandomPairs:
    """Quantiles of the cosines of random pairs of a set, measured again once it has doubled or halved."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def refresh(self, set_id: EmbeddingSetId) -> bool:
        """Measure unless the last measurement is still good; True when a new one was stored.

        The sample is drawn by a hash of the chunks' numbers, so the same set gives the same numbers. Fewer than a
        thousand pairs say nothing: then the set keeps what it has.
        """
        queries = self._database.queries
        sizes = await self._database.read_sql(queries.for_set("random_pairs_size", set_id))
        if not sizes:
            return False
        measured, vectors = int(sizes[0]["random_pairs_of"]), int(sizes[0]["vectors"])
        if measured / _GROWTH < vectors < measured * _GROWTH or vectors * (vectors - 1) < 2 * _LEAST_PAIRS:
            return False
        rows = await self._database.read_sql(
            queries.for_set("random_pairs_measure", set_id), {"sample": _SAMPLE, "shares": list(SHARES)}
        )
        if not rows or rows[0]["pairs"] < _LEAST_PAIRS:
            return False
        await self._database.fetch(
            "random_pairs_keep", {"set": set_id, "quantiles": rows[0]["quantiles"], "vectors": vectors}
        )
        return True
