"""What the statements of a test cost, in rows rather than in time."""

import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import psycopg

from citemark.store.database import Database

WITH_DOCUMENTS = b"""
WITH d AS (INSERT INTO document (source_id, doc_type, native_id, valid_from)
           SELECT s.source_id, 'docs_page', 'x' || g, '2026-01-01'
           FROM source s, generate_series(%(start)s::int, %(end)s::int) g
           RETURNING source_id, document_id, native_id, valid_from),
     i AS (INSERT INTO item (source_id, doc_type, native_id, wanted_version, indexed_version)
           SELECT source_id, 'docs_page', native_id, 'v', 'v' FROM d)"""
"""The beginning of a statement that makes documents, `d`, which the ledger has; what they consist of is to follow."""


def rows_looked_at(dsn: str, table: str = "%") -> int:
    """Rows that all connections to a database read of its tables, once they are closed and have told so."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        while connection.execute(
            "SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            " AND backend_type = 'client backend'"
        ).fetchone():
            time.sleep(0.01)
        row = connection.execute(
            "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint FROM pg_stat_user_tables"
            " WHERE relname LIKE %s",
            (table,),
        ).fetchone()
    assert row is not None
    return int(row[0])


@asynccontextmanager
async def opened(dsn: str) -> AsyncGenerator[Database, None]:
    """The database, with connections of its own that end with the block."""
    database = Database(dsn, pool_size=2)
    await database.open()
    try:
        yield database
    finally:
        await database.close()


async def rows_beside(dsn: str, further: bytes, numbers: range, ask: Callable[[Database], Awaitable[None]]) -> int:
    """Rows that `ask` reads beside further documents, of which those of these numbers are made now.

    Args:
        dsn: the database.
        further: the statement that makes documents; its parameters `start` and `end` are the first and the last number.
        numbers: those of the documents.
        ask: what is counted.
    """
    async with opened(dsn) as database:
        async with database.transaction() as connection:
            await connection.execute(further, {"start": numbers[0], "end": numbers[-1]})
        async with database.transaction() as connection:
            await connection.execute("ANALYZE")
    before = rows_looked_at(dsn)
    async with opened(dsn) as database:
        await ask(database)
    return rows_looked_at(dsn) - before
