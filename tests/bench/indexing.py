"""Indexing by the product itself: first load, live edits, whole indexing, a re-scan of unchanged files."""

import asyncio
import shutil
from collections.abc import AsyncGenerator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

from tests.bench.embedders import RandomVectors
from tests.bench.index import ensure_index
from tests.bench.locations import cache, index_folder
from tests.bench.measure import Stopwatch, load, median
from tests.bench.texts import CHUNKS_PER_PAGE, ScalePage, pages

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.embedding.contract import Embedder
from citemark.embedding.minilm import MiniLM
from citemark.indexing.page_builder import build_page
from citemark.indexing.sync import Progress
from citemark.model.ids import NativeId
from citemark.model.sources import NewSource, Source
from citemark.settings import load_settings

_LOAD_PAGES = 700
_EMBED_PAGES = 60
_EDIT_PAGES = 100
MANY = 10_000
_ROUNDS = 3


async def first_load() -> dict[str, object]:
    """Files to searchable text in an empty index: list, read, cut, write, by the product's own workers."""
    folder = _written("first-load", pages(_LOAD_PAGES * CHUNKS_PER_PAGE))
    async with _index(emptied("index-first-load"), RandomVectors()) as app:
        seconds, chunks = await _texts_done(app, await source_of(app, folder))
    return {"chunks": chunks, "chunks_per_s": round(chunks / seconds), "load": load()}


async def live_edits(size: int) -> dict[str, object]:
    """Every page of a small source is edited while the index holds `size` chunks of another one.

    Old rows are closed, new ones written, vectors put into the graph; the model's own time is left out.
    """
    await ensure_index(size)
    every = list(pages(_EDIT_PAGES * CHUNKS_PER_PAGE))
    folder = _written("edits", every, ", in short. ")
    async with _index(index_folder(size), RandomVectors()) as app:
        source = await source_of(app, folder)
        try:
            await app.sync({source.source_id: source})
            rates: list[float] = []
            for number in range(_ROUNDS):
                _written("edits", every, f", edited {number} times. ")
                watch = Stopwatch()
                report = await app.sync({source.source_id: source})
                rates.append(report.vectors / watch.lap())
        finally:
            sets = [entry.set_id for entry in await app.stores.vectors.sets()]
            await app.stores.sources.remove(source.source_id, sets)
    return {"chunks_per_s": round(median(rates)), "load": load()}


async def whole_indexing() -> dict[str, object]:
    """Files to vectors while idle, against the same model on the same texts with as many threads."""
    folder = _written("whole", pages(_EMBED_PAGES * CHUNKS_PER_PAGE))
    model = MiniLM()
    async with _index(emptied("index-whole"), model) as app:
        source = await source_of(app, folder)
        connector = app.connectors.of(source)
        texts: list[str] = []
        for path in sorted(folder.rglob("*.md")):
            fetched = await connector.processor.fetch("page", NativeId(path.relative_to(folder).as_posix()))
            if fetched is not None:
                page = build_page(fetched, source.source_id, model.tokenizer, language="english")
                texts += [f"{chunk.context}\n{chunk.text}" for chunk in page.chunks]
        model.embed_documents(texts[:32])
        workers = app.settings.index_workers
        watch = Stopwatch()
        await asyncio.to_thread(embed_all, model, texts, workers)
        alone = len(texts) / watch.lap()
        report = await app.sync({source.source_id: source})
        whole = report.vectors / watch.lap()
    return {
        "chunks": len(texts),
        "chunks_per_s": round(whole, 1),
        "embedder_per_s": round(alone, 1),
        "ratio": round(whole / alone, 3),
        "load": load(),
    }


async def rescan() -> dict[str, object]:
    """Syncing 10,000 files again of which none changed."""
    folder = many_files()
    async with _index(emptied("index-rescan"), RandomVectors()) as app:
        source = await source_of(app, folder)
        first = await app.sync({source.source_id: source})
        seconds: list[float] = []
        touched = 0
        for _ in range(_ROUNDS):
            watch = Stopwatch()
            report = await app.sync({source.source_id: source})
            seconds.append(watch.lap())
            touched += report.documents + report.removed + report.vectors
    return {"files": first.documents, "seconds": round(median(seconds), 2), "touched": touched, "load": load()}


def many_files() -> Path:
    """A folder of 10,000 small files in twenty folders; what others removed is written again."""
    folder = cache() / "rescan"
    for number in range(MANY):
        path = folder / f"part-{number // 500:02}" / f"file-{number:05}.md"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# File {number}\n\nThis is what file {number} says.\n", encoding="utf-8")
    return folder


async def _texts_done(app: App, source: Source) -> tuple[float, int]:
    """Seconds until every text was searchable, and how many chunks they are."""
    watch = Stopwatch()
    seen: list[tuple[float, int]] = []
    elapsed = 0.0

    def told(progress: Progress) -> None:
        nonlocal elapsed
        elapsed += watch.lap()
        if progress.stage == "reading":
            seen.append((elapsed, progress.chunks))

    await app.sync({source.source_id: source}, told)
    return seen[-1]


def embed_all(model: MiniLM, texts: Sequence[str], workers: int) -> None:
    """Embed every text, in batches of 64, in as many threads as workers."""
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(model.embed_documents, [texts[start : start + 64] for start in range(0, len(texts), 64)]))


def emptied(name: str) -> Path:
    """A folder for an index, without what is in it."""
    folder = cache() / name
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def _written(name: str, every: Iterable[ScalePage], stop: str = ". ") -> Path:
    folder = cache() / name
    for page in every:
        path = folder / page.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page.body.replace(". ", stop), encoding="utf-8")
    return folder


@asynccontextmanager
async def _index(folder: Path, embedder: Embedder) -> AsyncGenerator[App, None]:
    """An open index with another embedder."""
    settings = load_settings(data_dir=folder)
    async with open_app(settings) as opened:
        app = App(settings, opened.stores, embedder)
        try:
            yield app
        finally:
            app.close()


async def source_of(app: App, folder: Path) -> Source:
    """A source over a folder of documents."""
    return await app.stores.sources.add(NewSource(name=folder.name, kind="docs", config={"root": str(folder)}))
