"""An account of 17,000 documents on a server in a process thread: first sync, nothing changed, one change, checking."""

import asyncio
import shutil
from statistics import median
from time import perf_counter
from typing import Any

from tests.bench.indexing import embed_all
from tests.bench.measure import load
from tests.bench.mixed import peaks
from tests.bench.places import cache
from tests.integration.app.cloud import Cloud
from tests.nextcloud.bulk import Sizes, fill
from tests.nextcloud.server import Nextcloud
from tests.nextcloud.truth import differences

from citemark.app.opening import open_app
from citemark.embedding.minilm import MiniLM
from citemark.settings import load_settings

USER = "alice"
_LATENCY = 0.05
_ROUNDS = 9
_MIB = 2**20


async def account(size: int) -> dict[str, object]:
    """Sync an account of `size` documents, in the proportions of the bars, from nothing; then look at what follows."""
    data = cache() / "index-nextcloud"
    shutil.rmtree(data, ignore_errors=True)
    with Nextcloud() as server:
        await asyncio.to_thread(fill, server.world, Sizes().times(size / Sizes().documents), USER)
        async with open_app(load_settings(data_dir=data, verify_cache=30.0)) as app:
            cloud = Cloud(app, server)
            await cloud.join(USER)
            await asyncio.to_thread(app.embedder.embed_query, "warm up")
            with peaks(data) as peak:
                first = await _first(cloud)
            alone = await _alone(cloud)
            return {
                **first,
                "over_embedder": round(first["vectors"] / first["seconds"] / alone, 2),
                **await _unchanged(cloud),
                "note_s": await _changed_note(cloud),
                **await _verified(cloud),
                "peak_mib": round(max(peak.values()) / _MIB),
                "load": load(),
            }


async def _first(cloud: Cloud) -> dict[str, Any]:
    before, began = len(cloud.server.log.matching(".*")), perf_counter()
    report = await cloud.sync()
    seconds = perf_counter() - began
    asked = len(cloud.server.log.matching(".*")) - before
    wrong = differences(cloud.truth(USER), await cloud.indexed(USER))
    return {
        "documents": report.documents,
        "wrong": len(wrong),
        "failed": report.failed,
        "vectors": report.vectors,
        "seconds": round(seconds, 1),
        "requests_per_document": round(asked / max(1, report.documents), 3),
    }


async def _alone(cloud: Cloud) -> float:
    """Texts per second of the model alone, for the texts that the index holds."""
    rows = await cloud.app.stores.database.read_sql(
        "SELECT DISTINCT ON (embed_hash) context, text FROM chunk WHERE valid_to = 'infinity'"
    )
    texts = [f"{row['context']}\n{row['text']}" for row in rows]
    began = perf_counter()
    await asyncio.to_thread(embed_all, MiniLM(), texts, cloud.app.settings.index_workers)
    return len(texts) / (perf_counter() - began)


async def _unchanged(cloud: Cloud) -> dict[str, Any]:
    before, began = len(cloud.server.log.matching(".*")), perf_counter()
    report = await cloud.sync()
    return {
        "unchanged_s": round(perf_counter() - began, 2),
        "unchanged_requests": len(cloud.server.log.matching(".*")) - before,
        "unchanged_vectors": report.vectors,
    }


async def _changed_note(cloud: Cloud) -> float:
    """Seconds from the start of the scan until a new note's words are found; median."""
    times: list[float] = []
    for number in range(3):
        mark = f"zebrafinch{number}"
        cloud.server.world.notes.add(USER, f"New {mark}", f"The {mark} sings at noon.", "")
        began = perf_counter()
        syncing = asyncio.create_task(cloud.sync())
        question = f"When does the {mark} sing?"
        while not await _shown(cloud, question, mark):  # noqa: ASYNC110 - only a search can tell
            await asyncio.sleep(0.02)
        times.append(perf_counter() - began)
        await syncing
    return round(median(times), 2)


async def _shown(cloud: Cloud, question: str, mark: str) -> bool:
    found = await cloud.found(USER, question, doc_types=["note"], limit=1)
    return any(mark in item["title"] for item in found)


async def _verified(cloud: Cloud) -> dict[str, Any]:
    """Milliseconds that checking a page of ten adds at a latency of 50 ms, and from the cache; medians."""
    asked: list[float] = []
    cached: list[float] = []
    cloud.server.latency = _LATENCY
    for number in range(_ROUNDS):
        question = f"What does category {number} say of event-{number} and note-{number}?"
        for times in (asked, cached):
            began = perf_counter()
            await cloud.found(USER, question, limit=10)
            times.append((perf_counter() - began) * 1000)
    cloud.server.latency = 0.0
    bare: list[float] = []
    for number in range(_ROUNDS):
        question = f"What does category {number} say of event-{number} and note-{number}?"
        began = perf_counter()
        await cloud.found(USER, question, limit=10)
        bare.append((perf_counter() - began) * 1000)
    return {
        "verify_added_ms": round(median(asked) - median(bare)),
        "cached_added_ms": round(median(cached) - median(bare), 1),
    }
