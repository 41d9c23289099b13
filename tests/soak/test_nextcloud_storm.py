"""People work on a server that breaks a fifth of its answers while an index follows: in the end it is the truth."""

import asyncio
import os
from pathlib import Path

import pytest
from tests.integration.app.cloud import cloud_over
from tests.nextcloud.actions.people import People
from tests.nextcloud.expected_state import differences
from tests.nextcloud.scenarios import storm
from tests.nextcloud.server import Nextcloud

from citemark.store.database import Database

pytestmark = pytest.mark.slow

USER_ACTIONS = 1000 if os.environ.get("CITEMARK_SOAK") else 20
RATE = 10.0
"""Deeds a second: slow enough that many scans fall between them."""


@pytest.mark.requirement("soak-ends-with-nothing-wrong")
async def test_after_a_storm_of_changes_nothing_is_missing_doubled_stale_or_wrongly_gone(
    dsn: str, tmp_path: Path, nextcloud: Nextcloud
) -> None:
    people = People(nextcloud.world)
    people.settle()
    async with cloud_over(dsn, nextcloud, tmp_path) as cloud:
        for user in people.users:
            await cloud.join(user)
        with storm(nextcloud, people, actions=USER_ACTIONS, rate=RATE, seed=11) as weather:
            while not weather.over.is_set():
                await cloud.sync()
                await asyncio.sleep(0)
        nextcloud.world.clock.jump(2)
        for _ in range(3):
            cloud.later(cloud.app.settings.scan_interval)
            await _much_later(cloud.app.stores.database)
            await cloud.sync()
        for user in people.users:
            assert not differences(cloud.expected_state(user), await cloud.indexed(user)), people.done


async def _much_later(database: Database) -> None:
    """What failed is tried again, and every listing begins anew."""
    async with database.transaction() as connection:
        await connection.execute("UPDATE item SET retry_at = '2000-01-01 00:00:00+00'")
        await connection.execute("DELETE FROM scan_memory")
