"""An account that is switched off while it is read, and switched on again."""

import asyncio
from pathlib import Path

import pytest
from tests.integration.app.cloud import Cloud, cloud_over
from tests.nextcloud.server import Nextcloud

from citemark.features.nextcloud.services.keys import ACCOUNT_SYNC
from citemark.features.nextcloud.store.accounts import AccountStore

PLAN = "The heron plan, part {}, is to buy the old mill by the river in spring."


@pytest.mark.requirement("scan-after-disable-writes-nothing")
async def test_a_scan_that_ends_after_its_account_was_switched_off_writes_nothing(
    dsn: str, nextcloud: Nextcloud, tmp_path: Path
) -> None:
    async with cloud_over(dsn, nextcloud, tmp_path) as cloud:
        source = await cloud.join("alice")
        nextcloud.world.notes.add("alice", "Heron 0", PLAN.format(0), "")
        await cloud.sync()
        before = await written(cloud)
        for number in range(1, 5):
            nextcloud.world.notes.add("alice", f"Heron {number}", PLAN.format(number), "")
        nextcloud.latency = 0.3
        running = asyncio.create_task(cloud.sync())
        while not (await cloud.app.stores.of(AccountStore, cloud.app.stores.sources).states([source]))[
            source.source_id
        ].scanning:
            assert not running.done()
        person = cloud.caller("alice").principal
        await cloud.app.services.get(ACCOUNT_SYNC).disable(person, erase=False)
        nextcloud.latency = 0
        await asyncio.gather(running, return_exceptions=True)
        assert await written(cloud) == before
        await cloud.app.services.get(ACCOUNT_SYNC).enable(person)
        assert len(await cloud.found("alice", "heron plan")) == 1
        await cloud.sync()
        assert len(await cloud.found("alice", "heron plan")) == 5


async def written(cloud: Cloud) -> list[dict[str, object]]:
    """What scans and workers have written of all accounts."""
    return await cloud.app.stores.database.read_sql(
        "SELECT c.listed, c.last_complete_at, c.finished_at, c.reason, (SELECT count(*) FROM item) AS items,"
        " (SELECT count(*) FROM revision) AS revisions, (SELECT count(*) FROM problem) AS problems,"
        " (SELECT string_agg(key || md5(value), ',' ORDER BY key) FROM scan_memory) AS memory FROM scan c"
    )
