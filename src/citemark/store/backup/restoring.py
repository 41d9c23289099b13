"""Puts a backup in the place of an index that is not there yet."""

import os
import shutil
import tarfile
import time
from pathlib import Path, PurePosixPath

import psycopg

from citemark.model.backup import Manifest
from citemark.model.errors import BackendUnavailable, ConfigurationError
from citemark.store.backup.client_programs import run_program
from citemark.store.backup.making import DUMP_FILES, PASSWORD_FILE
from citemark.store.conninfo import safe_message
from citemark.store.database import shipped_queries
from citemark.store.embedded.binaries import find_binaries, find_clients
from citemark.store.embedded.cluster import cluster_major
from citemark.store.embedded.data_folder import DataFolder, give_tree, make_private, sync_folder, write_whole
from citemark.store.embedded.diagnostics import explain_os_errors
from citemark.store.embedded.postmaster import exclusive_lock
from citemark.store.embedded.server_account import server_account
from citemark.store.migrate import migrations

_LOCK_SECONDS = 60.0
"""How long another process that starts the database is waited for."""

_VERSIONS_OF_A_MAJOR = 10_000
"""A server tells 180004 for 18.4."""


def check_schema(manifest: Manifest) -> None:
    """Refuse a backup of a newer version before anything is written.

    Raises:
        ConfigurationError: this version does not know its schema.
    """
    known = max(number for number, _, _ in migrations())
    if manifest.schema > known:
        raise ConfigurationError(
            f"This backup was made by Citemark {manifest.citemark}: its schema is {manifest.schema}, this version "
            f"knows {known}. Update Citemark, and restore it then.",
            schema=manifest.schema,
            known=known,
        )


def restore_cluster(manifest: Manifest, backup: Path, data_dir: Path) -> None:
    """Unpack the files of a cluster into a data folder that has none; the server recovers when it is started.

    An interrupted call leaves no cluster, and the next one begins anew.

    Raises:
        ConfigurationError: the folder has an index, or the server's version is not installed here.
        BackendUnavailable: the disk is full.
    """
    find_binaries(manifest.postgres)
    layout = DataFolder(data_dir.expanduser().resolve())
    with explain_os_errors(layout.data_dir):
        if not layout.home.is_dir():
            layout.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            make_private(layout.home)
        with exclusive_lock(layout.start_lock, time.monotonic() + _LOCK_SECONDS):
            if cluster_major(layout) is not None:
                raise ConfigurationError(
                    f"{layout.data_dir} holds an index already; set CITEMARK_DATA_DIR to an empty folder, or remove "
                    "the index with citemark uninstall."
                )
            account = server_account(layout)
            fresh = layout.unfinished_cluster
            if fresh.exists():
                shutil.rmtree(fresh)
            make_private(fresh)
            _unpack(backup / "base.tar", fresh)
            _unpack(backup / "pg_wal.tar", fresh / "pg_wal")
            write_whole(layout.password, (backup / PASSWORD_FILE).read_text("utf-8"))
            if account.switched:
                give_tree(fresh, before=(os.geteuid(),), uid=account.uid, gid=account.gid)
            fresh.rename(layout.cluster)
            sync_folder(layout.home)


async def restore_dump(manifest: Manifest, backup: Path, dsn: str) -> None:
    """Read a dump into an empty database, in one transaction.

    Raises:
        ConfigurationError: the database holds tables, or is older than the one that was dumped.
        BackendUnavailable: it does not answer, or refuses a part of the dump.
    """
    try:
        with psycopg.connect(dsn, connect_timeout=15) as connection:
            (empty,) = connection.execute(shipped_queries()["backup_holds_nothing"]).fetchone() or (False,)
            server = connection.info.server_version // _VERSIONS_OF_A_MAJOR
    except psycopg.Error as error:
        raise BackendUnavailable(f"The database does not answer: {safe_message(error, dsn)}") from None
    if not empty:
        raise ConfigurationError("The database holds tables already; name an empty one with CITEMARK_DATABASE_URL.")
    if manifest.postgres > server:
        raise ConfigurationError(
            f"The dump was made of PostgreSQL {manifest.postgres}, and this database is PostgreSQL {server}; restore "
            "it into a newer one."
        )
    command = [str(find_clients(server).restore), "--no-owner", "--no-privileges", "--single-transaction"]
    await run_program([*command, "--exit-on-error", "--no-password"], dsn, str(backup / DUMP_FILES[0]))


def _unpack(archive: Path, target: Path) -> None:
    """Unpack folders and regular files of a tar file, for their owner only; a cluster of ours has nothing else."""
    target.mkdir(mode=0o700, exist_ok=True)
    with tarfile.open(archive) as tar:
        for member in tar:
            path = PurePosixPath(member.name)
            if path.is_absolute() or ".." in path.parts or not (member.isdir() or member.isfile()):
                raise ConfigurationError(f"{archive} holds {member.name!r}, which no backup of an index has.")
            place = target / path
            content = tar.extractfile(member)
            if content is None:
                place.mkdir(mode=0o700, exist_ok=True)
                continue
            with content, place.open("xb") as file:
                shutil.copyfileobj(content, file, 2**20)
            place.chmod(0o600)
