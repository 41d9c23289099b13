"""An account of 17,000 documents on a server in another process: first sync, nothing changed, one change, checking."""

import asyncio
import shutil
from statistics import median
from time import perf_counter, process_time
from typing import Any

import psutil
from tests.bench.indexing import embed_all
from tests.bench.locations import cache
from tests.bench.measure import load
from tests.bench.mixed_formats import peaks
from tests.integration.app.cloud import Accounts
from tests.nextcloud.bulk import Sizes, fill
from tests.nextcloud.expected_state import ExpectedState, differences, expected_state
from tests.nextcloud.separate_server import SeparateServer
from tests.nextcloud.server import Nextcloud

from citemark.app.open_index import open_app
from citemark.embedding.minilm import MiniLM
from citemark.model.scope import READ, Principal, RequestScope
from citemark.retrieval.question import Question
from citemark.settings import load_settings

USER = "alice"
_LATENCY = 0.05
_ROUNDS = 25
_PAGE = 10
_MIB = 2**20


async def account(size: int) -> dict[str, object]:
    """Sync an account of `size` documents, in the proportions of the bars, from nothing; then look at what follows."""
    data = cache() / "index-nextcloud"
    shutil.rmtree(data, ignore_errors=True)
    with SeparateServer() as server:
        await asyncio.to_thread(server.do, _fill, Sizes().times(size / Sizes().documents))
        async with open_app(load_settings(data_dir=data, verify_cache=30.0)) as app:
            accounts = Accounts(app, server.url)
            await accounts.add(USER, server.do(Nextcloud.password, USER))
            await asyncio.to_thread(app.embedder.embed_query, "warm up")
            with peaks(data, besides=server.pid) as peak:
                first = await _first(accounts, server)
            alone = await _alone(accounts)
            return {
                **first,
                "embedder_per_s": round(alone, 1),
                "over_embedder": round(first["vectors"] / first["seconds"] / alone, 2),
                **await _unchanged(accounts, server),
                "note_s": await _changed_note(accounts, server),
                **await _verified(accounts, server),
                "peak_mib": round(max(peak.values()) / _MIB),
                "load": load(),
            }


def _fill(server: Nextcloud, sizes: Sizes) -> None:
    fill(server.world, sizes, USER)


def _asked(server: Nextcloud) -> int:
    return len(server.log)


def _truth(server: Nextcloud) -> ExpectedState:
    return expected_state(server.world, USER)


def _wait(server: Nextcloud, seconds: float) -> None:
    server.latency = seconds


def _add_note(server: Nextcloud, mark: str) -> None:
    server.world.notes.add(USER, f"New {mark}", f"The {mark} sings at noon.", "")


async def _first(accounts: Accounts, server: SeparateServer) -> dict[str, Any]:
    there = psutil.Process(server.pid)
    asked, began, worked, served = server.do(_asked), perf_counter(), process_time(), sum(there.cpu_times()[:2])
    report = await accounts.sync()
    seconds, worked, served = perf_counter() - began, process_time() - worked, sum(there.cpu_times()[:2]) - served
    asked = server.do(_asked) - asked
    wrong = differences(server.do(_truth), await accounts.indexed(USER))
    return {
        "documents": report.documents,
        "wrong": len(wrong),
        "failed": report.failed,
        "vectors": report.vectors,
        "seconds": round(seconds, 1),
        "own_cpu_s": round(worked),
        "server_cpu_s": round(served),
        "requests_per_document": round(asked / max(1, report.documents), 3),
    }


async def _alone(accounts: Accounts) -> float:
    """Texts per second of the model alone, for the texts that the index holds."""
    rows = await accounts.app.stores.database.read_sql(
        "SELECT DISTINCT ON (embed_hash) context, text FROM chunk WHERE valid_to = 'infinity'"
    )
    texts = [f"{row['context']}\n{row['text']}" for row in rows]
    began = perf_counter()
    await asyncio.to_thread(embed_all, MiniLM(), texts, accounts.app.settings.index_workers)
    return len(texts) / (perf_counter() - began)


async def _unchanged(accounts: Accounts, server: SeparateServer) -> dict[str, Any]:
    asked, began = server.do(_asked), perf_counter()
    report = await accounts.sync()
    return {
        "unchanged_s": round(perf_counter() - began, 2),
        "unchanged_requests": server.do(_asked) - asked,
        "unchanged_vectors": report.vectors,
    }


async def _changed_note(accounts: Accounts, server: SeparateServer) -> float:
    """Seconds from the start of the scan until a new note's words are found; median."""
    times: list[float] = []
    for number in range(3):
        mark = f"zebrafinch{number}"
        server.do(_add_note, mark)
        began = perf_counter()
        syncing = asyncio.create_task(accounts.sync())
        question = f"When does the {mark} sing?"
        while not await _shown(accounts, question, mark):  # noqa: ASYNC110 - only a search can tell
            await asyncio.sleep(0.02)
        times.append(perf_counter() - began)
        await syncing
    return round(median(times), 2)


async def _shown(accounts: Accounts, question: str, mark: str) -> bool:
    found = await accounts.found(USER, question, doc_types=["note"], limit=1)
    return any(mark in item["title"] for item in found)


async def _verified(accounts: Accounts, server: SeparateServer) -> dict[str, Any]:
    """Milliseconds that checking a page of ten takes at a latency of 50 ms, and from the cache right after; medians."""
    pipeline = accounts.app.pipeline
    principal = Principal("local", USER, frozenset({READ}))
    server.do(_wait, _LATENCY)
    asked: list[float] = []
    cached: list[float] = []
    for number in range(_ROUNDS):
        text = f"What does category {number} say of event-{number}, card-{number}, file-{number} and note-{number}?"
        ranking = await pipeline.rank(Question(principal, text, RequestScope(), depth=_PAGE))
        ids = [candidate.chunk_id for candidate in ranking.candidates]
        chunks = list((await accounts.app.stores.search.read(ranking.allowed, ids)).values())
        for times in (asked, cached):
            began = perf_counter()
            await pipeline.access(principal, ranking.allowed, chunks)
            times.append((perf_counter() - began) * 1000)
    server.do(_wait, 0.0)
    return {"verify_added_ms": round(median(asked)), "cached_added_ms": round(median(cached), 2)}
