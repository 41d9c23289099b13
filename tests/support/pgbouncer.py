"""Debian's PgBouncer in transaction mode, in front of a PostgreSQL of the tests."""

import os
import shutil
import signal
import socket
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from tests.support.debian_programs import started
from tests.support.patience import HANG_SECONDS
from tests.support.postgres import reachable_folder

_PORT = 6432  # of a socket in a folder of its own, so that it is never taken

_SETTINGS = "pgbouncer.ini"
_PID_FILE = "pgbouncer.pid"

_PAUSE = 0.05  # seconds between two attempts to connect


@contextmanager
def pgbouncer(dsn: str, *, connections: int = 3, certified: tuple[Path, Path] | None = None) -> Generator[str]:
    """How to connect to the server of `dsn` through a pooler, which has a few `connections` to each database.

    The clients share these, so that whatever one of them leaves behind in a session reaches the next one. With the
    files of a certificate for 127.0.0.1 and of its key, the pooler listens there and accepts TLS alone.
    """
    given = conninfo_to_dict(dsn)
    sockets = Path(str(given["host"]))
    owner = (sockets.stat().st_uid, sockets.stat().st_gid)
    folder = reachable_folder()
    port = _PORT if certified is None else _free_port()
    tls = (
        []
        if certified is None
        else [
            "client_tls_sslmode = require",
            f"client_tls_cert_file = {folder}/server.pem",
            f"client_tls_key_file = {folder}/server.key",
        ]
    )
    written = {
        "users.txt": f'"{given["user"]}" "{given["password"]}"\n',
        _SETTINGS: "\n".join(
            [
                "[databases]",
                _leading_to(dsn),
                "[pgbouncer]",
                f"pidfile = {folder}/{_PID_FILE}",
                "pool_mode = transaction",
                "auth_type = scram-sha-256",
                f"auth_file = {folder}/users.txt",
                "listen_addr =" if certified is None else "listen_addr = 127.0.0.1",
                f"listen_port = {port}",
                *tls,
                f"unix_socket_dir = {folder}",
                f"default_pool_size = {connections}",
                "max_client_conn = 200",
                "server_login_retry = 1",
                "",
            ]
        ),
    }
    try:
        for name, text in written.items():
            (folder / name).write_text(text)
        for name, file in zip(("server.pem", "server.key"), certified or (), strict=False):
            (folder / name).write_bytes(file.read_bytes())
        if os.geteuid() == 0:
            for each in (folder, *folder.iterdir()):
                os.chown(each, *owner)
        log = folder / "pgbouncer.log"
        process = started("pgbouncer", "-q", f"{folder}/{_SETTINGS}", folder=folder, owner=owner, log=log)
        try:
            given = {} if certified is None else {"sslmode": "verify-full", "sslrootcert": str(folder / "server.pem")}
            pooled = make_conninfo(dsn, host="127.0.0.1" if certified else str(folder), port=port, **given)
            _wait_for(pooled, log)
            yield pooled
        finally:
            process.terminate()
            process.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return opened.getsockname()[1]


def lead_to(pooled: str, dsn: str) -> None:
    """Have a running pooler lead to another server from now on, as a failover does.

    Args:
        pooled: how to connect through the pooler.
        dsn: the server, with the same role and password as the one before.
    """
    folder = Path(str(conninfo_to_dict(pooled)["host"]))
    settings = folder / _SETTINGS
    first, _, rest = settings.read_text().split("\n", 2)
    settings.write_text(f"{first}\n{_leading_to(dsn)}\n{rest}")
    os.kill(int((folder / _PID_FILE).read_text()), signal.SIGHUP)


def _leading_to(dsn: str) -> str:
    given = conninfo_to_dict(dsn)
    return f"* = host={given['host']} port={given['port']}"


def _wait_for(dsn: str, log: Path) -> None:
    deadline = time.monotonic() + HANG_SECONDS
    while True:
        try:
            psycopg.connect(dsn, connect_timeout=10).close()
        except psycopg.OperationalError as error:
            if time.monotonic() > deadline:
                raise AssertionError(f"{error}; {log.read_text()}") from error
            time.sleep(_PAUSE)
        else:
            return
