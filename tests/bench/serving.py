"""The product as a host sees it: `citemark serve` over stdio, asked by the MCP SDK's own client."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from tests.bench.index import ensure_index, open_index
from tests.bench.locations import ROOT, cache, index_folder
from tests.bench.measure import Latency, Stopwatch, load
from tests.bench.texts import pages, questions

from citemark.model.errors import BackendUnavailable

COMMAND = str(Path(sys.executable).with_name("citemark"))
QUESTIONS = 300
_WARM_UP = 60
_BUSY = "busy"
_BUSY_CHUNKS = 6000
_MIB = 2**20


def environment(data_dir: Path, *, follows: bool = False) -> dict[str, str]:
    """All that a process of the product sees; whether it follows the sources' changes."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    # The scale data was written past the chunker: a scan of its folder would cut and embed all of it anew.
    return {
        **kept,
        "PYTHONPATH": str(ROOT / "src"),
        "CITEMARK_DATA_DIR": str(data_dir),
        "CITEMARK_WATCH": str(follows).lower(),
    }


@asynccontextmanager
async def served(data_dir: Path, *, follows: bool = False) -> AsyncGenerator[Client, None]:
    """A server of its own process, and the client that started it; whether the server follows changes."""
    env = environment(data_dir, follows=follows)
    server = StdioServerParameters(command=COMMAND, args=["serve"], env=env, cwd=str(ROOT))
    async with Client(stdio_client(server)) as client:
        yield client


async def ask(client: Client, question: str) -> int:
    """One kb.search with its defaults; how many hits came."""
    result = await client.call_tool("kb_search", {"query": question})
    if result.is_error:
        raise BackendUnavailable(f"kb.search failed: {result.content}")
    found: dict[str, Any] = result.structured_content or {}
    return len(found["results"])


async def measure(size: int) -> dict[str, object]:
    """kb.search idle and while another process indexes, and the server's memory after it."""
    await ensure_index(size)
    asked = (questions() * 2)[: QUESTIONS + _WARM_UP]
    async with served(index_folder(size)) as client:
        process = server_process()
        for text in asked[:_WARM_UP]:
            await ask(client, text)
        before = load()
        idle, hits = await _timed(client, asked[_WARM_UP:])
        after = load()
        async with _indexing(size):
            busy, _ = await _timed(client, asked[_WARM_UP:])
        memory = process.memory_info().rss / _MIB
    return {
        "idle": idle.as_dict(),
        "indexing": busy.as_dict(),
        "p95_ratio": round(busy.p95 / idle.p95, 2),
        "hits_mean": round(hits / QUESTIONS, 2),
        "rss_mib": round(memory),
        "load": [before, after],
    }


async def _timed(client: Client, asked: Sequence[str]) -> tuple[Latency, int]:
    times: list[float] = []
    hits = 0
    for text in asked:
        watch = Stopwatch()
        hits += await ask(client, text)
        times.append(watch.lap())
    return Latency.of(times), hits


def server_process() -> Any:
    """The server that this process started."""
    psutil: Any = import_module("psutil")
    for child in psutil.Process().children(recursive=True):
        if "serve" in child.cmdline():
            return child
    raise BackendUnavailable("the server is not among the children of this process")


@asynccontextmanager
async def _indexing(size: int) -> AsyncGenerator[None, None]:
    """While `citemark sync` of another source embeds in a process of its own."""
    folder = cache() / "busy"
    for page in pages(_BUSY_CHUNKS):
        path = folder / page.path
        path.parent.mkdir(parents=True, exist_ok=True)
        # Other texts than the index holds, or vectors would be carried over instead of computed.
        path.write_text(page.body.replace(". ", ", as noted. "), encoding="utf-8")
    # A run that was cut short has left its source behind.
    for words in (("remove", _BUSY, "--yes"), ("add", "docs", str(folder), "--name", _BUSY, "--no-sync")):
        await (await _citemark(size, *words)).wait()
    syncing = await _citemark(size, "sync", _BUSY)
    try:
        await _indexing_began(size, syncing)
        yield
        if syncing.returncode is not None:
            raise BackendUnavailable("indexing ended before the questions did; raise _BUSY_CHUNKS")
    finally:
        if syncing.returncode is None:
            syncing.terminate()
        await syncing.wait()
        removed = await _citemark(size, "remove", _BUSY, "--yes")
        await removed.wait()


async def _indexing_began(size: int, syncing: asyncio.subprocess.Process) -> None:
    """Wait for the first texts to be read: reading and embedding both fall into the time of the questions."""
    async with open_index(size) as index:
        while syncing.returncode is None:
            found = await index.stores.vectors.active()
            if found is not None and (await index.stores.vectors.backlog(found.set_id)).waiting:
                return
            await asyncio.sleep(0.1)
    raise BackendUnavailable(f"the sync beside the questions ended with {syncing.returncode} before it embedded")


async def _citemark(size: int, *arguments: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        COMMAND,
        *arguments,
        env=environment(index_folder(size)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )


@dataclass(frozen=True, slots=True)
class Start:
    """Seconds from the start of the process to two answers."""

    tools: float
    search: float


async def starts(size: int, times: int = 5) -> dict[str, object]:
    """Starting while PostgreSQL runs (medians), and once from cold."""
    await ensure_index(size)
    text = questions()[0]
    cold = await _start(size, text)
    async with open_index(size):
        warm = [await _start(size, text) for _ in range(times)]
    return {
        "tools_s": round(sorted(start.tools for start in warm)[times // 2], 3),
        "search_s": round(sorted(start.search for start in warm)[times // 2], 3),
        "cold_tools_s": round(cold.tools, 3),
        "cold_search_s": round(cold.search, 3),
        "load": load(),
    }


async def _start(size: int, text: str) -> Start:
    watch = Stopwatch()
    async with served(index_folder(size)) as client:
        await client.list_tools()
        tools = watch.lap()
        await ask(client, text)
        return Start(tools, tools + watch.lap())
