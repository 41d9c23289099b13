"""Makes a backup of an index while it is in use."""

import asyncio
import re
import shutil
from pathlib import Path

import psycopg

from citemark import __version__
from citemark.model.backup import Counts, Kind, Manifest
from citemark.model.citation import iso
from citemark.model.clock import Clock
from citemark.model.errors import BackendUnavailable, ConfigurationError
from citemark.store.backup.client_programs import run_program
from citemark.store.backup.manifest import FILE, described, write_manifest
from citemark.store.conninfo import safe_message
from citemark.store.database import shipped_queries
from citemark.store.embedded.binaries import find_binaries, find_clients
from citemark.store.embedded.data_folder import make_private, sync_folder

CLUSTER_FILES = ("base.tar", "pg_wal.tar", "backup_manifest")
PASSWORD_FILE = "password"  # noqa: S105 - a file's name
DUMP_FILES = ("index.dump",)
_WRITTEN = (*CLUSTER_FILES, PASSWORD_FILE, *DUMP_FILES, FILE)
"""All that a backup's folder may hold: what an interrupted one left is removed file by file, never anything else."""

_FULL = re.compile(r"max_wal_senders\W*\(currently (?P<senders>\d+)\)")
"""How PostgreSQL says in English, the language of all its messages here, that it sends no further copy."""


async def make_backup(dsn: str, folder: Path, *, password: Path | None, clock: Clock) -> Manifest:
    """Copy an index to a new folder, which appears once it is complete.

    Args:
        dsn: the database of the index.
        folder: of the backup; nothing, or an empty folder, may be there.
        password: the file of the embedded server's password: the cluster is copied; None writes a dump.
        clock: says when the copy began.

    Raises:
        ConfigurationError: there is something at the folder, the database is empty or too new for the programs here.
        BackendUnavailable: the database does not answer, or the disk is full.
    """
    _free(folder)
    made_at, kind = iso(clock()), "dump" if password is None else "cluster"
    schema, counts, major = await asyncio.to_thread(counts_of, dsn)
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    try:
        unfinished.parent.mkdir(parents=True, exist_ok=True)
        make_private(unfinished)
        _remove_files(unfinished)
        names = await _copy(kind, dsn, unfinished, major)
        if password is not None:
            shutil.copyfile(password, unfinished / PASSWORD_FILE)
            (unfinished / PASSWORD_FILE).chmod(0o600)
            names = (*names, PASSWORD_FILE)
        files = await asyncio.to_thread(described, unfinished, names)
        manifest = Manifest(kind, made_at, __version__, major, schema, counts, files)
        write_manifest(manifest, unfinished)
        _put_in_place(unfinished, folder)
    except OSError as error:
        raise BackendUnavailable(f"The backup could not be written: {error.strerror} ({unfinished}).") from None
    return manifest


async def _copy(kind: Kind, dsn: str, folder: Path, major: int) -> tuple[str, ...]:
    if kind == "cluster":
        binaries = find_binaries(major)
        command = [str(binaries.basebackup), f"--pgdata={folder}", "--format=tar", "--wal-method=stream"]
        try:
            await run_program([*command, "--checkpoint=fast", "--no-password"], dsn)
        except BackendUnavailable as error:
            raise _without_senders(error) from None
        return CLUSTER_FILES
    binaries = find_clients(major)
    command = [str(binaries.dump), "--format=custom", "--no-owner", "--no-privileges", "--no-unlogged-table-data"]
    await run_program([*command, "--no-password", f"--file={folder / DUMP_FILES[0]}"], dsn)
    return DUMP_FILES


def _without_senders(error: BackendUnavailable) -> BackendUnavailable:
    """What to do where the server sends no copy, or no further one; any other error as it is."""
    full = _FULL.search(error.message)
    if full is None:
        return error
    if full["senders"] == "0":
        return BackendUnavailable(
            "The running database was started by an earlier version of Citemark and sends no backups; end it with "
            "`citemark stop --all`, then back up again."
        )
    return BackendUnavailable("Another backup is being made; back up again when it has ended.")


def counts_of(dsn: str) -> tuple[int, Counts, int]:
    """The number of the schema, what the index holds, and the server's major version.

    Raises:
        ConfigurationError: the database holds no index.
        BackendUnavailable: it does not answer.
    """
    try:
        with psycopg.connect(dsn, connect_timeout=15) as connection:
            row: tuple[int, ...] | None = connection.execute(shipped_queries()["backup_counts"]).fetchone()
    except psycopg.errors.UndefinedTable:
        row = None
    except psycopg.Error as error:
        raise BackendUnavailable(f"The database does not answer: {safe_message(error, dsn)}") from None
    if row is None or not row[0]:
        raise ConfigurationError("There is no index here yet, so there is nothing to back up.")
    schema, sources, documents, revisions, passwords, major = row
    return schema, Counts(sources, documents, revisions, passwords), major


def _free(folder: Path) -> None:
    if folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
        raise ConfigurationError(f"There is something at {folder} already; name a folder that does not exist yet.")


def _put_in_place(unfinished: Path, folder: Path) -> None:
    if folder.exists():
        folder.rmdir()
    unfinished.rename(folder)
    sync_folder(folder.parent)


def _remove_files(unfinished: Path) -> None:
    """Remove what an earlier backup to the same place left when it was interrupted."""
    for name in _WRITTEN:
        (unfinished / name).unlink(missing_ok=True)
    if any(unfinished.iterdir()):
        raise ConfigurationError(f"{unfinished} holds files that are not of a backup; move them away.")
