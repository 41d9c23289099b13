"""Processes of `citemark work` with a model that makes them wait: vectors a second of 2 and of 4 over those of one."""

import asyncio
import shutil
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import LiteralString

from pydantic import SecretStr
from tests.bench.locations import cache
from tests.bench.measure import load
from tests.bench.serving import COMMAND, environment
from tests.support.providers import KEY, FakeProvider, meaningless, serve

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.model.sources import NewSource
from citemark.settings import Settings

_LATENCY = 2.0
"""Seconds that the model takes for each request: long enough that two shared cores do not decide."""

_FILES, _SECTIONS = 30, 40
_LEFT_AT_THE_END = 64
"""Chunks for each process that are left when the measurement ends: below that, some have nothing to do."""

_LOOK = 0.1  # seconds

_WAITING = "SELECT count(*) AS n FROM vector_task"
_WORKING = "SELECT count(DISTINCT split_part(leased_by, '@', 1)) AS n FROM vector_task"


async def measure() -> dict[str, object]:
    """The rates with 1, 2 and 4 processes, each measured while all of them have work."""
    data, folder = cache() / "index-many-workers", cache() / "many-workers"
    for old in (data, folder):
        shutil.rmtree(old, ignore_errors=True)
    _fill(folder)
    waits = 0.0

    def embed(texts: Sequence[str]) -> list[list[float]]:
        time.sleep(waits)
        return meaningless(texts)

    with serve(embed=embed) as provider:
        async with open_app(_settings(data, provider)) as app:
            source = await app.sources.add(NewSource("many", "docs", {"root": str(folder)}))
            await app.sync({source.source_id: source})
            waits = _LATENCY
            rates = {processes: await _rate(app, processes, data, provider) for processes in (1, 2, 4)}
            chunks = await _one(app, "SELECT count(*) AS n FROM chunk")
    return {
        "chunks": chunks,
        "latency_seconds": _LATENCY,
        "rates": {str(processes): round(rate, 1) for processes, rate in rates.items()},
        "ratio_2": round(rates[2] / rates[1], 2),
        "ratio_4": round(rates[4] / rates[1], 2),
        "load": load(),
    }


def _fill(folder: Path) -> None:
    folder.mkdir(parents=True)
    for file in range(_FILES):
        sections = (f"## Part {n}\n\n" + f"Machine {file} has the part {n}. " * 12 for n in range(_SECTIONS))
        (folder / f"{file}.md").write_text(f"# Machine {file}\n\n" + "\n\n".join(sections))


def _settings(data: Path, provider: FakeProvider) -> Settings:
    return Settings(
        data_dir=data,
        embedding_provider="openai",
        embedding_model="test-model",
        embedding_url=provider.url,
        embedding_api_key=SecretStr(KEY),
    )


async def _rate(app: App, processes: int, data: Path, provider: FakeProvider) -> float:
    """Vectors a second, from when every process has claimed some until too few are left for all of them."""
    async with AsyncExitStack() as stack:
        for _ in range(processes):
            await stack.enter_async_context(_worker(data, provider))
        await _queue_all(app)
        while await _one(app, _WORKING) < processes:  # noqa: ASYNC110 - only the database can tell
            await asyncio.sleep(_LOOK)
        began, waiting = time.perf_counter(), await _one(app, _WAITING)
        while (left := await _one(app, _WAITING)) > processes * _LEFT_AT_THE_END:  # noqa: ASYNC110 - as above
            await asyncio.sleep(_LOOK)
        return (waiting - left) / (time.perf_counter() - began)


async def _queue_all(app: App) -> None:
    (target,) = await app.status.sets()
    queries = app.stores.database.queries
    async with app.stores.database.transaction() as connection:
        await connection.execute("DELETE FROM embedding_1")
        await connection.execute(queries.for_set("set_queue_all", target.set_id))


async def _one(app: App, statement: LiteralString) -> int:
    (row,) = await app.stores.database.read_sql(statement)
    return int(row["n"])


@asynccontextmanager
async def _worker(data: Path, provider: FakeProvider) -> AsyncGenerator[None]:
    given = {
        **environment(data),
        "CITEMARK_INDEX_WORKERS": "1",  # one batch of 64 at a time for each process
        "CITEMARK_EMBEDDING_PROVIDER": "openai",
        "CITEMARK_EMBEDDING_MODEL": "test-model",
        "CITEMARK_EMBEDDING_URL": provider.url,
        "CITEMARK_EMBEDDING_API_KEY": KEY,
    }
    process = await asyncio.create_subprocess_exec(
        COMMAND, "work", "--json", env=given, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        assert process.stdout is not None
        await process.stdout.readline()  # it has begun
        yield
    finally:
        process.terminate()
        await process.wait()
