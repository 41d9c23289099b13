"""A disk that is full while history is written ends a sync with the reason, and nothing is lost."""

import asyncio
from pathlib import Path
from typing import LiteralString

import pytest
from psycopg import AsyncConnection
from structlog.testing import capture_logs
from tests.support.patience import HANG_SECONDS

from citemark.app.open_index import open_app
from citemark.model.errors import DiskFull
from citemark.model.sources import NewSource
from citemark.settings import Settings

FULL = """
CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
CREATE TRIGGER no_room BEFORE INSERT ON revision FOR EACH ROW WHEN (NEW.body LIKE '%large%')
  EXECUTE FUNCTION no_room();
"""
"""What is small still finds room in pages that are partly empty, as on a disk that has just become full."""

FREED = "DROP TRIGGER no_room ON revision; DROP FUNCTION no_room();"


async def run(dsn: str, statements: LiteralString) -> None:
    async with await AsyncConnection.connect(dsn, autocommit=True) as connection:
        await connection.execute(statements)


def write(folder: Path, time: str) -> None:
    for size in ("large", "small"):
        (folder / f"{size}.md").write_text(f"# Page\n\nThe {size} {folder.name} of the {time}.\n")


@pytest.mark.requirement("full-disk-ends-sync")
async def test_a_disk_that_is_full_when_history_is_written_ends_each_sync_with_the_reason(
    dsn: str, tmp_path: Path
) -> None:
    folders = [tmp_path / name for name in ("boilers", "kettles")]
    for folder in folders:
        folder.mkdir()
        write(folder, "morning")
    async with open_app(Settings(database_url=dsn, verify_cache=0)) as app:  # pyright: ignore[reportArgumentType]
        for folder in folders:
            await app.stores.sources.add(NewSource(folder.name, "docs", {"root": str(folder)}))
        sources = await app.local_sources()
        await app.sync(sources)
        await run(dsn, FULL)
        for folder in folders:
            write(folder, "evening")
        for source_id, source in sources.items():
            with capture_logs() as logged, pytest.raises(DiskFull, match="disk of the database is full"):
                async with asyncio.timeout(HANG_SECONDS):
                    await app.sync({source_id: source})
            assert "waiting_for_database" not in {entry["event"] for entry in logged}, "as for a lost database"
        await run(dsn, FREED)
        await app.sync(sources)
        rows = await app.stores.database.read_sql("SELECT body, valid_to = 'infinity' AS now FROM revision", {})
    said = {(row["body"].split("\n\n")[1].strip(), row["now"]) for row in rows}
    assert said == {
        (f"The {size} {each.name} of the {time}.", time == "evening")
        for each in folders
        for size in ("large", "small")
        for time in ("morning", "evening")
    }
