"""From a saved file to a found word: `citemark serve` follows a folder of 10,000 files while it is edited."""

import asyncio
import random
import shutil
from pathlib import Path
from typing import Any

from mcp import Client
from tests.bench.indexing import MANY, many_files
from tests.bench.locations import cache
from tests.bench.measure import Latency, Stopwatch, load
from tests.bench.serving import ask, served, server_process

from citemark.app.open_index import open_app
from citemark.model.errors import BackendUnavailable
from citemark.model.sources import NewSource
from citemark.settings import load_settings

_EDITS = 50
_POLL = 0.02
_PATIENCE = 30.0
_SETTLED = 30.0
_IDLE = 300.0


async def watching() -> dict[str, object]:
    """Seconds from the write until kb.search finds the new words in that file, one edit at a time and unforeseen.

    `idle_share` is what the server then takes of a core while nobody edits or asks: over five minutes,
    in which one regular scan falls.
    """
    folder = await asyncio.to_thread(many_files)
    data = cache() / "index-watching"
    shutil.rmtree(data, ignore_errors=True)
    async with open_app(load_settings(data_dir=data)) as app:
        source = await app.stores.sources.add(NewSource(name="watched", kind="docs", config={"root": str(folder)}))
        await app.sync({source.source_id: source})
    chance = random.Random(3)
    files = chance.sample(sorted(folder.rglob("*.md")), _EDITS)
    times: list[float] = []
    async with served(data, follows=True) as client:
        await ask(client, "What does a file say?")
        for number, file in enumerate(files):
            await asyncio.sleep(chance.uniform(0.2, 1.5))
            times.append(await _edited(client, file, number))
        await asyncio.sleep(_SETTLED)
        before = sum(server_process().cpu_times()[:2])
        await asyncio.sleep(_IDLE)
        idle = sum(server_process().cpu_times()[:2]) - before
        for file in files:
            file.unlink()
    found = Latency.of(times)
    return {
        "files": MANY,
        "edits": _EDITS,
        "p50_s": round(found.p50 / 1000, 2),
        "p95_s": round(found.p95 / 1000, 2),
        "idle_share": round(idle / _IDLE, 4),
        "load": load(),
    }


async def _edited(client: Client, file: Path, number: int) -> float:
    word = f"zq{number}x{random.Random(number).randrange(10**6)}"
    text = f"# {file.stem}\n\nThe new word of this file is {word}, and it was not there before.\n"
    watch = Stopwatch()
    await asyncio.to_thread(file.write_text, text, encoding="utf-8")
    spent = 0.0
    while spent < _PATIENCE:
        result = await client.call_tool("kb_search", {"query": word, "options": {"min_score": 0}})
        answer: dict[str, Any] = result.structured_content or {}
        spent += watch.lap()
        if any(word in str(hit) and file.name in str(hit) for hit in answer.get("results", [])):
            return spent
        await asyncio.sleep(_POLL)
    raise BackendUnavailable(f"an edit of {file} was not found within {_PATIENCE:.0f} s")
