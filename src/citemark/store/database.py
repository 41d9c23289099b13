"""The connection pool, and how statements and transactions run on it.

Every statement lives in `sql/*.sql` under a `-- name:` line. A statement that writes is sent again after a lost
connection only if that line says `(repeatable)`: it may have run before its answer was lost, so running it twice must
have the same effect as running it once. One whose line says `(planned once)` looks everything up by keys, so one plan
fits all parameters: PostgreSQL would otherwise plan it each time, which takes longer than running it. The reads of a
file that begins with `-- (on replicas)` may be answered by a replica instead, as part of a question; such a read sees
nothing but the sources that its parameters name, if they name any (store/partitions.py).
"""

import asyncio
import math
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any, LiteralString, TypeAlias, cast

import psycopg
from pgvector.psycopg import register_vector_async
from psycopg import AsyncConnection, AsyncCursor
from psycopg.pq import TransactionStatus
from psycopg.rows import DictRow, dict_row
from psycopg_pool import PoolTimeout

from citemark.model.errors import (
    BackendUnavailable,
    CitemarkError,
    ConfigurationError,
    DiskFull,
    InvalidArgument,
    TimedOut,
)
from citemark.store.connection_pool import ConnectionPool
from citemark.store.conninfo import safe_message
from citemark.store.partitions import in_partition, sources_of
from citemark.store.pipelines import in_one_message
from citemark.store.replicas import LogPosition, Replicas
from citemark.text.languages import language_named, language_names

_DEAD_PEERS = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3, "tcp_user_timeout": 60_000}
"""Seconds, attempts, milliseconds until a server whose machine has vanished is given up: the system takes hours."""

_APPLICATION = "citemark 43"
"""What connections are called, by the newest schema with forms that servers of before cannot read: none is written
beside them. Those of before schema 34 are called "citemark"."""

_LOCAL_LIMIT = "SET LOCAL statement_timeout = "
_LOCAL_PLANS = "SET LOCAL plan_cache_mode = auto"

_HEADING = "-- name:"
_REPEATABLE = "repeatable"
_PLANNED_ONCE = "planned once"
_COLUMNS = "(columns)"
"""Marks columns that several statements select: each says `{name}` where they belong."""
_ON_REPLICAS = "-- (on replicas)"
_COMMENT = re.compile(r"--[^\n]*")
_LONGEST = 3600.0
"""The limit in seconds of a statement that no caller waits for; the longest, which remove a source, take minutes."""

_IDLE_SECONDS = 60.0
"""Idle connections beyond the first two are closed after this time: many processes may share one server."""

_REVIVALS = 2
"""Retries of a read after the server was lost: the next connection may still be one from before the loss."""

_PREPARED_AFTER = 5
"""Executions after which a statement is prepared; a lower number would prepare statements that are hardly used."""

_PREPARED_EACH = 20
"""Statements that may be prepared for each partition, beside a hundred others: most questions need ten."""

_WRITES = re.compile(r"\b(?:INSERT\s+INTO|(?<!FOR )UPDATE\s|DELETE\s+FROM|CREATE|ALTER|DROP|TRUNCATE)\b", re.IGNORECASE)

_TARGET = re.compile(r"\b(?:INSERT\s+INTO|(?<!FOR )(?<!DO )UPDATE|DELETE\s+FROM)\s+(\w+)", re.IGNORECASE)
_UNLOGGED = frozenset({"passage", "ranked_hit", "search_activity", "work_done"})
"""Tables that no replica has, so that what was written to them cannot be missed there."""


_NEEDS_PRIMARY = re.compile(r"\bFOR\s+(?:NO\s+KEY\s+)?(?:KEY\s+)?(?:UPDATE|SHARE)\b|_advisory_|nextval", re.IGNORECASE)
"""Reads that lock something or take a number, which a replica refuses."""


class Queries:
    """The named statements of the store, read when the object is made and never changed."""

    def __init__(self) -> None:
        self._by_name: dict[str, LiteralString] = {}
        self._repeatable: set[str] = set()
        self._planned_once: set[str] = set()
        self._columns: dict[str, str] = {}
        self._on_replicas: set[str] = set()
        self._logged: set[str] = set()
        for entry in sorted(files("citemark.store").joinpath("sql").iterdir(), key=lambda file: file.name):
            if entry.name.endswith(".sql"):
                self._read(entry.name, entry.read_text("utf-8"))
        for columns, text in self._columns.items():
            for name, statement in self._by_name.items():
                self._by_name[name] = cast("LiteralString", statement.replace(f"{{{columns}}}", text))

    def _read(self, file: str, text: str) -> None:
        on_replicas = text.startswith(_ON_REPLICAS)
        for part in text.split(_HEADING)[1:]:
            head, _, body = part.partition("\n")
            name, _, marked = head.strip().partition(" ")
            if marked == _COLUMNS:
                self._columns[name] = body.strip()
                continue
            marks = {mark.strip() for mark in marked.strip("()").split(",") if mark}
            if not marks <= {_REPEATABLE, _PLANNED_ONCE}:
                raise ValueError(f"{file}: {name!r} is marked {marked!r}, which means nothing there")
            if name in self._by_name:
                raise ValueError(f"{file}: the name {name!r} is taken")
            # The files ship with the package and are code: as literal as a string in this module.
            self._by_name[name] = cast("LiteralString", body.strip())
            bare = _COMMENT.sub("", body)
            changes = writes(body)
            if _REPEATABLE in marks or not changes:
                self._repeatable.add(name)
            if changes:
                targets = set(_TARGET.findall(bare))
                if not (targets and targets <= _UNLOGGED):
                    self._logged.add(name)
            elif on_replicas and not _NEEDS_PRIMARY.search(bare):
                self._on_replicas.add(name)
            if _PLANNED_ONCE in marks:
                self._planned_once.add(name)

    def __getitem__(self, name: str) -> LiteralString:
        return self._by_name[name]

    def repeatable(self, name: str) -> bool:
        """Whether a statement may be sent again when it is unknown whether it ran: a read, or one that is marked so."""
        return name in self._repeatable

    def planned_once(self, name: str) -> bool:
        """Whether one plan fits all parameters of a statement."""
        return name in self._planned_once

    def on_replicas(self, name: str) -> bool:
        """Whether a statement reads nothing but what a replica has too."""
        return name in self._on_replicas

    def writes_what_replicas_have(self, name: str) -> bool:
        """Whether a statement writes something that a read after it might miss on a replica."""
        return name in self._logged

    def for_set(self, name: str, embedding_set_id: int, near: str = "", limit: int = 0) -> LiteralString:
        """A statement about one embedding set: its tables carry the set's number.

        Args:
            name: the name of the statement.
            embedding_set_id: the number of the set.
            near: the statement that finds the nearest chunks, for one that is around it.
            limit: how many that finds; a number in the text, since its plan depends on it.
        """
        text = self._by_name[name]
        if near:
            text = text.replace("{near}", self._by_name[near])
        text = text.replace("{limit}", f"{limit:d}")
        return cast("LiteralString", text.replace("{set}", f"{embedding_set_id:d}"))

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted(self._by_name)


@cache
def shipped_queries() -> Queries:
    """The statements that ship with the package, which a process reads once: that takes 20 ms."""
    return Queries()


def writes(statement: str) -> bool:
    """Whether a statement changes rows or tables."""
    return _WRITES.search(_COMMENT.sub("", statement)) is not None


def int_array(values: Iterable[int]) -> str:
    """An array of integers in PostgreSQL's text format.

    Psycopg adapts arrays element by element, which took a tenth of the CPU time of a first load.
    """
    return "{" + ",".join(map(str, values)) + "}"


def text_array(values: Iterable[str | None]) -> str:
    """An array of texts in the same format."""
    return "{" + ",".join("NULL" if value is None else _quoted_text(value) for value in values) + "}"


def bytea_array(values: Iterable[bytes]) -> str:
    """An array of byte strings in the same format."""
    return "{" + ",".join(f'"\\\\x{value.hex()}"' for value in values) + "}"


def bool_array(values: Iterable[bool]) -> str:
    """An array of truth values in the same format."""
    return "{" + ",".join("t" if value else "f" for value in values) + "}"


def _quoted_text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


Row: TypeAlias = dict[str, Any]
Connection: TypeAlias = AsyncConnection[DictRow]
Params: TypeAlias = Mapping[str, Any]
Recover: TypeAlias = Callable[[], str]


class _Plans(StrEnum):
    """How PostgreSQL plans the prepared statements of a connection: the values of its `plan_cache_mode`."""

    CHOSEN = "auto"
    KEPT = "force_generic_plan"
    MADE_ANEW = "force_custom_plan"


class _Limited(AsyncConnection[DictRow]):
    """A connection that knows the time limit of its statements (0: the server's setting), and whether it is direct.

    It knows also into how many partitions the index is divided (0, if it is whole), and how its statements are planned
    outside of transactions (None: not known, since a statement that was to set it failed).
    """

    seconds: float = 0.0
    direct: bool = True
    partitions: int = 0
    plans: _Plans | None = _Plans.CHOSEN


class _Question:
    """What one question is read from: a replica once one was found that has what it is to see, else the primary.

    A question that has come to read the primary, which is ahead of all, stays there. Nor does it change from a replica
    to another one, where what it has seen may not be yet.
    """

    def __init__(self) -> None:
        self.replica: Database | None = None
        self.position: LogPosition | None = None
        self.stays = False
        self.choosing = asyncio.Lock()

    def stay(self) -> None:
        """Have the rest of the question read from the primary."""
        self.replica, self.stays = None, True


class UnacceptableValue(InvalidArgument):
    """PostgreSQL cannot store a value: a NUL character, half a surrogate pair, or more than fits into an index row."""


class Database:
    """Connections to one PostgreSQL, and the named statements that run on them.

    `recover` brings the server back (a blocking call that returns its DSN); it is called when a connection is lost,
    and statements that may be repeated are then tried again. `pooler` says whether there is a transaction pooler in
    between, None to find out. Behind a pooler nothing is prepared, and every setting is local to its transaction.

    The server enforces a time limit for each statement, so that none outlives a process that was killed. The limit is
    set again only if it differs from the one that the connection already has.

    With `replicas`, what a question reads of documents comes from one of them, if it has everything that the question
    is to see (`follow`); a question is what runs within a block of `within`.
    """

    def __init__(
        self,
        dsn: str,
        *,
        pool_size: int,
        recover: Recover | None = None,
        pooler: bool | None = False,
        replicas: "Sequence[Database]" = (),
    ) -> None:
        self.queries = shipped_queries()
        self._dsn = dsn
        self._size = pool_size
        self._recover = recover
        self._pooler = pooler
        self._pool: ConnectionPool[_Limited] | None = None
        self._heartbeats: ConnectionPool[_Limited] | None = None
        self._seconds = ContextVar("statement_seconds", default=_LONGEST)
        self._question: ContextVar[_Question | None] = ContextVar("question", default=None)
        self._replicas = Replicas(replicas) if replicas else None
        self._places: dict[int, int] = {}  # the partitions of sources, which never change
        self._timeline = 0
        self._replayed: LogPosition | None = None  # by this replica, as it told last
        self._recovering = asyncio.Lock()
        self.losses = 0
        """How often connections were lost: what was read before may have been taken back by a crash."""

    async def open(self) -> None:
        """Open the pool, and a separate connection for heartbeats, which is made when the first one is due.

        Raises:
            BackendUnavailable: no connection could be made within 15 seconds.
        """
        pool = self._new_pool(2, self._size)
        try:
            await pool.open(wait=True, timeout=15)
        except PoolTimeout as error:
            await pool.close()
            raise BackendUnavailable(f"The database does not answer: {safe_message(error, self._dsn)}") from None
        await self._ready(pool)

    async def open_lazily(self) -> None:
        """Open the pool without a connection: each is made when it is needed first."""
        pool = self._new_pool(0, self._size)
        await pool.open()
        await self._ready(pool)

    async def _ready(self, pool: ConnectionPool[_Limited]) -> None:
        self._pool = pool
        self._heartbeats = self._new_pool(0, 1)
        await self._heartbeats.open()
        if self._replicas is not None:
            await self._replicas.open()

    def _new_pool(self, least: int, most: int) -> ConnectionPool[_Limited]:
        return ConnectionPool(
            self._dsn,
            kwargs={
                "row_factory": dict_row,
                "autocommit": True,
                "application_name": _APPLICATION,
                **_DEAD_PEERS,
                "prepare_threshold": None,  # until a connection is known to be direct
            },
            connection_class=_Limited,
            min_size=least,
            max_size=most,
            open=False,
            configure=self._configure,
            reconnect_timeout=5,
            timeout=15,
            max_idle=_IDLE_SECONDS,
        )

    async def close(self) -> None:
        """Close every connection."""
        for pool in (self._pool, self._heartbeats, self._replicas):
            if pool is not None:
                await pool.close()
        self._pool = self._heartbeats = None

    @contextmanager
    def within(self, seconds: float) -> Generator[None]:
        """Limit each statement of this task, and of tasks that it starts within the block, to `seconds`."""
        token = self._seconds.set(min(seconds, self._seconds.get()))
        asked = self._question.get() or (None if self._replicas is None else _Question())
        question = self._question.set(asked)
        try:
            yield
        finally:
            self._question.reset(question)
            self._seconds.reset(token)

    async def follow(self, position: LogPosition) -> None:
        """Have the question read from a replica that has all up to a place in the primary's log, if one has it then."""
        question = self._question.get()
        if question is None or self._replicas is None:
            return
        if self._timeline not in {0, position.timeline}:
            self.losses += 1  # another primary: what the one before had not handed on is undone, as by a crash
        self._timeline = position.timeline
        question.position = position

    async def _replica_for(self, question: _Question) -> "Database | None":
        """The replica that a question keeps; it is chosen by its first read, until when replicas may have caught up."""
        async with question.choosing:
            if self._replicas is None or question.position is None or question.stays or question.replica is not None:
                return question.replica
            found = await self._replicas.having(question.position)
            if found is None or question.stays:  # it may have written something meanwhile
                question.stay()
            else:
                question.replica = found
            return question.replica

    def _stay(self) -> None:
        """Have the rest of the question read from the primary, which has what the question itself writes."""
        question = self._question.get()
        if question is not None:
            question.stay()

    async def fetch(self, name: str, params: Params | None = None) -> list[Row]:
        """Return the rows of one named statement, run on its own.

        A repeatable statement is tried again when the server was lost.

        Raises:
            BackendUnavailable: the server was lost; a statement that is not repeatable may or may not have run.
        """
        statement, planned_once = self.queries[name], self.queries.planned_once(name)
        on_replicas = self.queries.on_replicas(name)

        async def work(connection: Connection) -> list[Row]:
            if on_replicas:
                return await self.rows_of_sources(connection, statement, params, planned_once=planned_once)
            return await self._rows(connection, statement, params, planned_once=planned_once)

        if self.queries.writes_what_replicas_have(name):
            self._stay()
        if not self.queries.repeatable(name):
            return await self._once(work)
        return await self.reading(work, on_replicas=on_replicas)

    async def fetch_flushed(
        self, name: str, params: Params | None = None, *, unless: Callable[[list[Row]], bool]
    ) -> list[Row]:
        """Return the rows of a named read, once no crash can undo what it saw.

        If the server is lost in between, the read is repeated too: the crash may have undone what it returned.

        Args:
            name: the read.
            params: its parameters.
            unless: tells from the rows that nothing has to be flushed to the disk; else the `lsn` of each row is where
                the flush stands in the log.
        """
        planned_once = self.queries.planned_once(name)

        async def work(connection: Connection) -> list[Row]:
            rows = await self._rows(connection, self.queries[name], params, planned_once=planned_once)
            if unless(rows):
                return rows
            (flush,) = await self._rows(connection, self.queries["log_flush"], None, planned_once=planned_once)
            return [row | flush for row in rows]

        return await self.reading(work)

    async def heartbeat(self, name: str, params: Params | None = None) -> list[Row]:
        """Return the rows of a repeatable statement that renews a lease, on a connection that nothing else uses.

        Neither an exhausted pool nor a long statement delays it, so no living worker is mistaken for dead.

        Raises:
            BackendUnavailable: as for `fetch`.
        """
        return await self.reading(lambda connection: self._rows(connection, self.queries[name], params), heartbeat=True)

    async def read_sql(
        self,
        statement: LiteralString,
        params: Params | None = None,
        *,
        planned_once: bool = False,
        on_replicas: bool = False,
    ) -> list[Row]:
        """Return the rows of one read-only statement, run on its own; it is tried again when the server was lost.

        One that is `planned_once` is one of those that may run `on_replicas`.
        """

        async def work(connection: Connection) -> list[Row]:
            if on_replicas:
                return await self.rows_of_sources(connection, statement, params, planned_once=planned_once)
            return await self._rows(connection, statement, params)

        return await self.reading(work, on_replicas=on_replicas)

    async def rows_of_sources(
        self,
        connection: Connection,
        statement: LiteralString,
        params: Params | None,
        *,
        binary: bool = False,
        planned_once: bool = False,
        walks_graphs: bool = False,
        ranks: bool = False,
    ) -> list[Row]:
        """Return the rows of a read that is confined to the sources among its parameters.

        If these are all in one partition, only the tables of that one are read, by statements of its own. With
        `planned_once`, the first plan is kept; the setting for that goes along in the same message. A read that walks
        graphs of vectors is planned anew for its sources where that leaves out graphs of other partitions. One that
        `ranks` runs under the settings that rankings were measured with, which a direct connection has anyway.
        """
        sources = sources_of(params) if _partitions(connection) > 1 else []
        partition = await self._partition_of(connection, sources) if sources else None
        if partition is not None:
            statement = in_partition(statement, partition)
        # There are many statements then, each of which runs too seldom to wait until it has proved to be worth a plan.
        prepare = None if partition is None else True
        few = walks_graphs and partition is None and 0 < len(sources) < _partitions(connection)
        plans = _Plans.CHOSEN if not planned_once else _Plans.MADE_ANEW if few else _Plans.KEPT
        cursor = await self._run(connection, statement, params, plans, ranks=ranks, prepare=prepare, binary=binary)
        return await cursor.fetchall()

    async def _rows(
        self, connection: Connection, statement: LiteralString, params: Params | None, *, planned_once: bool = False
    ) -> list[Row]:
        """The rows of a statement that is a transaction of its own, unless the connection is in one."""
        plans = _Plans.KEPT if planned_once else _Plans.CHOSEN
        return await _fetched(await self._run(connection, statement, params, plans))

    async def _run(
        self,
        connection: Connection,
        statement: LiteralString,
        params: Params | None,
        plans: _Plans,
        *,
        ranks: bool = False,
        prepare: bool | None = None,
        binary: bool = False,
    ) -> AsyncCursor[DictRow]:
        """Run a statement; its settings go along in the same message, which is a transaction by itself.

        Behind a pooler, these are its time limit and, for one that `ranks`, those of rankings; nothing is prepared
        there, so each is planned anyway. A direct connection is told how to plan if its last statement differed.
        """
        settings: list[tuple[str, Params]] = []
        told: _Limited | None = None
        if isinstance(connection, _Limited) and not in_transaction(connection):
            if not connection.direct:
                settings.append(("statement_limit", {"milliseconds": f"{self._milliseconds():d}", "local": True}))
            elif connection.plans is not plans:
                settings.append(("plans_from_now", {"mode": plans}))
                told, connection.plans = connection, None
        if ranks and connection.prepare_threshold is None:
            settings.append(("search_settings", {"local": True}))
        if not settings:
            return await connection.execute(statement, params, prepare=prepare, binary=binary)

        async def send() -> AsyncCursor[DictRow]:
            for name, values in settings:
                await connection.execute(self.queries[name], values)
            return await connection.execute(statement, params, prepare=prepare, binary=binary)

        cursor = await in_one_message(connection, send)
        if told is not None:
            told.plans = plans
        return cursor

    async def _partition_of(self, connection: Connection, sources: Sequence[int]) -> int | None:
        """The number of the partition that holds all of some sources; None if there is no such one."""
        unknown = [source for source in sources if source not in self._places]
        if unknown:
            for row in await self._rows(connection, self.queries["partitions_of"], {"source_ids": int_array(unknown)}):
                self._places[row["source_id"]] = row["partition"]
        places = {self._places.get(source) for source in sources}
        return places.pop() if len(places) == 1 else None

    async def one(self, name: str, params: Params | None = None) -> Row | None:
        """Return the first row of a named statement, or None if there is none."""
        rows = await self.fetch(name, params)
        return rows[0] if rows else None

    async def language_named(self, name: str) -> str:
        """Return the language with that code or name, or the server's text search configuration with that name.

        Raises:
            InvalidArgument: there is neither; the message lists the existing ones.
        """
        language = language_named(name)
        if language is not None:
            return language
        configurations = [row["cfgname"] for row in await self.fetch("languages")]
        if name not in configurations:
            names = ", ".join(sorted({*configurations, *language_names()}))
            raise InvalidArgument(f"There is no language {name!r}; one of: {names}.", language=name)
        return name

    async def reading(
        self,
        work: "Callable[[Connection], Awaitable[list[Row]]]",
        *,
        heartbeat: bool = False,
        on_replicas: bool = False,
    ) -> list[Row]:
        """Run reads on one connection; with `heartbeat`, on the one reserved for heartbeats.

        `work` may run several times, so it must only read, or be repeatable. With `on_replicas`, it reads only what
        the replica of the question has too.
        """
        question = self._question.get() if on_replicas else None
        replica = None if question is None else await self._replica_for(question)
        if question is not None and replica is not None:
            rows = await self._read_from(question, replica, work)
            if rows is not None:
                return rows
        for _ in range(_REVIVALS):
            try:
                async with self._connection(heartbeat=heartbeat) as connection:
                    return await work(connection)
            except BackendUnavailable:
                if not await self.revive():
                    raise
        async with self._connection(heartbeat=heartbeat) as connection:
            return await work(connection)

    async def _read_from(
        self, question: _Question, replica: "Database", work: "Callable[[Connection], Awaitable[list[Row]]]"
    ) -> list[Row] | None:
        """Run reads on a replica; None if it is lost, or ended them to replay what they were in the way of."""
        try:
            with replica.within(self._seconds.get()):
                async with replica._connection() as connection:  # noqa: SLF001 - its own class
                    position = question.position
                    if position is None or await replica._has_replayed(connection, position):  # noqa: SLF001
                        return await work(connection)
                    question.stay()  # it lacks what a later ranking of the call is to see, or is another server
                    return None
        except (BackendUnavailable, ConfigurationError) as error:
            question.stay()
            if self._replicas is not None:
                self._replicas.failed(replica, error)
            return None

    async def has_replayed(self, position: LogPosition) -> bool:
        """Whether this is a replica that follows that timeline and has everything up to that place."""
        async with self._connection() as connection:
            return await self._has_replayed(connection, position)

    async def _has_replayed(self, connection: Connection, position: LogPosition) -> bool:
        """The same; asked only if it has not told so since the last connection was made: it never goes back."""
        if self._replayed is not None and self._replayed.reaches(position):
            return True
        params = {"timeline": position.timeline, "lsn": position.lsn}
        (row,) = await self._rows(connection, self.queries["replica_has"], params)
        if row["has"]:
            self._replayed = LogPosition(position.timeline, row["lsn"])
        return row["has"]

    async def _once(self, work: "Callable[[Connection], Awaitable[list[Row]]]") -> list[Row]:
        """Run a write on one connection; when that is lost, repair the others and let the caller decide what to do."""
        try:
            async with self._connection() as connection:
                return await work(connection)
        except BackendUnavailable:
            await self.revive()
            raise

    @asynccontextmanager
    async def transaction(self, *, durable: bool = True) -> AsyncGenerator[Connection, None]:
        """Run one transaction; if it is not durable, a crash of the server may lose all of it, but never a part."""
        self._stay()
        async with self._connection() as connection, self._transaction_on(connection):
            if not durable:
                await connection.execute(self.queries["commit_without_waiting"])
            yield connection

    @asynccontextmanager
    async def transaction_to_begin(self) -> AsyncGenerator[tuple[Connection, Sequence[LiteralString]], None]:
        """One transaction that is not durable, and the statements that begin it, to be sent with its first ones.

        It may commit by itself together with its last statements; otherwise it is committed at the end of the block, or
        taken back if that raises.
        """
        self._stay()
        async with self._connection() as connection:
            yield connection, (*self._begin(connection), self.queries["commit_without_waiting"])

    async def revive(self) -> bool:
        """Bring the server back if this process can, and discard dead connections; True if a retry is possible."""
        self.losses += 1
        if self._pool is None:
            return False
        async with self._recovering:
            pool = self._pool
            try:
                if self._recover is not None:
                    await asyncio.to_thread(self._recover)
                for each in filter(None, (pool, self._heartbeats)):
                    await each.check()
            except (CitemarkError, psycopg.Error):
                return False
        return True

    async def _configure(self, connection: _Limited) -> None:
        self._replayed = None  # whoever answers at this address now may be another one than before
        await register_vector_async(connection)
        connection.direct = not (await self._is_pooled(connection) if self._pooler is None else self._pooler)
        if connection.direct:
            connection.prepare_threshold = _PREPARED_AFTER
            await connection.execute(self.queries["search_settings"], {"local": False})
        (row,) = await _rows(connection, self.queries["index_divided"], None)
        connection.partitions = row["partitions"]
        if connection.prepared_max is not None:
            connection.prepared_max += _PREPARED_EACH * connection.partitions

    async def _is_pooled(self, connection: _Limited) -> bool:
        """Whether a pooler hands out another backend each time: it reports process ids of its own."""
        (row,) = await _rows(connection, self.queries["backend"], None)
        return row["pid"] != connection.info.backend_pid

    @asynccontextmanager
    async def _connection(self, *, heartbeat: bool = False) -> AsyncGenerator[Connection, None]:
        pool = self._heartbeats if heartbeat else self._pool
        if pool is None:
            raise BackendUnavailable("The database is not open yet; try again in a moment.")
        try:
            async with pool.connection() as connection:
                await self._limit(connection)
                yield connection
        except PoolTimeout:
            raise BackendUnavailable("No database connection became free; try again in a moment.") from None
        except psycopg.errors.QueryCanceled:
            seconds = self._seconds.get()
            message = f"The database did not finish within {seconds:g} seconds; try again, or ask for less."
            raise TimedOut(message, seconds=seconds) from None
        except (psycopg.DataError, psycopg.errors.ProgramLimitExceeded, UnicodeEncodeError) as error:
            raise UnacceptableValue(f"The database cannot take this text: {safe_message(error, self._dsn)}") from None
        except psycopg.errors.InsufficientPrivilege as error:
            raise ConfigurationError(
                f"The database's role may not do this ({safe_message(error, self._dsn)}). Have the owner of the index "
                "run `citemark migrate --writer ROLE`, and `--reader ROLE` for a role of database_read_urls."
            ) from None
        except (psycopg.errors.ReadOnlySqlTransaction, psycopg.errors.FeatureNotSupported):
            # A replica refuses writes by the former, and reads of the tables that it has not by the latter.
            message = "The database takes no changes at the moment, as after a failover; try again in a moment."
            raise BackendUnavailable(message) from None
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            if isinstance(error, psycopg.errors.DiskFull):
                message = "The disk of the database is full; free some space and try again. Nothing is lost."
                raise DiskFull(message) from None
            if isinstance(error, psycopg.errors.DeadlockDetected | psycopg.errors.SerializationFailure):
                raise BackendUnavailable("The database was busy with the same rows; try again.") from None
            raise BackendUnavailable(f"The database went away: {safe_message(error, self._dsn)}") from None

    async def _limit(self, connection: _Limited) -> None:
        """Set the time limit for each statement on a connection; behind a pooler, each transaction brings its own."""
        seconds = self._seconds.get()
        if connection.direct and connection.seconds != seconds:
            connection.seconds = math.nan  # unknown, if this is cancelled
            await connection.execute(
                self.queries["statement_limit"], {"milliseconds": f"{self._milliseconds():d}", "local": False}
            )
            connection.seconds = seconds

    def _milliseconds(self) -> int:
        return max(1, math.ceil(self._seconds.get() * 1000))

    def _begin(self, connection: Connection) -> Sequence[LiteralString]:
        """What begins a transaction of several statements, whose plans are for PostgreSQL to choose.

        Behind a pooler, their time limit goes along, too.
        """
        if isinstance(connection, _Limited) and not connection.direct:
            return "BEGIN", cast("LiteralString", f"{_LOCAL_LIMIT}{self._milliseconds():d}")
        if isinstance(connection, _Limited) and connection.plans is not _Plans.CHOSEN:
            return "BEGIN", _LOCAL_PLANS
        return ("BEGIN",)

    @asynccontextmanager
    async def _transaction_on(self, connection: Connection) -> AsyncGenerator[None]:
        """A new transaction; behind a pooler, the pool of connections ends it."""
        if isinstance(connection, _Limited) and not connection.direct:
            await connection.execute("; ".join(self._begin(connection)))  # one message, which takes no parameters
            yield
        else:
            async with connection.transaction():
                for statement in self._begin(connection)[1:]:
                    await connection.execute(statement)
                yield


def _partitions(connection: Connection) -> int:
    """Into how many partitions the index was divided when a connection was made; 0, if it is whole."""
    return connection.partitions if isinstance(connection, _Limited) else 0


def in_transaction(connection: Connection) -> bool:
    """Whether a transaction is open, so that settings have to be local: always the case behind a pooler."""
    return connection.info.transaction_status == TransactionStatus.INTRANS


async def _rows(connection: Connection, statement: LiteralString, params: Params | None) -> list[Row]:
    return await _fetched(await connection.execute(statement, params))


async def _fetched(cursor: AsyncCursor[DictRow]) -> list[Row]:
    if cursor.pgresult is None:
        raise psycopg.InterfaceError("the statement was not answered")  # which is not the same as no rows
    # Reading `cursor.description` instead would describe every column.
    return await cursor.fetchall() if cursor.pgresult.nfields else []
