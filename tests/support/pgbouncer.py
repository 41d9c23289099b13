"""Debian's PgBouncer in transaction mode, in front of a PostgreSQL of the tests."""

import os
import shutil
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

_PAUSE = 0.05  # seconds between two attempts to connect


@contextmanager
def pgbouncer(dsn: str, *, connections: int = 3) -> Generator[str]:
    """How to connect to the server of `dsn` through a pooler, which has a few `connections` to each database.

    The clients share these, so that whatever one of them leaves behind in a session reaches the next one.
    """
    given = conninfo_to_dict(dsn)
    sockets = Path(str(given["host"]))
    owner = (sockets.stat().st_uid, sockets.stat().st_gid)
    folder = reachable_folder()
    written = {
        "users.txt": f'"{given["user"]}" "{given["password"]}"\n',
        "pgbouncer.ini": "\n".join(
            [
                "[databases]",
                f"* = host={sockets} port={given['port']}",
                "[pgbouncer]",
                "pool_mode = transaction",
                "auth_type = scram-sha-256",
                f"auth_file = {folder}/users.txt",
                "listen_addr =",
                f"listen_port = {_PORT}",
                f"unix_socket_dir = {folder}",
                f"default_pool_size = {connections}",
                "max_client_conn = 200",
                "",
            ]
        ),
    }
    try:
        for name, text in written.items():
            (folder / name).write_text(text)
        if os.geteuid() == 0:
            for each in (folder, *folder.iterdir()):
                os.chown(each, *owner)
        log = folder / "pgbouncer.log"
        process = started("pgbouncer", "-q", f"{folder}/pgbouncer.ini", folder=folder, owner=owner, log=log)
        try:
            pooled = make_conninfo(dsn, host=str(folder), port=_PORT)
            _wait_for(pooled, log)
            yield pooled
        finally:
            process.terminate()
            process.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


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
