"""A physical replica of an embedded server, made with pg_basebackup, which follows it over its socket."""

import shutil
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import LiteralString

import psycopg
from psycopg.conninfo import make_conninfo
from tests.support.patience import HANG_SECONDS
from tests.support.postgres import reachable_folder, remove_server
from tests.support.server_processes import end_server, wait_for_server

from citemark.store.embedded import EmbeddedPostgres
from citemark.store.embedded.binaries import find_binaries, reachable
from citemark.store.embedded.data_folder import DataFolder
from citemark.store.embedded.server_account import server_account

_PAUSE = 0.02  # seconds between two looks at what a server has done


@dataclass(frozen=True, slots=True)
class Replica:
    """A running replica of the server at `primary`; `log` has each statement that it was sent."""

    primary: str
    dsn: str
    log: Path

    def tell(self, statement: LiteralString) -> object:
        """The first value of a statement that the replica answers itself."""
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            return (connection.execute(statement).fetchone() or (None,))[0]

    def catch_up(self) -> None:
        """Wait until all that the primary has written is replayed, and known to be so."""
        with psycopg.connect(self.primary, autocommit=True) as connection:
            connection.execute("CHECKPOINT")  # which takes what was not waited for to the disk, too
            (lsn,) = connection.execute("SELECT pg_current_wal_flush_lsn()::text").fetchone() or ("",)
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            _until(connection, "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", (lsn,))

    def promote(self) -> None:
        """Make a primary of it, and wait until it is one."""
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            connection.execute("SELECT pg_promote(true)")
            _until(connection, "SELECT NOT pg_is_in_recovery()", ())

    def statements(self) -> str:
        """What it was sent so far."""
        return self.log.read_text("utf-8", "replace")


def _until(connection: psycopg.Connection, statement: LiteralString, params: tuple[object, ...]) -> None:
    deadline = time.monotonic() + HANG_SECONDS
    while connection.execute(statement, params).fetchone() != (True,):
        assert time.monotonic() < deadline, statement
        time.sleep(_PAUSE)


@contextmanager
def primary_with_replica() -> Generator[Replica]:
    """A server of its own and its replica."""
    root = reachable_folder()
    server = EmbeddedPostgres(root / "data")
    dsn = server.acquire()
    try:
        with replica_of(dsn, root / "data") as made:
            yield made
    finally:
        server.release()
        remove_server(root)


@contextmanager
def replica_of(primary: str, data_dir: Path) -> Generator[Replica]:
    """A replica of the server of a data folder, which runs at `primary`."""
    layout = DataFolder(data_dir.resolve())
    account = server_account(layout)
    programs = reachable(find_binaries(), account, layout.home)
    folder = reachable_folder()
    folder.chmod(0o700)
    if account.switched:
        shutil.chown(folder, account.uid, account.gid)
    cluster, log = folder / "cluster", folder / "log"
    copying = [str(find_binaries().basebackup), f"--dbname={primary}", f"--pgdata={cluster}"]
    copied = account.run([*copying, "--write-recovery-conf", "--checkpoint=fast"])
    assert copied.returncode == 0, copied.stderr
    told = {
        "config_file": layout.config,
        "data_directory": cluster,
        "unix_socket_directories": folder,
        "log_min_messages": "error",  # more than the settings of the primary let through
        "log_min_error_statement": "error",
        "log_statement": "all",
        "application_name": "replica",
    }
    options = [part for name, value in told.items() for part in ("-c", f"{name}={value}")]
    command = " ".join(f"'{part}'" for part in (str(programs.postgres), "-D", str(cluster), *options))
    account.run(["/bin/sh", "-c", f"{command} >'{log}' 2>&1 &"])
    replica = Replica(primary, make_conninfo(primary, host=str(folder)), log)
    try:
        wait_for_server(replica.dsn, log)
        yield replica
    finally:
        end_server(account, cluster)
        shutil.rmtree(folder, ignore_errors=True)
