"""Backups of the index that the settings name: a copy of the embedded cluster, or a dump of somebody's database."""

import asyncio
import os
import shutil
from dataclasses import replace
from pathlib import Path

from citemark.app.database_addresses import database_addresses
from citemark.folders import data_dir
from citemark.model.backup import Counts, Manifest
from citemark.model.clock import system_clock
from citemark.model.errors import ConfigurationError
from citemark.settings import Settings
from citemark.store.backup.making import counts_of, make_backup
from citemark.store.backup.manifest import read_manifest
from citemark.store.backup.restoring import check_schema, restore_cluster, restore_dump
from citemark.store.embedded import EmbeddedPostgres
from citemark.store.embedded.data_folder import DataFolder, make_private

KEY_FILES = ("secret.key", "http.token")
"""What opens the stored passwords, and the HTTP server: who holds them and the backup can read all of it."""


async def back_up(settings: Settings, folder: Path, keys: Path | None) -> Manifest:
    """Copy the index to a new folder while it is in use, and its keys to another one if that is given.

    Both paths are absolute.

    Raises:
        ConfigurationError: there is no index, or something is in the way.
        BackendUnavailable: the database does not answer, or the disk is full.
    """
    if keys is not None and _within(keys, folder):
        raise ConfigurationError("The keys must not lie in the backup that they open; name another folder with --keys.")
    if settings.database_url is not None:
        manifest = await make_backup(_conninfo(settings), folder, password=None, clock=system_clock)
    else:
        place = data_dir(settings.data_dir)
        server = EmbeddedPostgres(place)
        if server.status().major is None:
            raise ConfigurationError(f"There is no index in {place}, so there is nothing to back up.")
        dsn = await asyncio.to_thread(server.acquire)
        try:
            password = DataFolder(place).password
            manifest = await make_backup(dsn, folder, password=password, clock=system_clock)
        finally:
            await asyncio.to_thread(server.release)
    if keys is not None:
        _copy_keys(data_dir(settings.data_dir), keys)
    return manifest


async def restore(settings: Settings, folder: Path, keys: Path | None) -> Manifest:
    """Put a backup where the settings say that the index is, which must be empty; its keys too if they are given.

    Returns:
        The manifest, with the counts of what has been restored.

    Raises:
        ConfigurationError: the backup is not whole or too new, or there is an index already.
        BackendUnavailable: the database does not answer, or the disk is full.
    """
    manifest = await asyncio.to_thread(read_manifest, folder)
    check_schema(manifest)
    place = data_dir(settings.data_dir)
    if settings.database_url is not None:
        if manifest.kind == "cluster":
            raise ConfigurationError(
                "This is a backup of the database that Citemark runs by itself; leave CITEMARK_DATABASE_URL out to "
                "restore it."
            )
        await restore_dump(manifest, folder, _conninfo(settings))
        counts = await asyncio.to_thread(_counts, _conninfo(settings))
    else:
        if manifest.kind == "cluster":
            await asyncio.to_thread(restore_cluster, manifest, folder, place)
        server = EmbeddedPostgres(place)
        dsn = await asyncio.to_thread(server.acquire)
        try:
            if manifest.kind == "dump":
                await restore_dump(manifest, folder, dsn)
            counts = await asyncio.to_thread(_counts, dsn)
        finally:
            await asyncio.to_thread(server.release)
    if keys is not None:
        _copy_keys(keys, place)
    return replace(manifest, counts=counts)


def _counts(dsn: str) -> Counts:
    return counts_of(dsn)[1]


def _conninfo(settings: Settings) -> str:
    addresses = database_addresses(settings)
    if addresses is None:
        raise ConfigurationError("CITEMARK_DATABASE_URL is not set.")
    return addresses.direct  # pg_dump prepares the session that it then reads in


def _within(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def _copy_keys(source: Path, target: Path) -> None:
    """Copy the keys, for their owner only; one that is there already stays."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        make_private(target)
        for name in KEY_FILES:
            if (source / name).exists() and not (target / name).exists():
                fd = os.open(target / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
                with os.fdopen(fd, "wb") as file, (source / name).open("rb") as content:
                    shutil.copyfileobj(content, file)
    except OSError as error:
        raise ConfigurationError(f"The keys cannot be copied to {target} ({error.strerror}).") from None
