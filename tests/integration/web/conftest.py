"""One index for the pages, with documents that mean well and one that does not."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.support.model_files import E, R, sketch

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.model.source_labels import SourceLabels
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
    source = await app.sources.add(NewSource("manual", "docs", {"root": str(folder)}, labels=SourceLabels(("pumps",))))
    await app.sync({source.source_id: source})


def modelled(folder: Path, neighbours: int = 30) -> Path:
    """A model in which many serve the gate control, whose name is hostile, and a capability depends on it."""
    named = [E(f"s{number}", name=f"Sensor {number}") for number in range(neighbours)]
    own = [
        E("gate", name="<b>Gate</b> control", documentation="Opens the gate when a sensor says so."),
        E("access", "Capability", "Access"),
        E("plan", "BusinessProcess", "Plan of the day"),
    ]
    edges = [R("Serving", each.id, "gate") for each in named]
    view = """<element xsi:type="archimate:ArchimateDiagramModel" id="v" name="Overview">
<child xsi:type="archimate:DiagramObject" id="n1" archimateElement="gate">
<bounds x="20" y="20" width="120" height="55"/>
<sourceConnection xsi:type="archimate:Connection" id="c" source="n1" target="n2" archimateRelationship="realizing"/>
</child><child xsi:type="archimate:DiagramObject" id="n2" archimateElement="access">
<bounds x="220" y="20" width="120" height="55"/></child></element>"""
    more = [R("Realization", "gate", "access", "realizing", name="lets in"), R("Triggering", "plan", "gate", "starts")]
    (folder / "estate.archimate").write_bytes(sketch([*own, *named], [*edges, *more], view).archi())
    return folder / "estate.archimate"


async def model_indexed(app: App, path: Path) -> None:
    source = await app.sources.add(NewSource("estate", "archimate", {"path": str(path)}))
    await app.sync({source.source_id: source})
