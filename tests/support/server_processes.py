"""Servers of PostgreSQL that a test starts beside the embedded one: waited for, and ended."""

import time
from pathlib import Path

import psycopg
from tests.support.patience import HANG_SECONDS

from citemark.store.embedded.postmaster import server_processes
from citemark.store.embedded.server_account import ServerAccount

_PAUSE = 0.02


def wait_for_server(dsn: str, log: Path) -> None:
    """Wait until a server answers; what it wrote to its log is said if it never does."""
    deadline = time.monotonic() + HANG_SECONDS
    while True:
        try:
            psycopg.connect(dsn).close()
        except psycopg.OperationalError as error:
            if time.monotonic() > deadline:
                raise AssertionError(f"{error}: {log.read_text('utf-8', 'replace')}") from error
            time.sleep(_PAUSE)
        else:
            return


def end_server(account: ServerAccount, cluster: Path) -> None:
    """End the processes of a server at once, as a crash would, and wait until none is left."""
    for pid in server_processes(cluster):
        account.run(["/bin/kill", "-QUIT", str(pid)])
    deadline = time.monotonic() + HANG_SECONDS
    while server_processes(cluster):
        assert time.monotonic() < deadline
        time.sleep(_PAUSE)
