"""Sources: configuration, grants, problems, the state of scanners, and the moment up to which all is recorded."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Any

from psycopg.types.json import Jsonb

from citemark.model.completeness import MOST_COUNTED, SourceReading
from citemark.model.documents import Problem
from citemark.model.errors import InvalidArgument
from citemark.model.ids import LONGEST_ID, SourceId
from citemark.model.left_out import LeftOut
from citemark.model.scope import Principal, RequestScope
from citemark.model.source_labels import SourceLabels
from citemark.model.sources import AllowedSources, Lexicon, NewSource, Source
from citemark.model.status import Notice, ReportedProblem
from citemark.model.unread_parts import LEFT_OUT, READ_AS, TRUNCATED, WORDS_ONLY, notice_of
from citemark.store.database import Connection, Database, Row
from citemark.store.replicas import LogPosition

EVERYONE = "everyone"
_UNFLUSHED_SECONDS = 30
"""Pages are committed without waiting for the disk, which PostgreSQL reaches within a second: thirty leave time for the
longest write, and questions that come later need not flush the log."""

_SKIPPED = "files skipped by type"
_LEFT_OUT = "files left out"
_TOLD = "told about the rules of new sources"
_LONG_JSON = 1 << 16
"""Characters of JSON from which parsing (a millisecond) is moved to a thread."""


def grantees_of(principal: Principal) -> list[str]:
    """The names under which a principal may have been granted a source."""
    return [EVERYONE, f"user:{principal.subject}", *(f"group:{group}" for group in sorted(principal.groups))]


def owner_grant() -> str:
    """The name under which the user of this machine is granted a source."""
    return f"user:{Principal.local().subject}"


def source_of(row: Row) -> Source:
    """The source in a row of its table."""
    return Source(
        source_id=SourceId(row["source_id"]),
        tenant=row["tenant"],
        name=row["name"],
        kind=row["kind"],
        config=row["config"],
        labels=SourceLabels.of_row(row),
        language=row["language"],
        detects_language=row["detects_language"],
        former_names=tuple(row["former_names"]),
        paused=row["paused"],
    )


def _lexicon(row: Row) -> Lexicon:
    return Lexicon(
        SourceId(row["source_id"]), row["configuration"], row["seed"], int(row["chunks"]), int(row["sum_length"])
    )


def _reading(row: Row) -> SourceReading:
    """How far a source has been read.

    A document that waits for another try has a problem too, and is counted as waiting alone.
    """
    return SourceReading(
        source_id=row["source_id"],
        name=row["name"],
        listed=row["listed"] + row["scans"],
        waiting=row["waiting"],
        changed=row["changed"],
        failed=max(0, row["texts"] - row["failing"]) + row["scans"],
        unlisted=row["unlisted"] or not source_of(row).followed,
        unflushed=row["unflushed"],
        refused=row["refused"],
        paused=row["paused"],
    )


class SourceStore:
    """The configured sources of one index."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._listeners: list[Callable[[], Awaitable[None]]] = []

    def on_change(self, listener: Callable[[], Awaitable[None]]) -> None:
        """Call `listener` after this object has added, changed or removed a source."""
        self._listeners.append(listener)

    async def _notify_listeners(self) -> None:
        for listener in self._listeners:
            await listener()

    async def add(self, new: NewSource, *, grantee: str = EVERYONE, reason: str = "added on this machine") -> Source:
        """Record a source and who may read it.

        Raises:
            InvalidArgument: a source of the tenant has that name or had it.
        """
        queries = self._database.queries
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                queries["source_add"],
                {
                    "tenant": new.tenant,
                    "name": new.name,
                    "kind": new.kind,
                    "config": Jsonb(dict(new.config)),
                    **new.labels.data(),
                    "language": new.language,
                    "keep_history": new.keep_history,
                    "detects_language": new.detects_language,
                },
            )
            row = await cursor.fetchone()
            if row is None:
                raise await self._name_taken(new.tenant, new.name)
            source_id = SourceId(row["source_id"])
            params = {"source_id": source_id, "grantee": grantee, "reason": reason}
            await connection.execute(queries["source_prepare"], params)
        await self._notify_listeners()
        return Source(
            source_id=source_id,
            tenant=new.tenant,
            name=new.name,
            kind=new.kind,
            config=new.config,
            labels=new.labels,
            language=new.language,
            detects_language=new.detects_language,
        )

    async def change(self, source: Source) -> None:
        """Record a source's new name and configuration; everything that came from it stays.

        Raises:
            InvalidArgument: another source has the name or had it, or the source is gone.
        """
        row = await self._database.one(
            "source_change",
            {
                "source_id": source.source_id,
                "name": source.name,
                "config": Jsonb(dict(source.config)),
                **source.labels.data(),
                "former_names": list(source.former_names),
            },
        )
        if row is None:
            raise await self._name_taken(source.tenant, source.name)
        await self._notify_listeners()

    async def pause(self, source_id: SourceId) -> None:
        """Have a source neither listed nor read any more; what is known of it stays."""
        await self._database.fetch("source_pause", {"source_id": source_id})
        await self._notify_listeners()

    async def resume(self, source_id: SourceId) -> None:
        """Have a source listed and read again, beginning with a scan."""
        await self._database.fetch("source_resume", {"source_id": source_id})
        await self._notify_listeners()

    async def _name_taken(self, tenant: str, name: str) -> InvalidArgument:
        """The error that says why no source can have this name."""
        for source in await self.all(tenant):
            if name in source.former_names:
                return InvalidArgument(
                    f"{name!r} was the name of the source {source.name!r}, and citations still say it; give another "
                    "--name.",
                    name=name,
                )
        return InvalidArgument(f"There is already a source named {name!r}; give another --name.", name=name)

    async def all(self, tenant: str) -> list[Source]:
        """Every source of a tenant, by name."""
        return [source_of(row) for row in await self._database.fetch("sources", {"tenant": tenant})]

    async def named(self, tenant: str, name: str) -> Source:
        """The source of that name.

        Raises:
            InvalidArgument: it does not exist; the message lists the existing ones.
        """
        sources = await self.all(tenant)
        for source in sources:
            if source.name == name:
                return source
        for source in sources:
            if name in source.former_names:
                raise InvalidArgument(f"The source {name!r} is called {source.name!r} now.", name=name)
        names = ", ".join(source.name for source in sources) or "none yet; `citemark add FOLDER` adds one"
        raise InvalidArgument(f"There is no source named {name!r}. Sources: {names}.", name=name)

    async def remove(self, source_id: SourceId, embedding_set_ids: Sequence[int] = ()) -> None:
        """Delete a source with everything that came from it: text, vectors, statistics, history, handles.

        Vectors are deleted from every set that has tables, those of `embedding_set_ids` included.
        """
        queries = self._database.queries
        params = {"source_id": source_id}
        async with self._database.transaction() as connection:
            await connection.execute(queries["set_hold"])
            await connection.execute(queries["source_lock"], params)
            await self._remove_index(connection, source_id, embedding_set_ids)
            await connection.execute(queries["source_remove"], params)
        await self._notify_listeners()

    async def empty(self, connection: Connection, source_id: SourceId) -> None:
        """Remove all that came from a source, which the transaction has locked, like the sets; the source stays."""
        await self._remove_index(connection, source_id)
        await connection.execute(self._database.queries["source_empty"], {"source_id": source_id})

    async def _remove_index(
        self, connection: Connection, source_id: SourceId, embedding_set_ids: Sequence[int] = ()
    ) -> None:
        queries, params = self._database.queries, {"source_id": source_id}
        await connection.execute(queries["source_remove_tasks"], params)
        await connection.execute(queries["source_remove_calls"], params)
        cursor = await connection.execute(queries["sets_with_tables"])
        set_ids = {row["embedding_set_id"] for row in await cursor.fetchall()}
        for number in sorted(set_ids | set(embedding_set_ids)):
            await connection.execute(queries.for_set("source_remove_vectors", number), params)
        await connection.execute(queries["source_remove_terms"], params)
        await connection.execute(queries["statistics_lock"])
        await connection.execute(queries["source_remove_statistics"], params)

    async def allowed(self, principal: Principal, scope: RequestScope) -> AllowedSources:
        """The sources that `principal` may read, limited by `scope`."""
        rows = await self._database.fetch(
            "allowed_sources",
            {
                "tenant": principal.tenant,
                "grantees": grantees_of(principal),
                **scope.data(),
                "counted": MOST_COUNTED,
            },
        )
        first_rows = {row["source_id"]: row for row in rows}.values()
        sources = tuple(source_of(row) for row in first_rows)
        off = {source.source_id for source in sources if not source.followed}
        lexicons = tuple(
            _lexicon(row) for row in rows if row["configuration"] is not None and row["source_id"] not in off
        )
        return AllowedSources(
            sources=tuple(source for source in sources if source.followed),
            chunks=sum(lexicon.chunks for lexicon in lexicons),
            sum_length=sum(lexicon.sum_length for lexicon in lexicons),
            lexicons=lexicons,
            by_owner=principal.key == Principal.local().key,
            readings=tuple(_reading(row) for row in first_rows),
            switched_off=tuple(source for source in sources if not source.followed),
        )

    async def report(self, source_id: SourceId, stage: str, problems: Sequence[Problem]) -> None:
        """Record problems of a source, one per document and stage."""
        by_id = {problem.native_id: problem.message for problem in problems}
        if by_id:
            await self._database.fetch(
                "problem_report",
                {
                    "source_id": source_id,
                    "stage": stage,
                    "native_ids": list(by_id),
                    "messages": list(by_id.values()),
                },
            )

    async def clear(self, source_id: SourceId, stage: str, native_ids: Sequence[str] | None = None) -> None:
        """Forget the problems of a stage: those of the documents named, or all."""
        ids = None if native_ids is None else list(native_ids)
        await self._database.fetch("problem_clear", {"source_id": source_id, "stage": stage, "native_ids": ids})

    async def problems(self, source_id: SourceId, limit: int = 100) -> list[ReportedProblem]:
        """The problems of a source, by document."""
        rows = await self._database.fetch("problems", {"source_id": source_id, "limit": limit})
        return [ReportedProblem(row["native_id"], row["stage"], row["message"], row["seen_at"]) for row in rows]

    async def notices(self, source_id: SourceId, limit: int = 100) -> list[Notice]:
        """What to know about documents that were read, but not whole or not as plain UTF-8; by document."""
        keys = [LEFT_OUT, READ_AS, TRUNCATED, WORDS_ONLY]
        rows = await self._database.fetch("notices", {"source_id": source_id, "limit": limit, "keys": keys})
        return [Notice(row["native_id"], notice_of(row["metadata"]), row["valid_from"]) for row in rows]

    async def note_skipped(self, source_id: SourceId, counts: Mapping[str, int]) -> None:
        """Record how many files of a source have a type that is not read, by suffix."""
        await ScanStateStore(self._database, source_id).save(_SKIPPED, dict(counts))

    async def skipped(self, source_id: SourceId) -> dict[str, int]:
        """How many files of a source had a type that is not read in its last scan, by suffix."""
        return await ScanStateStore(self._database, source_id).load(_SKIPPED) or {}

    async def note_left_out(self, source_id: SourceId, left_out: LeftOut) -> None:
        """Record what a source holds and does not index."""
        await ScanStateStore(self._database, source_id).save(_LEFT_OUT, left_out.as_json(examples=True))

    async def left_out(self, source_id: SourceId) -> LeftOut | None:
        """What a source held and did not index at its last scan; None if that was not counted."""
        stored = await ScanStateStore(self._database, source_id).load(_LEFT_OUT)
        return None if stored is None else LeftOut.from_json(stored)

    async def tell_once(self, source_id: SourceId) -> bool:
        """Whether the person was not told yet about the rules of new sources; from now on they were."""
        state = ScanStateStore(self._database, source_id)
        if await state.load(_TOLD):
            return False
        await state.save(_TOLD, value=True)
        return True


class ScanStateStore:
    """The state that the scanners of one source keep between scans, by key."""

    def __init__(self, database: Database, source_id: SourceId) -> None:
        self._database = database
        self._source_id = source_id

    async def load(self, key: str) -> Any | None:
        """The value that was saved under `key`, or None if there is none."""
        row = await self._database.one("memory_load", {"source_id": self._source_id, "key": _key_of(key)})
        if row is None:
            return None
        text: str = row["value"]
        return await asyncio.to_thread(json.loads, text) if len(text) > _LONG_JSON else json.loads(text)

    async def save(self, key: str, value: Any) -> None:
        """Store a value that JSON can represent."""
        text = await asyncio.to_thread(json.dumps, value)
        await self._database.fetch("memory_save", {"source_id": self._source_id, "key": _key_of(key), "value": text})


def _key_of(key: str) -> str:
    """The key that is stored: servers choose addresses that are parts of keys, and an index takes no long ones."""
    data = key.encode("utf-8", "surrogatepass")
    return key if len(data) <= LONGEST_ID else blake2b(data, digest_size=32).hexdigest()


class HorizonStore:
    """The newest instant whose recorded state can no longer change (ADR 5).

    A writer takes an advisory lock whose key contains its moment; readers stay behind the oldest such lock.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def now(self) -> datetime:
        """Return an instant (UTC, microseconds) at or before which no running transaction will record anything.

        Nor can a crash undo what was recorded before it.
        """
        (row,) = await self._database.fetch_flushed(
            "read_horizon", {"window": _UNFLUSHED_SECONDS}, unless=lambda rows: not rows[0]["unflushed"]
        )
        await self._database.follow(LogPosition(row["timeline"], row["lsn"]))
        return row["horizon"]
