"""Architecture models from file to answer: indexed, followed, asked."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.support.index import Index
from tests.support.model_files import E, R, Sketch, sketch

from citemark.app.compose import App
from citemark.app.opening import open_app
from citemark.evaluation.runner import run_golden
from citemark.evidence.architecture.requests import ElementSearch, Reach
from citemark.evidence.requests import Asker
from citemark.indexing.follower import Followed
from citemark.model.sources import NewSource, Source
from citemark.settings import Settings

_SOON = 20.0
_NEAR = 50


@pytest.fixture
async def app(dsn: str) -> AsyncGenerator[App, None]:
    async with open_app(Settings(database_url=dsn, verify_cache=0)) as opened:  # pyright: ignore[reportArgumentType]
        yield opened


async def added(app: App, path: Path) -> Source:
    return await app.stores.sources.add(NewSource(path.stem, "archimate", {"path": str(path)}))


async def names(app: App, question: str) -> list[str]:
    """The elements that a search shows."""
    page = await app.desk.architecture.searching.page(Asker.local(), ElementSearch(Reach("architecture"), question))
    return [hit.part.name for hit in page.hits]


async def shows(app: App, name: str) -> None:
    """Wait until a search for a name shows the element first."""
    async with asyncio.timeout(_SOON):
        while (await names(app, name))[:1] != [name]:  # noqa: ASYNC110 - what is awaited happens in the database
            await asyncio.sleep(0.02)


async def chunks(app: App) -> dict[int, str]:
    rows = await Index(app.stores.database).rows(
        "SELECT chunk_id, context || ': ' || text FROM chunk WHERE valid_to = 'infinity'"
    )
    return {row[0]: row[1] for row in rows}


def hub(name: str) -> Sketch:
    """An element with its neighbours, and as many that have nothing to do with it."""
    others = [E(f"{kind}-{number}") for kind in ("near", "far") for number in range(_NEAR)]
    return sketch([E("hub", name=name), *others], [R("Serving", f"near-{number}", "hub") for number in range(_NEAR)])


def save(path: Path, plan: Sketch) -> None:
    """As programs do: another file in its place."""
    fresh = path.with_suffix(".new")
    fresh.write_bytes(plan.archi())
    fresh.replace(path)


@pytest.mark.requirement("i6-2-exactly")
async def test_a_renamed_element_rebuilds_the_chunks_that_name_it_and_embeds_no_other(app: App, tmp_path: Path) -> None:
    path = tmp_path / "model.archimate"
    save(path, hub("Billing"))
    source = await added(app, path)
    await app.sync({source.source_id: source})
    before = await chunks(app)
    save(path, hub("Invoicing"))
    report = await app.sync({source.source_id: source})
    after = await chunks(app)
    assert report.documents == _NEAR + 1
    kept = [number for number, text in before.items() if "Billing" not in text]
    assert len(kept) == _NEAR
    assert all(after[number] == before[number] for number in kept)
    assert not any("Billing" in text for text in after.values())
    assert report.vectors == sum("Invoicing" in text for text in after.values())


@pytest.mark.requirement("i6-5-watched", "i6-1-problems")
async def test_a_model_is_followed_however_it_is_saved(app: App, tmp_path: Path) -> None:
    path = tmp_path / "model.archimate"
    save(path, hub("Billing"))
    await added(app, path)
    told: list[Followed] = []
    following = asyncio.create_task(app.keep(heard=told.append))
    try:
        await shows(app, "Billing")
        save(path, hub("Invoicing"))
        await shows(app, "Invoicing")
        path.write_bytes(sketch([E("hub", name="Dunning"), E("hub")]).archi())
        await shows(app, "Dunning")
        source = (await app.stores.sources.all("local"))[0]
        (problem,) = await app.stores.sources.problems(source.source_id)
        assert "only the first is indexed" in problem.message
    finally:
        following.cancel()
        await asyncio.wait([following])


@pytest.mark.requirement("i6-bar-golden")
async def test_golden_questions_about_a_real_model_are_answered(app: App, shared_data: Path) -> None:
    source = await added(app, shared_data / "archimate" / "Archisurance.archimate")
    await app.sync({source.source_id: source})
    report = await run_golden(app, shared_data / "golden" / "archisurance-dev.yaml")
    rows = [row for row in report.rows if row.answerable]
    assert sum(row.document_hit for row in rows) / len(rows) >= 0.9
    relationships = [row for row in rows if row.kind == "relationship"]
    assert sum(row.document_hit for row in relationships) / len(relationships) >= 0.8


_MEASURE = """
import sys, resource
from pathlib import Path
from time import process_time
from citemark.sources.archimate.model_file import read_snapshot
began = process_time()  # what it takes of a machine that others use too
found = read_snapshot(Path(sys.argv[1]))
print(len(found.documents), process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


@pytest.mark.requirement("i6-bar-large")
def test_ten_thousand_elements_are_read_in_time_and_memory(tmp_path: Path) -> None:
    text = "The ledger of the northern branch, kept by its brokers."
    elements = [E(f"e{number}", name=f"Ledger {number}", documentation=text) for number in range(10_000)]
    elements[0] = E("e0", "Capability", "Banking")
    types = ("Serving", "Flow", "Composition")
    relationships = [
        R(types[number % 3], f"e{number % 10_000}", f"e{number * 7919 % 10_000}", f"r{number}")
        for number in range(30_000)
    ]
    path = tmp_path / "large.xml"
    path.write_bytes(sketch(elements, relationships).exchange())
    done = subprocess.run([sys.executable, "-c", _MEASURE, path], capture_output=True, text=True, check=True)
    documents, seconds, mebibytes = map(float, done.stdout.split())
    assert documents == 10_000
    assert seconds < 15
    assert mebibytes < 1024
