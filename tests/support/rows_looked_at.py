"""What the statements of a test cost, in rows rather than in time."""

import time

import psycopg


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
