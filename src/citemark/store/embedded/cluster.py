"""The cluster on disk: made once, in a folder that only gets its name when it is complete."""

import os
import secrets
import shutil
from pathlib import Path

from citemark.model.errors import ConfigurationError
from citemark.store.embedded.account import Account, initdb_account
from citemark.store.embedded.binaries import Binaries
from citemark.store.embedded.failures import server_failed
from citemark.store.embedded.files import give_tree, make_folder, sync_folder, write_whole
from citemark.store.embedded.layout import Layout
from citemark.store.embedded.locks import FileLock

ROLE = "citemark"
_PASSWORD_BYTES = 32
# A random 256-bit password gains nothing from slow hashing, and each connection would pay for it.
_SCRAM_ITERATIONS = 1


def cluster_major(layout: Layout) -> int | None:
    """The PostgreSQL version of the cluster, None without one.

    Raises:
        ConfigurationError: the folder holds something else.
    """
    try:
        return int((layout.cluster / "PG_VERSION").read_text(encoding="utf-8").strip())
    except FileNotFoundError:
        if layout.cluster.is_dir() and any(layout.cluster.iterdir()):
            raise _damaged(layout) from None
        return None
    except ValueError:
        raise _damaged(layout) from None


def read_password(layout: Layout) -> str:
    """The password of the role.

    Raises:
        ConfigurationError: the cluster is there, its password is not.
    """
    try:
        return layout.password.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        raise ConfigurationError(
            f"The password file {layout.password} is gone, and the index cannot be opened without it; restore it, "
            "or set CITEMARK_DATA_DIR to an empty folder and index again.",
            data_dir=str(layout.data_dir),
        ) from None


def create_cluster(layout: Layout, account: Account, binaries: Binaries, lock: FileLock) -> None:
    """Run initdb; what an earlier one left unfinished is thrown away.

    `lock` is the server's lock, held: initdb inherits it, so nobody sweeps up behind one that still runs.

    Raises:
        BackendUnavailable: initdb failed, or the disk is full.
    """
    fresh = layout.unfinished_cluster
    if fresh.exists():
        shutil.rmtree(fresh)
    maker = initdb_account(account)
    make_folder(fresh, uid=maker.uid, gid=maker.gid, mode=0o700)
    if not layout.password.exists():
        write_whole(layout.password, secrets.token_urlsafe(_PASSWORD_BYTES) + "\n")
    told = layout.home / "password.initdb"
    write_whole(told, read_password(layout) + "\n", uid=maker.uid, gid=maker.gid)
    try:
        _initdb(fresh, told, maker, binaries, lock, layout)
    finally:
        told.unlink(missing_ok=True)
    if maker != account:
        give_tree(fresh, before=(maker.uid,), uid=account.uid, gid=account.gid)
    fresh.rename(layout.cluster)
    sync_folder(layout.home)


def _initdb(fresh: Path, password: Path, account: Account, binaries: Binaries, lock: FileLock, layout: Layout) -> None:
    command = [
        str(binaries.initdb),
        f"--pgdata={fresh}",
        f"--username={ROLE}",
        f"--pwfile={password}",
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--locale=C",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--no-instructions",
        f"--set=scram_iterations={_SCRAM_ITERATIONS}",
    ]
    # The parser of words asks the system's character classes; not every system has these under this name.
    result = account.run([*command, "--lc-ctype=C.UTF-8"], keep=(lock.fd,))
    if result.returncode and "invalid locale name" in result.stdout:
        result = account.run(command, keep=(lock.fd,))
    if result.returncode:
        raise server_failed("PostgreSQL could not create its data directory", layout.data_dir, result.stdout)


def data_bytes(layout: Layout) -> int:
    """Bytes that the cluster takes on disk."""
    total = 0
    for folder, _, files in os.walk(layout.cluster):
        for name in files:
            try:
                total += (Path(folder) / name).lstat().st_blocks * 512
            except FileNotFoundError:  # a file that PostgreSQL removed meanwhile
                continue
    return total


def _damaged(layout: Layout) -> ConfigurationError:
    return ConfigurationError(
        f"{layout.cluster} holds no PostgreSQL cluster (PG_VERSION is missing or unreadable); restore it, "
        "or set CITEMARK_DATA_DIR to an empty folder and index again.",
        data_dir=str(layout.data_dir),
    )
