"""Shared events from server to answer: what is hidden from a reader is not shown, from the moment it is hidden."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.integration.app.cloud import Cloud, cloud_over
from tests.nextcloud.pim.texts import event
from tests.nextcloud.server import Nextcloud

SECRET = "The board discusses the takeover of the old mill."
QUESTION = "What does the board discuss about the mill?"


@pytest.fixture
async def cloud(dsn: str, nextcloud: Nextcloud, tmp_path: Path) -> AsyncGenerator[Cloud, None]:
    calendars = nextcloud.world.calendars
    calendars.create("alice", "work")
    calendars.put("alice", "work", event("board", "Board meeting", description=SECRET))
    calendars.share("alice", "work", "bob")
    async with cloud_over(dsn, nextcloud, tmp_path) as made:
        for user in ("alice", "bob"):
            await made.join(user)
        await made.sync()
        yield made


async def shown(cloud: Cloud, user: str) -> str:
    return "\n".join(str(item) for item in await cloud.found(user, QUESTION))


@pytest.mark.requirement("i4-9-never-shown", "N6-changed")
@pytest.mark.parametrize("hidden", ["CLASS:CONFIDENTIAL", "CLASS:PRIVATE"])
async def test_an_event_hidden_from_its_readers_is_not_shown_to_them_before_any_sync_nor_after(
    cloud: Cloud, hidden: str
) -> None:
    assert "takeover" in await shown(cloud, "bob")
    calendars = cloud.server.world.calendars
    calendars.put("alice", "work", event("board", "Board meeting", description=SECRET, extra=[hidden]))
    assert "takeover" not in await shown(cloud, "bob")
    await cloud.sync()
    assert "takeover" not in await shown(cloud, "bob")
    assert "takeover" in await shown(cloud, "alice"), "it is hers still"
    cloud.later(2 * cloud.app.settings.scan_interval)
    await cloud.sync()
    rows = await cloud.app.stores.database.read_sql(
        "SELECT count(*) AS n FROM revision WHERE source_id = %(source_id)s AND body LIKE '%%takeover%%'",
        {"source_id": cloud.sources["bob"].source_id},
    )
    assert rows[0]["n"] == 0, "nothing of it is left in his part of the index"


async def test_changed_text_under_the_same_etag_is_read_once_and_then_kept(cloud: Cloud) -> None:
    calendars = cloud.server.world.calendars
    item = calendars.owned("alice", "work").items["board.ics"]
    item.text = event("board", "Board meeting", description="The mill is not for sale.")
    assert "takeover" not in await shown(cloud, "alice")
    assert (await cloud.sync("alice")).documents == 1
    assert "not for sale" in await shown(cloud, "alice")
    assert (await cloud.sync("alice")).documents == 0
