"""The personal account with a log of 5 MB: time until every other document has its vectors, over that without it."""

import asyncio
import shutil
from statistics import median
from time import perf_counter

from tests.bench.locations import cache
from tests.bench.measure import load
from tests.bench.personal_account import fill
from tests.integration.app.cloud import Accounts
from tests.nextcloud.separate_server import SeparateServer
from tests.nextcloud.server import Nextcloud

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.settings import load_settings

USER = "alice"
_ROUNDS = 5
_LINES = 5_000_000 // 72
_LOOK_SECONDS = 0.05

_DONE = """
SELECT count(*) AS documents FROM document d
WHERE d.page_id IS NULL AND d.valid_to = 'infinity' AND d.native_id <> %(log)s
  AND NOT EXISTS (SELECT 1 FROM chunk c JOIN vector_task t USING (source_id, chunk_id)
                  WHERE c.source_id = d.source_id AND c.page_id = d.document_id)
"""


async def measure() -> dict[str, object]:
    """Both first syncs in turns, each from nothing; the ratio is that of two syncs one after the other."""
    await _seconds(with_log=False)
    ratios: list[float] = []
    for number in range(_ROUNDS):
        seconds = {with_log: await _seconds(with_log=with_log) for with_log in (number % 2 == 0, number % 2 == 1)}
        ratios.append(seconds[True] / seconds[False])
    return {"ratio": round(median(ratios), 2), "ratios": [round(each, 2) for each in ratios], "load": load()}


async def _seconds(*, with_log: bool) -> float:
    data = cache() / "index-log-beside"
    shutil.rmtree(data, ignore_errors=True)
    with SeparateServer() as server:
        others, log = await asyncio.to_thread(server.do, _fill, with_log)
        async with open_app(load_settings(data_dir=data)) as app:
            accounts = Accounts(app, server.url)
            await accounts.add(USER, server.do(Nextcloud.password, USER))
            await asyncio.to_thread(app.embedder.embed_query, "warm up")
            began = perf_counter()
            syncing = asyncio.create_task(accounts.sync())
            while await _done(app, log) < others:  # noqa: ASYNC110 - only the database can tell
                await asyncio.sleep(_LOOK_SECONDS)
            seconds = perf_counter() - began
            await syncing
    return seconds


def _fill(server: Nextcloud, with_log: bool) -> tuple[int, str]:
    """Fill the account; returns the number of its other documents, and the id of the log ("" without it)."""
    others = len(fill(server.world, USER))
    if not with_log:
        return others, ""
    lines = (
        f"2026-11-25T10:{number % 60:02}:17Z worker-{number % 7} finished job {number} in {number % 90} ms, all is well"
        for number in range(_LINES)
    )
    return others, str(server.world.files.put(USER, "/logs/server.txt", "\n".join(lines)).id)


async def _done(app: App, log: str) -> int:
    """How many documents other than the log have been read and have all of their vectors."""
    (row,) = await app.stores.database.read_sql(_DONE, {"log": log})
    return int(row["documents"])
