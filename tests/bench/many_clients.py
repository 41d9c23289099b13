"""Many clients of one HTTP server for minutes: `python -m tests.bench.many_clients [--size 100000] [--seconds 300]`.

The bar: no error, p95 at most 5 times the median of one client alone, memory flat.
"""

import argparse
import asyncio
import json
import os
import statistics
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import psutil
from tests.bench.index import ensure_index
from tests.bench.locations import ROOT, index_folder
from tests.bench.serving import COMMAND, environment
from tests.bench.texts import questions
from tests.support.web import MODERN, message_in, request_of

_ALONE = 100
"""Calls of one client, of which the first tenth warms the server up."""

_MIB = 2**20


@dataclass(frozen=True, slots=True)
class Load:
    """How many clients ask, how often each, and how long."""

    clients: int
    every: float
    seconds: float


@asynccontextmanager
async def serving(data_dir: Path) -> AsyncGenerator[tuple[str, psutil.Process]]:
    """A server of an index over HTTP: its address, and its process."""
    process = await asyncio.create_subprocess_exec(
        COMMAND, "serve", "--http", "--port", "0",
        env=environment(data_dir) | {"CITEMARK_LOG_LEVEL": "error"}, cwd=ROOT, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        said = (await asyncio.wait_for(process.stdout.readline(), 60)).decode()
        yield said.split(" at ")[1].split()[0], psutil.Process(process.pid)
    finally:
        process.terminate()
        await process.wait()


@dataclass(frozen=True, slots=True)
class Taken:
    """Seconds that one search took, and whether hits were withheld because their source was not heard in time."""

    seconds: float
    withheld: bool


async def ask(http: httpx2.AsyncClient, url: str, question: str) -> Taken | None:
    """One search; None where it failed."""
    body, headers = request_of("tools/call", MODERN, name="kb_search", arguments={"query": question})
    began = time.perf_counter()
    try:
        answer = await http.post(url, content=body, headers=headers)
        result = json.loads(message_in(answer)).get("result", {"isError": True})
    except (httpx2.HTTPError, ValueError, StopIteration):
        return None
    if result.get("isError"):
        return None
    return Taken(time.perf_counter() - began, result["structuredContent"]["withheld_unverified"] > 0)


async def measure(folder: Path, load: Load) -> dict[str, object]:
    """Times of one client alone and of many, failures, and the server's memory before and after."""
    asked, before = questions(), os.getloadavg()
    async with serving(folder) as (url, process):
        token = (folder / "http.token").read_text("utf-8").strip()
        limits = httpx2.Limits(max_connections=load.clients)
        headers = {"authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60, limits=limits) as http:
            alone = [await ask(http, url, asked[number % len(asked)]) for number in range(_ALONE)]
            single = statistics.median(each.seconds for each in alone[_ALONE // 10 :] if each is not None)
            until = time.monotonic() + load.seconds
            memory: list[int] = []
            taken: list[Taken | None] = []

            async def client(number: int) -> None:
                await asyncio.sleep(load.every * number / load.clients)  # people do not ask in step
                turn = number
                while (began := time.monotonic()) < until:
                    taken.append(await ask(http, url, asked[turn % len(asked)]))
                    turn += load.clients
                    await asyncio.sleep(max(0.0, load.every - (time.monotonic() - began)))

            async def watch() -> None:
                while time.monotonic() < until:
                    memory.append(process.memory_info().rss)
                    await asyncio.sleep(1)

            await asyncio.gather(watch(), *(client(number) for number in range(load.clients)))
    good = sorted(each.seconds for each in taken if each is not None)
    p95 = good[len(good) * 95 // 100]
    tenth = max(1, len(memory) // 10)
    return {
        "clients": load.clients,
        "calls": len(taken),
        "errors": len(taken) - len(good),
        "with_hits_withheld": sum(each.withheld for each in taken if each is not None),
        "single_p50_ms": round(single * 1000, 1),
        "p50_ms": round(statistics.median(good) * 1000, 1),
        "p95_ms": round(p95 * 1000, 1),
        "p95_by_single_p50": round(p95 / single, 2),
        # The first tenth warms caches up; what comes after it should be flat.
        "rss_start_mib": round(statistics.median(memory[tenth : 2 * tenth]) / _MIB),
        "rss_end_mib": round(statistics.median(memory[-tenth:]) / _MIB),
        "cores": os.cpu_count(),
        "load_before": [round(each, 1) for each in before],
    }


def main() -> None:
    """Measure, and print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=100_000, help="chunks of the index")
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--every", type=float, default=4.0, help="seconds between two calls of one client")
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--index", type=Path, help="data folder of an index that there is, instead of one of --size")
    given = parser.parse_args()
    if given.index is None:
        asyncio.run(ensure_index(given.size))
    folder: Path = given.index or index_folder(given.size)
    load = Load(given.clients, given.every, given.seconds)
    print(json.dumps(asyncio.run(measure(folder, load)), indent=2))  # noqa: T201 - its purpose


if __name__ == "__main__":
    main()
