"""Indexes that earlier states of the program made are opened by today's, even if the upgrade is killed on its way."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from tests.integration.store.catalog import catalog_of
from tests.support.patience import HANG_SECONDS
from tests.support.postgres import fresh_database

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.services.requests import Caller, SearchRequest
from citemark.settings import Settings
from citemark.store.migrate import migrate

DUMPS = sorted((Path(__file__).resolve().parents[2] / "data" / "indexes").glob("schema-*.sql"))
PAGES = {
    "pump.md": "# Pump\n\nThe pump of line 3 reaches thirty bar.\n\nSee [[valve]].\n\n"
    "## Since\n\nThe second version says forty bar.\n",
    "valve.md": "# Valve\n\nThe valve of the pump opens at nine bar.\n",
    "table.csv": "name,bar\nboiler,12\nkettle,2\n",
}
"""What the folder of each dumped index held."""


def restored(server_dsn: str, dump: Path, folder: Path) -> str:
    """A new database with an old index, whose source is `folder`."""
    dsn = fresh_database(server_dsn)
    with psycopg.connect(dsn) as connection:
        connection.execute(dump.read_bytes())
        connection.execute("SET search_path TO public")
        connection.execute("UPDATE source SET config = jsonb_set(config, '{root}', to_jsonb(%s::text))", (str(folder),))
    return dsn


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in PAGES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.requirement("old-indexes-open")
@pytest.mark.parametrize("dump", DUMPS, ids=lambda dump: dump.stem)
def test_an_index_of_an_earlier_state_answers_and_is_brought_up_to_date(
    server_dsn: str, dump: Path, folder: Path
) -> None:
    dsn = restored(server_dsn, dump, folder)
    settings = Settings(database_url=dsn, data_dir=folder / "data")  # pyright: ignore[reportArgumentType]

    async def asked() -> tuple[list[str], list[str]]:
        async with open_app(settings) as app:
            (source,) = await app.sources.all()
            before = await found(app, "At how many bar does the valve open?")
            await app.sync({source.source_id: source})
            return before, await found(app, "What does the second version say?")

    before, after = asyncio.run(asked())
    assert any("nine bar" in text for text in before)
    assert any("forty bar" in text for text in after)


async def found(app: App, question: str) -> list[str]:
    page = await app.services.search.find(Caller.local(), SearchRequest(question, min_score=0.0))
    return [hit.preview for hit in page.hits]


@pytest.mark.requirement("killed-upgrades-continue")
@pytest.mark.parametrize("table", ["document", "revision", "passage"])
def test_an_upgrade_that_is_killed_at_a_statement_is_done_by_the_next_command(
    server_dsn: str, folder: Path, table: str
) -> None:
    dsn, undisturbed = (restored(server_dsn, DUMPS[0], folder) for _ in range(2))
    with psycopg.connect(dsn) as blocker, psycopg.connect(dsn, autocommit=True) as watcher:
        blocker.execute(sql.SQL("LOCK TABLE {}").format(sql.Identifier(table)))
        code = f"from citemark.store.migrate import migrate; migrate({dsn!r})"
        process = subprocess.Popen([sys.executable, "-c", code], env=os.environ)
        waits = "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = %s::regclass)"
        end = time.monotonic() + HANG_SECONDS
        while watcher.execute(waits, (table,)).fetchone() != (True,):
            assert process.poll() is None, "the upgrade ended without touching the table"
            assert time.monotonic() < end
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait(HANG_SECONDS)
    migrate(dsn)
    migrate(undisturbed)
    assert catalog_of(dsn) == catalog_of(undisturbed)
    with psycopg.connect(dsn) as connection:
        assert connection.execute("SELECT count(*) FROM source").fetchone() == (1,)
