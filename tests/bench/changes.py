"""What changed between two states of documents and of a model, and baselines of every tag of a repository."""

import random
import shutil
from pathlib import Path

from tests.bench.locations import cache
from tests.bench.measure import Stopwatch, load, median
from tests.support.git_repositories import TestRepository
from tests.support.model_files import large_model

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.features.archimate.services.keys import MODEL_DIFF
from citemark.model.sources import NewSource, Source
from citemark.services.history_keys import BASELINES, DOCUMENT_DIFF, REPOSITORY_BASELINES
from citemark.services.requests import Caller, DiffRequest
from citemark.settings import load_settings

_DOCUMENTS = 5_000
_ELEMENTS = 10_000
_CHANGED = 500
_PAGE = 100
"""The largest page that the tools take."""

_ROUNDS = 7
_TAGS = 200
_PAGES = 300
_PER_TAG = 3
"""Pages that each tag has in another form than the one before."""

_WORDS = (
    "harbour",
    "quay",
    "berth",
    "crane",
    "ledger",
    "boiler",
    "violin",
    "glacier",
    "orchard",
    "server",
    "port",
    "key",
)


async def compared() -> dict[str, object]:
    """Seconds for the first and largest page of what changed, by service; every index is made anew."""
    data = _empty("index-changes")
    before = load()
    files = data / "docs"
    files.mkdir(parents=True)
    for number in range(_DOCUMENTS):
        _write(files, number, "said at first")
    model = data / "model.xml"
    model.write_bytes(large_model(_ELEMENTS).exchange())
    async with open_app(load_settings(data_dir=data / "index")) as app:
        sources = [
            await _synced(app, NewSource("docs", "docs", {"root": str(files)})),
            await _synced(app, NewSource("model", "archimate", {"path": str(model)})),
        ]
        await app.services.get(BASELINES).create("before", (), None)
        for number in range(_CHANGED):
            _write(files, number * (_DOCUMENTS // _CHANGED), "said afterwards")
        text = model.read_text("utf-8")
        for number in range(1, _CHANGED + 1):
            text = text.replace(f">Ledger {number}<", f">Ledger {number} renamed<")
        model.write_text(text, "utf-8")
        await app.sync({source.source_id: source for source in sources})
        request = DiffRequest("before", page_size=_PAGE)
        page = await app.services.get(DOCUMENT_DIFF).documents(Caller.local(), request)
        changes = await app.services.get(MODEL_DIFF).models(Caller.local(), request)
        documents: list[float] = []
        elements: list[float] = []
        for _ in range(_ROUNDS):
            watch = Stopwatch()
            await app.services.get(DOCUMENT_DIFF).documents(Caller.local(), request)
            documents.append(watch.lap())
            await app.services.get(MODEL_DIFF).models(Caller.local(), request)
            elements.append(watch.lap())
    return {
        "documents": _DOCUMENTS,
        "documents_changed": page.counts.changed,
        "documents_s": round(median(documents), 3),
        "elements": _ELEMENTS,
        "elements_changed": changes.element_counts.changed,
        "elements_s": round(median(elements), 3),
        "load": [before, load()],
    }


async def repository() -> dict[str, object]:
    """Seconds for baselines of all tags, beside those for a folder that holds every distinct page once."""
    data = _empty("index-repository")
    before = load()
    plain = data / "plain"
    plain.mkdir()
    chance = random.Random(1)
    made = TestRepository(data / "repository")
    distinct = 0
    for tag in range(_TAGS):
        numbers = range(_PAGES) if tag == 0 else chance.sample(range(_PAGES), _PER_TAG)
        pages = {f"docs/page-{number}.md": _page(chance, number, tag) for number in numbers}
        for text in pages.values():
            (plain / f"{distinct}.md").write_text(text, "utf-8")
            distinct += 1
        made.commit(dict(pages), f"t{tag:03}")
    async with open_app(load_settings(data_dir=data / "folder")) as app:
        watch = Stopwatch()
        await _synced(app, NewSource("plain", "docs", {"root": str(plain)}))
        folder = watch.lap()
    async with open_app(load_settings(data_dir=data / "tags")) as app:
        source = await app.sources.add(NewSource("docs", "docs", {"root": str(made.folder / "docs")}))
        watch = Stopwatch()
        baselines = await app.services.get(REPOSITORY_BASELINES).create(source.tenant, (), [source], pattern="*")
        tags = watch.lap()
    return {
        "tags": len(baselines),
        "pages": _PAGES,
        "revisions": distinct,
        "written": sum(each.written for each in baselines),
        "folder_s": round(folder, 1),
        "tags_s": round(tags, 1),
        "ratio": round(tags / folder, 2),
        "load": [before, load()],
    }


def _empty(name: str) -> Path:
    data = cache() / name
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(parents=True)
    return data


async def _synced(app: App, new: NewSource) -> Source:
    source = await app.sources.add(new)
    await app.sync({source.source_id: source})
    return source


def _write(folder: Path, number: int, said: str) -> None:
    path = folder / f"part-{number // 500}" / f"page-{number}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"# Page {number}\n\nWhat page {number} {said}.\n\nA line that stays.\n", "utf-8")


def _page(chance: random.Random, number: int, tag: int) -> str:
    said = [f"{' '.join(chance.choices(_WORDS, k=60))}, page {number}, tag {tag}." for _ in range(4)]
    sections = [f"## Section {each}\n\n{text}\n" for each, text in enumerate(said)]
    return f"# Page {number}\n\nAs it stood at tag {tag}.\n\n" + "\n".join(sections)
