"""A backup beside a server that sends none."""

from pathlib import Path

import pytest

from citemark.model.clock import system_clock
from citemark.model.errors import BackendUnavailable
from citemark.store.backup.making import make_backup
from citemark.store.embedded import EmbeddedPostgres, lifecycle
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
