"""What mentions cost: a documentation is indexed with them and without them, in turns."""

from tests.bench.embedders import RandomVectors
from tests.bench.indexing import emptied, source_of
from tests.bench.locations import SHARED
from tests.bench.measure import Stopwatch, load, median

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.indexing.sync import sync_sources
from citemark.settings import load_settings

_ROUNDS = 3


async def mentions() -> dict[str, object]:
    """Files to searchable text with every mention linked, and with none; vectors would take the longest by far."""
    await _indexed(mentions=True)  # the first load of a machine reads the files from its disk
    seconds: dict[bool, list[float]] = {True: [], False: []}
    edges = chunks = 0
    for _ in range(_ROUNDS):
        for on in (False, True):
            took, chunks, found = await _indexed(mentions=on)
            seconds[on].append(took)
            edges = max(edges, found)
    on, off = median(seconds[True]), median(seconds[False])
    return {
        "chunks": chunks,
        "edges": edges,
        "seconds_on": round(on, 2),
        "seconds_off": round(off, 2),
        "ratio": round(off / on, 3),
        "load": load(),
    }


async def _indexed(*, mentions: bool) -> tuple[float, int, int]:
    """Seconds of indexing the documentation into an empty index, its chunks, and its mentions."""
    settings = load_settings(data_dir=emptied("index-mentions"), mentions=mentions)
    async with open_app(settings) as opened:
        app = App(settings, opened.stores, RandomVectors())
        try:
            source = await source_of(app, SHARED / "docs-mcp")
            watch = Stopwatch()
            number = source.source_id
            connectors = {number: app.connectors.of(source)}
            report = await sync_sources(app.indexer(), {number: source}, connectors, [])
            took = watch.lap()
            rows = await opened.stores.database.read_sql(
                "SELECT count(*) AS edges FROM relationship WHERE type = 'mentions'"
            )
            return took, report.chunks, rows[0]["edges"]
        finally:
            app.close()
