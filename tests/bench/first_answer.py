"""What the first answer costs: the list of tools from cold, the first question after it, and a search at the shell."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager

from tests.bench.index import ensure_index, open_index
from tests.bench.locations import ROOT, index_folder
from tests.bench.many_clients import serving
from tests.bench.measure import Stopwatch, load, median
from tests.bench.pace import imported, processor_time
from tests.bench.serving import COMMAND, environment
from tests.bench.texts import questions

_TURNS = 5
_QUESTION = 3
_GREETING = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
)
_LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
_BUSY = 2


async def measure(size: int) -> dict[str, object]:
    """Seconds, medians over five turns; those of processes are user and system time of the one process.

    `added_s` is what a server takes until it has answered `tools/list` over what importing the SDK takes. The index's
    PostgreSQL runs already, as beside any other program of Citemark.
    """
    await ensure_index(size)
    text = questions()[0]
    before = load()
    sdk: list[float] = []
    tools: list[float] = []
    busy: list[float] = []
    first: list[float] = []
    alone: list[float] = []
    asking: list[float] = []
    async with open_index(size):
        await asyncio.to_thread(_first_tools, size, text)  # what is read from the disk once
        for _ in range(_TURNS):
            sdk.append(await asyncio.to_thread(imported))
            tools.append((await asyncio.to_thread(_first_tools, size, text))[1])
            alone.append(await asyncio.to_thread(_searched, size, text))
            with _two_busy_processes():
                elapsed, _, answered = await asyncio.to_thread(_first_tools, size, text)
            busy.append(elapsed)
            first.append(answered)
        async with serving(index_folder(size)):
            await asyncio.to_thread(_searched, size, text)  # which makes the server load its model
            asking = [await asyncio.to_thread(_searched, size, text) for _ in range(_TURNS)]
    return {
        "sdk_s": round(median(sdk), 3),
        "tools_s": round(median(tools), 3),
        "added_s": round(median([one - other for one, other in zip(tools, sdk, strict=True)]), 3),
        "busy_tools_s": round(median(busy), 2),
        "busy_first_question_s": round(median(first), 2),
        "command_beside_server_s": round(median(asking), 2),
        "command_alone_s": round(median(alone), 2),
        "load": [before, load()],
    }


def _first_tools(size: int, text: str) -> tuple[float, float, float]:
    """A new server: seconds until `tools/list` is answered, its processor time until then, and until an answer."""
    watch = Stopwatch()
    with subprocess.Popen(
        [COMMAND, "serve"], env=_environment(size), cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"\n".join(json.dumps(message).encode() for message in (*_GREETING, _LIST)) + b"\n")
        process.stdin.flush()
        for _ in range(2):
            process.stdout.readline()
        spent, elapsed = processor_time(process.pid), watch.lap()
        process.stdin.write(json.dumps(_asked(text)).encode() + b"\n")
        process.stdin.flush()
        while (answer := json.loads(process.stdout.readline())).get("id") != _QUESTION:
            pass
        assert not answer["result"].get("isError"), answer
        return elapsed, spent, watch.lap()


def _asked(text: str) -> dict[str, object]:
    call = {"name": "kb_search", "arguments": {"query": text}}
    return {"jsonrpc": "2.0", "id": _QUESTION, "method": "tools/call", "params": call}


def _environment(size: int) -> dict[str, str]:
    """The same for servers and commands, as a server that has other settings than a command is not asked by it."""
    return environment(index_folder(size)) | {"CITEMARK_LOG_LEVEL": "error"}


def _searched(size: int, text: str) -> float:
    """Processor time of one `citemark search`."""
    process = subprocess.Popen(
        [COMMAND, "search", text],
        env=_environment(size),
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return used.ru_utime + used.ru_stime


@contextmanager
def _two_busy_processes() -> Generator[None]:
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(_BUSY)]
    try:
        yield
    finally:
        for each in loops:
            with contextlib.suppress(ProcessLookupError):
                each.kill()
            each.wait()
