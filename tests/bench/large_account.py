"""An account with a file of 200 MB and 20,000 events: all accounted for, in what memory."""

import asyncio
import shutil
from time import perf_counter

from tests.bench.locations import cache
from tests.bench.measure import load
from tests.bench.mixed_formats import peaks
from tests.integration.app.cloud import Accounts
from tests.nextcloud.scenarios import MANY_EVENTS, heavy
from tests.nextcloud.separate_server import SeparateServer
from tests.nextcloud.server import Nextcloud

from citemark.app.open_index import open_app
from citemark.settings import load_settings

USER = "alice"
_MIB = 2**20


async def account() -> dict[str, object]:
    """Sync the account from nothing, with the settings by default: the file is told of, not read."""
    data = cache() / "index-heavy"
    shutil.rmtree(data, ignore_errors=True)
    settings = load_settings(data_dir=data)
    with SeparateServer() as server:
        await asyncio.to_thread(server.do, _fill)
        async with open_app(settings) as app:
            accounts = Accounts(app, server.url)
            source = await accounts.add(USER, server.do(Nextcloud.password, USER))
            with peaks(data, besides=server.pid) as peak:
                began = perf_counter()
                report = await accounts.sync()
                seconds = perf_counter() - began
            indexed = [key.doc_type for key in await accounts.indexed(USER)]
            problems = await app.stores.sources.problems(source.source_id, 10)
    return {
        "events": indexed.count("calendar_event"),
        "reported": len(problems),
        "unaccounted": MANY_EVENTS + 1 - len(indexed) - len(problems),
        "chunks": report.chunks,
        "vectors": report.vectors,
        "seconds": round(seconds, 1),
        "peak_mib": {name: round(size / _MIB) for name, size in sorted(peak.items())},
        "load": load(),
    }


def _fill(server: Nextcloud) -> None:
    heavy(server.world, USER)
