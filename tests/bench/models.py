"""Architecture models: reading a large one, and from a renamed element to its hit."""

import asyncio
import json
import shutil
import subprocess
import sys
from pathlib import Path

from tests.bench.locations import cache
from tests.bench.measure import Stopwatch, load, median
from tests.support.model_files import hub, large_model

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.features.archimate.services.keys import ELEMENT_SEARCH
from citemark.features.archimate.services.requests import ElementSearch, QueryScope
from citemark.model.sources import NewSource
from citemark.services.requests import Caller
from citemark.settings import load_settings

_ELEMENTS = 10_000
_NAMES = ("Billing", "Invoicing", "Refunding", "Collecting", "Lending", "Saving", "Dunning", "Auditing", "Trading")
_POLL = 0.02
_PATIENCE = 30.0
_READ = """
import asyncio, json, re, resource, sys
from pathlib import Path
from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.archimate.source.model_file import read_snapshot
async def main():
    parsers = ParserPool()
    found = await read_snapshot(Path(sys.argv[1]), parsers)
    await parsers.close()
    own = int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
    child = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = sum(resource.getrusage(resource.RUSAGE_SELF)[:2]) + child.ru_utime + child.ru_stime
    peak = (own + child.ru_maxrss) / 1024
    print(json.dumps({"documents": len(found.documents), "read_s": spent, "peak_mib": peak}))
asyncio.run(main())
"""


async def models() -> dict[str, object]:
    """Processor seconds and memory of reading 10,000 elements; seconds until a renamed one is found."""
    data = cache() / "index-models"
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(parents=True)
    large = data / "large.xml"
    large.write_bytes(large_model(_ELEMENTS).exchange())
    done = subprocess.run([sys.executable, "-c", _READ, large], capture_output=True, text=True, check=True)  # noqa: ASYNC221 - nothing else runs
    model = data / "model.archimate"
    model.write_bytes(hub("Nothing").archi())
    async with open_app(load_settings(data_dir=data / "index")) as app:
        await app.stores.sources.add(NewSource("model", "archimate", {"path": str(model)}))
        following = asyncio.create_task(app.keep())
        try:
            took = [await _renamed(app, model, name) for name in _NAMES]
        finally:
            following.cancel()
            await asyncio.wait([following])
    # The first one waits for the start, too.
    return {**json.loads(done.stdout), "rename_s": round(median(took[1:]), 2), "load": load()}


async def _renamed(app: App, path: Path, name: str) -> float:
    """Seconds from saving the model under another name of its hub until a search shows that name first."""
    watch = Stopwatch()
    fresh = path.with_suffix(".new")
    fresh.write_bytes(hub(name).archi())
    fresh.replace(path)
    async with asyncio.timeout(_PATIENCE):
        while True:
            page = await app.services.get(ELEMENT_SEARCH).page(Caller.local(), ElementSearch(QueryScope(), name))
            if [hit.part.name for hit in page.hits[:1]] == [name]:
                return watch.lap()
            await asyncio.sleep(_POLL)
