"""One index for the pages, with documents that mean well and one that does not."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.model.sources import NewSource
from citemark.settings import Settings

MANUAL = """# The pump

The pump opens at 4 bar. Its seal is changed every spring; see [limits](limits.md).

## Care

Grease the axle of the pump twice a year, and never while it runs.
"""
HOSTILE = """# Gate <script>document.title='taken'</script>

The gate <img src=x onerror="document.title='taken'"> closes at night. [press](javascript:document.title='taken')

<a href="javascript:document.title='taken'">press too</a> <svg onload="document.title='taken'"></svg>

Turned \u202e round \u202c here. بوابة الحديقة تغلق ليلا.
"""
LONG_WORD = "gatekeeper" + "x" * 4000
DOCUMENTS = {
    "pump.md": MANUAL,
    "limits.md": "# Limits\n\n| part | pressure |\n|---|---|\n| valve | 4 bar |\n| seal | 2 bar |\n",
    "tools/start.txt": "To start the pump slowly:\n\n    pump --start <slowly>\n",
    "hostile/gate.md": HOSTILE,
    "hostile/word.md": f"# A long word\n\nThe {LONG_WORD} guards the gate.\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path / "docs")


@pytest.fixture
async def app(dsn: str, tmp_path: Path, folder: Path) -> AsyncGenerator[App]:
    given = Settings(database_url=dsn, data_dir=tmp_path / "data")  # pyright: ignore[reportArgumentType]
    async with open_app(given) as opened:
        await indexed(opened, folder)
        yield opened


def written(folder: Path) -> Path:
    for name, text in DOCUMENTS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


async def indexed(app: App, folder: Path) -> None:
    source = await app.sources.add(NewSource("manual", "docs", {"root": str(folder)}, tags=("pumps",)))
    await app.sync({source.source_id: source})
