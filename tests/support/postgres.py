"""A real PostgreSQL for tests: one server per run, a database of its own per test."""

import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from citemark.store.embedded import EmbeddedPostgres
from citemark.store.embedded.data_folder import DataFolder
from citemark.store.embedded.postmaster import server_processes

_PLENTY = 4 * 2**30  # bytes
_PREPARING = 7_203_311  # advisory lock under which a template database is made


def reachable_folder(name: str | None = None) -> Path:
    """A folder that the server's account can pass too (as root, pytest's own temporary folders are closed to it)."""
    base = _fast_base()
    if name is None:
        folder = Path(tempfile.mkdtemp(prefix="citemark-test-", dir=base))
    else:
        folder = base / name
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
            raise PermissionError(f"{folder} belongs to somebody else")
    folder.chmod(0o711)
    return folder


def _fast_base() -> Path:
    """Memory where there is plenty (a test that waits for a disk proves nothing more), else the temporary folder."""
    memory = Path("/dev/shm")
    try:
        found = os.statvfs(memory)
    except OSError:
        return Path(tempfile.gettempdir())
    plenty = found.f_bavail * found.f_frsize >= _PLENTY and not found.f_flag & os.ST_NOEXEC
    return memory if plenty and os.access(memory, os.W_OK) else Path(tempfile.gettempdir())


@contextmanager
def shared_server(root: Path) -> Generator[str, None, None]:
    """The server of `root` and its DSN; any number of test processes share it and the last one stops it."""
    server = EmbeddedPostgres(root / "data")
    dsn = server.acquire()
    try:
        yield dsn
    finally:
        server.release()


def remove_server(root: Path) -> None:
    """Stop whatever a killed run left in `root`, then delete the folder."""
    # Not asked by its status, which weighs every file of a thousand databases.
    if server_processes(DataFolder((root / "data").resolve()).cluster):
        server = EmbeddedPostgres(root / "data")
        server.acquire()
        server.release()
    shutil.rmtree(root, ignore_errors=True)


def fresh_database(dsn: str, template: str | None = None) -> str:
    """Create a database of a random name, as a copy of `template` when given; returns its DSN."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        return _created(connection, dsn, template)


class DatabaseCopies:
    """Copies of a template database, made over one connection, which costs as much as a copy."""

    def __init__(self, dsn: str, template: str) -> None:
        self._dsn = dsn
        self._template = template
        self._connection = psycopg.connect(dsn, autocommit=True)

    def fresh(self) -> str:
        """The DSN of a new copy."""
        return _created(self._connection, self._dsn, self._template)

    def drop(self, dsn: str) -> None:
        """Drop a copy and whoever is connected to it: a thousand would fill the memory that they lie in."""
        _drop(self._connection, dsn)

    def close(self) -> None:
        """Close the connection; copies that were not dropped stay."""
        self._connection.close()


def _created(connection: psycopg.Connection, dsn: str, template: str | None) -> str:
    name = f"t_{secrets.token_hex(8)}"
    source = sql.SQL(" TEMPLATE {}").format(sql.Identifier(template)) if template else sql.SQL("")
    connection.execute(sql.SQL("CREATE DATABASE {}{}").format(sql.Identifier(name), source))
    return database_at(dsn, name)


def template_database(dsn: str, name: str, prepare: Callable[[str], None]) -> str:
    """Have the template `name` exist, filled by `prepare(its DSN)` in the first process that asks; returns its name."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", (_PREPARING,))
        if connection.execute("SELECT FROM pg_database WHERE datname = %s", (name,)).fetchone() is None:
            unready = fresh_database(dsn)
            prepare(unready)
            old = str(conninfo_to_dict(unready)["dbname"])
            connection.execute(
                sql.SQL("ALTER DATABASE {} RENAME TO {}").format(sql.Identifier(old), sql.Identifier(name))
            )
    return name


def drop_database(dsn: str) -> None:
    """Drop the database that `dsn` names, and who is connected to it."""
    with psycopg.connect(database_at(dsn, "postgres"), autocommit=True) as connection:
        _drop(connection, dsn)


def _drop(connection: psycopg.Connection, dsn: str) -> None:
    name = str(conninfo_to_dict(dsn)["dbname"])
    connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def database_at(dsn: str, name: str) -> str:
    """The same server, another database."""
    return make_conninfo(dsn, dbname=name)
