"""A server of PostgreSQL 16, which the package of the embedded one has too, as a company may run it."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager

from psycopg.conninfo import make_conninfo
from tests.support.postgres import reachable_folder
from tests.support.server_processes import end_server, wait_for_server

from citemark.store.embedded.binaries import find_binaries, reachable
from citemark.store.embedded.data_folder import DataFolder
from citemark.store.embedded.server_account import initdb_account, server_account

MAJOR = 16


@contextmanager
def server_of_16() -> Generator[str]:
    """The address of a new server, as its owner, without a password."""
    home, folder = reachable_folder(), reachable_folder()
    account = initdb_account(server_account(DataFolder(home)))
    programs = reachable(find_binaries(MAJOR), account, home)
    cluster, log = folder / "cluster", folder / "log"
    folder.chmod(0o700)
    if account.switched:
        shutil.chown(folder, account.uid, account.gid)
    making = [str(programs.initdb), "-D", str(cluster), "-U", "owner", "--auth=trust", "--no-sync", "-E", "UTF8"]
    made = account.run([*making, "--locale=C.UTF-8"])
    assert made.returncode == 0, made.stdout
    options = f"-c listen_addresses= -c unix_socket_directories='{folder}' -c fsync=off"
    account.run(["/bin/sh", "-c", f"'{programs.postgres}' -D '{cluster}' {options} >'{log}' 2>&1 &"])
    dsn = make_conninfo(host=str(folder), user="owner", dbname="postgres")
    try:
        wait_for_server(dsn, log)
        yield dsn
    finally:
        end_server(account, cluster)
        shutil.rmtree(folder)
        shutil.rmtree(home)
