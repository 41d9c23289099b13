"""The few things that the embedded server is asked over a connection."""

import time
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from citemark.store.embedded.cluster import ROLE

DATABASE = "citemark"
_MAINTENANCE = "postgres"
_CONNECT_TIMEOUT = 5  # seconds; libpq waits no less than 2
_LINGER = 0.5  # seconds that the backend of a connection just closed may take to go
_PAUSE = 0.01


def conninfo(sockets: Path, port: int, password: str, database: str = DATABASE) -> str:
    """The libpq connection string of one database of the server."""
    return make_conninfo(
        "",
        host=str(sockets),
        port=port,
        user=ROLE,
        password=password,
        dbname=database,
        connect_timeout=_CONNECT_TIMEOUT,
    )


def server_version(dsn: str) -> str | None:
    """The version that the server at `dsn` names, None where it takes no connection."""
    try:
        with psycopg.connect(dsn, autocommit=True) as connection:
            return connection.info.parameter_status("server_version")
    except psycopg.Error:
        return None


def create_database(sockets: Path, port: int, password: str) -> None:
    """Create the one database if it is not there.

    Raises:
        psycopg.Error: the server does not answer, or refuses.
    """
    with psycopg.connect(conninfo(sockets, port, password, _MAINTENANCE), autocommit=True) as connection:
        if connection.execute("SELECT FROM pg_database WHERE datname = %s", (DATABASE,)).fetchone() is None:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))


def others_connected(sockets: Path, port: int, password: str) -> bool:
    """Whether a client besides this question is connected, now and still after a short while.

    Raises:
        psycopg.Error: the server does not answer.
    """
    question = "SELECT FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() LIMIT 1"
    deadline = time.monotonic() + _LINGER
    with psycopg.connect(conninfo(sockets, port, password, _MAINTENANCE), autocommit=True) as connection:
        while connection.execute(question).fetchone() is not None:
            if time.monotonic() >= deadline:
                return True
            time.sleep(_PAUSE)
    return False
