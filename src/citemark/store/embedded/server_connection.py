"""Reaching the embedded server: the folder of its socket, and the few statements that starting and stopping need.

The system limits the path of a socket to about a hundred bytes, so the folder may have to be elsewhere.
"""

import hashlib
import os
import stat
import tempfile
import time
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from citemark.model.errors import BackendUnavailable
from citemark.store.embedded.cluster import MAX_CONNECTIONS, PORT, ROLE
from citemark.store.embedded.data_folder import DataFolder, make_folder
from citemark.store.embedded.server_account import ServerAccount

DATABASE = "citemark"
_MAINTENANCE = "postgres"
_CONNECT_TIMEOUT = 5  # seconds; libpq waits no less than 2
_LIMITED = "-c statement_timeout=60000"  # milliseconds; creating a database takes a tenth of a second
_TOO_MANY = "too many clients already"  # libpq passes on no SQLSTATE of a refused connection
_LINGER = 0.5  # seconds that the backend of a connection just closed may take to exit
_PAUSE = 0.01  # seconds between two checks
_LONGEST = 103  # bytes of a socket's path on the strictest system (macOS; Linux has 107)
_SPECIAL = frozenset(",\"'\\\n")  # characters with a meaning in lists of folders and hosts


def socket_file(folder: Path) -> Path:
    """The socket inside its folder."""
    return folder / f".s.PGSQL.{PORT}"


def socket_folder(layout: DataFolder, account: ServerAccount) -> Path:
    """An empty private folder for the socket: in the data folder, or a short one elsewhere if that path is too long.

    An existing short folder is used only if no other account can have put anything there.
    """
    if _fits(layout.run):
        make_folder(layout.run, uid=account.uid, gid=account.gid, mode=0o700)
        folder = layout.run
    else:
        folder = _short_folder(layout, account)
    for stale in folder.glob(".s.PGSQL.*"):
        stale.unlink(missing_ok=True)
    return folder


def _fits(folder: Path) -> bool:
    path = str(socket_file(folder))
    return len(os.fsencode(path)) <= _LONGEST and not _SPECIAL.intersection(path)


def _short_folder(layout: DataFolder, account: ServerAccount) -> Path:
    digest = hashlib.sha256(os.fsencode(layout.data_dir)).hexdigest()[:16]
    base = _short_base(account)
    folder = base / f"citemark-{account.uid}-{digest}"
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        if not _private(folder, account):
            folder = Path(tempfile.mkdtemp(prefix="citemark-", dir=base))
    if account.switched:
        os.chown(folder, account.uid, account.gid, follow_symlinks=False)
    return folder


def _short_base(account: ServerAccount) -> Path:
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR") or "/nonexistent")
    if not account.switched and _fits(runtime / ("x" * 40)) and runtime.is_absolute() and _private(runtime, account):
        return runtime
    return Path("/tmp")  # noqa: S108 - the folder inside is created exclusively or verified


def _private(folder: Path, account: ServerAccount) -> bool:
    try:
        status = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == account.uid and not stat.S_IMODE(status.st_mode) & 0o077


def server_conninfo(sockets: Path, port: int, password: str, database: str = DATABASE) -> str:
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


class AllConnectionsTaken(BackendUnavailable):
    """The server runs, but other clients have all of its connections."""

    def __init__(self) -> None:
        super().__init__(
            f"The database is running, but all of its {MAX_CONNECTIONS} connections are taken; try again in a moment, "
            "or end some of the programs that use this index.",
        )


def server_version(dsn: str) -> str | None:
    """The version that the server at `dsn` reports, or None if it does not answer.

    Raises:
        AllConnectionsTaken: it answers that it accepts no more connections.
    """
    try:
        with _connect(dsn) as connection:
            return connection.info.parameter_status("server_version")
    except psycopg.Error:
        return None


def _connect(dsn: str, options: str | None = None) -> psycopg.Connection:
    try:
        return psycopg.connect(dsn, autocommit=True, options=options)
    except psycopg.OperationalError as error:
        if _TOO_MANY in str(error):
            raise AllConnectionsTaken from None
        raise


def create_database(sockets: Path, port: int, password: str) -> None:
    """Create the one database if it does not exist.

    Raises:
        AllConnectionsTaken: the server accepts no more connections.
        psycopg.Error: the server does not answer, or refuses.
    """
    conninfo = server_conninfo(sockets, port, password, _MAINTENANCE)
    with _connect(conninfo, _LIMITED) as connection:
        if connection.execute("SELECT FROM pg_database WHERE datname = %s", (DATABASE,)).fetchone() is None:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))


def others_connected(sockets: Path, port: int, password: str) -> bool:
    """Whether another client is connected, now and still after a short while.

    Raises:
        psycopg.Error: the server does not answer.
    """
    question = "SELECT FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() LIMIT 1"
    deadline = time.monotonic() + _LINGER
    conninfo = server_conninfo(sockets, port, password, _MAINTENANCE)
    with psycopg.connect(conninfo, autocommit=True, options=_LIMITED) as connection:
        while connection.execute(question).fetchone() is not None:
            if time.monotonic() >= deadline:
                return True
            time.sleep(_PAUSE)
    return False
