"""A backup of an index while questions are asked: its seconds and bytes, and what the questions took meanwhile."""

import asyncio
import shutil
import time
from pathlib import Path

import httpx2
from tests.bench.index import ensure_index
from tests.bench.locations import cache, index_folder
from tests.bench.many_clients import Taken, ask, serving
from tests.bench.serving import COMMAND, environment
from tests.bench.texts import questions

_ALONE = 200
"""Questions before the backup: enough for a 95th percentile."""


async def measure(size: int) -> dict[str, object]:
    """Seconds and megabytes of the backup, seconds of the restore, p95 of a question without and during the backup."""
    await ensure_index(size)
    folder, place = index_folder(size), cache() / "backup"
    for old in (place, cache() / "backup.unfinished", cache() / "restored"):
        shutil.rmtree(old, ignore_errors=True)
    asked = questions()
    async with serving(folder) as (url, _):
        token = (folder / "http.token").read_text("utf-8").strip()
        async with httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=60) as http:
            alone = [await ask(http, url, asked[number % len(asked)]) for number in range(_ALONE)]
            began = time.perf_counter()
            copying = asyncio.create_task(_command("backup", str(place), data_dir=folder))
            meanwhile: list[Taken | None] = []
            while not copying.done():
                meanwhile.append(await ask(http, url, asked[len(meanwhile) % len(asked)]))
            await copying
            took = time.perf_counter() - began
    began = time.perf_counter()
    await _command("restore", str(place), data_dir=cache() / "restored")
    restored = time.perf_counter() - began
    megabytes = sum(file.stat().st_size for file in place.iterdir()) / 1e6
    for made in (place, cache() / "restored"):
        shutil.rmtree(made)
    before, during = (
        sorted(each.seconds for each in taken if each is not None) for taken in (alone[_ALONE // 10 :], meanwhile)
    )
    return {
        "seconds": round(took, 1),
        "megabytes": round(megabytes),
        "restore_seconds": round(restored, 1),
        "questions_meanwhile": len(during),
        "failed": sum(each is None for each in (*alone, *meanwhile)),
        "p95_alone_ms": round(before[len(before) * 95 // 100] * 1000, 1),
        "p95_meanwhile_ms": round(during[len(during) * 95 // 100] * 1000, 1),
        "p95_ratio": round(during[len(during) * 95 // 100] / before[len(before) * 95 // 100], 2),
    }


async def _command(*words: str, data_dir: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        COMMAND, *words, env=environment(data_dir),
        stdout=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    if await process.wait():
        raise RuntimeError(f"citemark {words[0]} failed")
