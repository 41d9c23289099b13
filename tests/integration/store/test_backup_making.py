"""Backups of servers that send none, and of servers older than the one that comes with Citemark."""

from pathlib import Path

import psycopg
import pytest
from tests.support.index import Index
from tests.support.old_postgres import server_of_16
from tests.support.postgres import fresh_database

from citemark.model.clock import system_clock
from citemark.model.errors import BackendUnavailable, ConfigurationError
from citemark.store.backup.making import make_backup
from citemark.store.backup.restoring import restore_dump
from citemark.store.database import Database
from citemark.store.embedded import EmbeddedPostgres, lifecycle
from citemark.store.embedded.binaries import find_clients
from citemark.store.embedded.cluster import server_settings
from citemark.store.embedded.data_folder import DataFolder
from citemark.store.migrate import migrate


@pytest.mark.parametrize(
    ("senders", "advice"),
    [
        (0, r"started by an earlier version of Citemark and sends no backups; end it with `citemark stop --all`"),
        (1, r"Another backup is being made; back up again when it has ended\."),
    ],
)
async def test_a_backup_that_the_running_server_does_not_send_says_what_to_do(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, senders: int, advice: str
) -> None:
    def fewer(*, cluster: Path, access: Path, sockets: Path) -> str:
        written = server_settings(cluster=cluster, access=access, sockets=sockets)
        return f"{written}max_wal_senders = {senders}\n"

    monkeypatch.setattr(lifecycle, "server_settings", fewer)
    server = EmbeddedPostgres(data_dir)
    dsn = server.acquire()
    try:
        migrate(dsn)
        with pytest.raises(BackendUnavailable, match=advice):
            await make_backup(
                dsn, data_dir.parent / "backup", password=DataFolder(data_dir).password, clock=system_clock
            )
    finally:
        server.release()
    assert not (data_dir.parent / "backup").exists()


async def test_a_dump_is_read_into_a_server_of_the_version_that_it_was_made_of(dsn: str, tmp_path: Path) -> None:
    """Programs of version 18 would set what 16 does not know, and write what its programs cannot read."""
    with server_of_16() as server:
        old = fresh_database(server)
        migrate(old)
        await fill(old)
        await fill(dsn)
        of_16 = await make_backup(old, tmp_path / "of-16", password=None, clock=system_clock)
        of_18 = await make_backup(dsn, tmp_path / "of-18", password=None, clock=system_clock)
        copy, newer = fresh_database(server), fresh_database(dsn)
        for empty in (copy, newer):
            await restore_dump(of_16, tmp_path / "of-16", empty)
            assert texts(empty) == texts(old) == ["# A\nThe boiler is warm."]
        with pytest.raises(ConfigurationError, match=r"made of PostgreSQL 18, and this database is PostgreSQL 16"):
            await restore_dump(of_18, tmp_path / "of-18", fresh_database(server))


async def fill(dsn: str) -> None:
    """Index one document."""
    database = Database(dsn, pool_size=2)
    await database.open()
    try:
        index = Index(database)
        await index.put(await index.source("docs"), "a.md", "# A\nThe boiler is warm.")
    finally:
        await database.close()


def texts(dsn: str) -> list[str]:
    """The texts of all revisions."""
    with psycopg.connect(dsn) as connection:
        return [row[0] for row in connection.execute("SELECT body FROM revision ORDER BY revision_id")]


def test_a_server_newer_than_all_programs_here_is_not_copied_by_them() -> None:
    with pytest.raises(ConfigurationError, match=r"PostgreSQL 99, and programs of version \d+ cannot copy it"):
        find_clients(99)
