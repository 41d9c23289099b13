"""A folder of office files, PDF, web pages and mail, some broken: all accounted for, how fast, in what memory."""

import asyncio
import re
import shutil
import threading
from collections import defaultdict
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.bench.indexing import embed_all
from tests.bench.locations import cache
from tests.bench.measure import Stopwatch, load
from tests.bench.texts import CHUNKS_PER_PAGE, ScalePage, pages
from tests.support.mixed_files import FORMATS, Article, unreadable

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.embedding.minilm import MiniLM
from citemark.indexing.page_builder import build_page
from citemark.model.errors import SkippableSourceError
from citemark.model.ids import NativeId
from citemark.model.scope import Principal
from citemark.model.sources import NewSource, Source
from citemark.settings import load_settings

_BROKEN_SHARE = 50
_FEWEST, _MOST = 2, 12
_SAMPLE_SECONDS = 0.5
_MIB = 2**20


async def measure(size: int) -> dict[str, object]:
    """Index `size` files from nothing; then embed the same chunks with the model alone, in as many threads."""
    folder = await asyncio.to_thread(mixed_files, size)
    names = sorted(path.name for path in folder.iterdir())
    data = cache() / "index-mixed"
    shutil.rmtree(data, ignore_errors=True)
    async with open_app(load_settings(data_dir=data)) as app:
        source = await app.stores.sources.add(NewSource(name="mixed", kind="docs", config={"root": str(folder)}))
        await asyncio.to_thread(app.embedder.embed_query, "warm up")
        with peaks(data) as peak:
            watch = Stopwatch()
            report = await app.sync({source.source_id: source})
            seconds = watch.lap()
        whole = report.vectors / seconds
        status = (await app.stores.status.sources(Principal.local().tenant, 0))[0]
        reported = {entry.native_id for entry in await app.stores.sources.problems(source.source_id, len(names))}
        texts = await _texts(app, source, names)
        watch.lap()
        await asyncio.to_thread(embed_all, MiniLM(), texts, app.settings.index_workers)
        alone = len(texts) / watch.lap()
    return {
        "files": len(names),
        "documents": status.documents,
        "reported": len(reported),
        "unaccounted": len(names) - status.documents - len(reported),
        "chunks": report.vectors,
        "chunks_per_s": round(whole, 1),
        "embedder_per_s": round(alone, 1),
        "ratio": round(whole / alone, 3),
        "peak_mib": {name: round(size / _MIB) for name, size in sorted(peak.items())},
        "load": load(),
    }


def mixed_files(size: int) -> Path:
    """A folder of `size` files, the formats in turn, one of fifty broken; made once."""
    folder = cache() / f"mixed-{size}"
    if folder.is_dir():
        return folder
    print(f"making {size} mixed files", flush=True)  # noqa: T201 - the bench talks to a terminal
    unfinished = folder.with_name(f"{folder.name}-unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    suffixes = list(FORMATS)
    for number, page in enumerate(pages(size * CHUNKS_PER_PAGE)):
        if number >= size:
            break
        article = _article(page, _FEWEST + number % (_MOST - _FEWEST + 1))
        if number % _BROKEN_SHARE == _BROKEN_SHARE - 1:
            broken = list(unreadable(article).items())
            name, (data, _) = broken[number // _BROKEN_SHARE % len(broken)]
            name = f"{number:05}-{name}"
        else:
            suffix = suffixes[number % len(suffixes)]
            name, data = f"{number:05}{suffix}", FORMATS[suffix](article)
        (unfinished / name).write_bytes(data)
    unfinished.rename(folder)
    return folder


def _article(page: ScalePage, parts: int) -> Article:
    return Article(page.title, [(section.heading, section.text) for section in page.sections[:parts]])


async def _texts(app: App, source: Source, names: list[str]) -> list[str]:
    """What the embedder reads of every file, cut as indexing cuts it."""
    processor = app.connectors.of(source).processor
    tokenizer = MiniLM().tokenizer

    async def of(name: str) -> list[str]:
        try:
            fetched = await processor.fetch("page", NativeId(name))
        except SkippableSourceError:
            return []
        if fetched is None:
            return []
        page = await asyncio.to_thread(build_page, fetched, source.source_id, tokenizer, language="english")
        return [f"{chunk.context}\n{chunk.text}" for chunk in page.chunks]

    return [text for texts in await asyncio.gather(*map(of, names)) for text in texts]


@contextmanager
def peaks(data: Path, *, besides: int = 0) -> Generator[Mapping[str, int], None, None]:
    """The most resident memory, in bytes, of this process, of any one it starts and of any one of the database's.

    Not of the process `besides`. Looking costs time: of others the kernel remembers the peak, which spares most looks.
    """
    psutil: Any = import_module("psutil")
    found: dict[str, int] = defaultdict(int)
    over = threading.Event()
    own = psutil.Process()

    def look() -> None:
        while not over.wait(_SAMPLE_SECONDS):
            postmasters = [int(path.read_text().split()[0]) for path in data.rglob("postmaster.pid")]
            roots = [own, *(psutil.Process(pid) for pid in postmasters if psutil.pid_exists(pid))]
            for process in [*roots, *(child for root in roots for child in root.children(recursive=True))]:
                try:
                    if process.pid != besides and (size := _resident(process, own)):
                        name = _kind(process, own)
                        found[name] = max(found[name], size)
                except (psutil.NoSuchProcess, OSError):
                    continue

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    try:
        yield found
    finally:
        over.set()
        looking.join()


def _resident(process: Any, own: Any) -> int:
    """Bytes: now of this process, which did other things before, at most so far of another."""
    if process.pid == own.pid:
        return int(process.memory_info().rss)
    status = Path(f"/proc/{process.pid}/status").read_text("ascii", "replace")
    peak = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(peak[1]) * 1024 if peak else 0


def _kind(process: Any, own: Any) -> str:
    if process.pid == own.pid:
        return "citemark"
    if "citemark.extraction.sandbox.child" in process.cmdline():
        return "parser"
    return str(process.name())
