"""A password that the server refuses for a while, or for good: what is sent, what is shown, and who is told what."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.integration.app.cloud import Cloud, cloud_over
from tests.nextcloud.server import Nextcloud

NOTES = 8
PLAN = "The heron plan, part {}, is to buy the old mill by the river in spring."


@pytest.fixture
async def cloud(dsn: str, nextcloud: Nextcloud, tmp_path: Path) -> AsyncGenerator[Cloud]:
    """An index of Alice's notes, where people cannot connect accounts themselves."""
    for number in range(NOTES):
        nextcloud.world.notes.add("alice", f"Heron {number}", PLAN.format(number), "")
    async with cloud_over(dsn, nextcloud, tmp_path) as made:
        await made.join("alice")
        await made.sync()
        yield made


async def called(cloud: Cloud, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool says to Alice."""
    async with cloud.client("alice") as client:
        result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return dict(result.structured_content or {})


async def shown(cloud: Cloud) -> int:
    """How many notes a question shows."""
    return len(await cloud.found("alice", "What is the heron plan?"))


@pytest.mark.requirement("refused-password")
@pytest.mark.requirement("first-401-is-one-request", "asking-people-get-an-immediate-try")
async def test_an_account_that_was_disabled_for_seconds_is_back_when_its_person_asks_for_the_status(
    cloud: Cloud,
) -> None:
    assert await shown(cloud) == NOTES
    accounts = cloud.server.world.accounts
    accounts.disable("alice")
    cloud.server.log.clear()
    assert await shown(cloud) == 0
    assert await shown(cloud) == 0
    assert [seen.status for seen in cloud.server.log.seen] == [401]
    accounts.enable("alice")
    assert (await called(cloud, "nc_get_vector_sync_status"))["status"] != "error"
    assert await shown(cloud) == NOTES


@pytest.mark.requirement("refused-password")
async def test_minutes_later_the_next_scan_finds_the_account_by_itself(cloud: Cloud) -> None:
    accounts = cloud.server.world.accounts
    accounts.disable("alice")
    await cloud.sync()
    accounts.enable("alice")
    assert await shown(cloud) == 0
    cloud.later(150)
    (report,) = (await cloud.sync()).scans.values()
    assert report.complete, report.reason
    assert await shown(cloud) == NOTES


@pytest.mark.requirement("no-impossible-scan-promised")
async def test_enabling_promises_no_scan_that_cannot_begin_and_names_no_command_to_people_with_a_token(
    cloud: Cloud,
) -> None:
    cloud.server.world.accounts.revoke("alice")
    cloud.server.log.clear()
    told = await called(cloud, "nc_enable_vector_sync")
    assert "scan begins now" in told["message"], "nobody knows yet that the password was revoked"
    assert await shown(cloud) == 0
    told = await called(cloud, "nc_enable_vector_sync")
    assert "no scan can begin yet" in told["message"]
    assert "tried again after" in told["message"]
    empty = await called(cloud, "nc_semantic_search", query="heron plan")
    for message in (told["message"], empty["empty_message"]):
        assert "citemark login" not in message
        assert "Whoever runs this server can log in again to alice." in message
    assert [seen.status for seen in cloud.server.log.seen] == [401, 401]


@pytest.mark.requirement("no-impossible-scan-promised")
async def test_people_who_can_connect_accounts_themselves_are_told_of_the_link(
    dsn: str, nextcloud: Nextcloud, tmp_path: Path
) -> None:
    nextcloud.world.notes.add("alice", "Heron", PLAN.format(1), "")
    async with cloud_over(dsn, nextcloud, tmp_path, nextcloud_url=nextcloud.url) as cloud:
        await cloud.join("alice")
        await cloud.sync()
        nextcloud.world.accounts.revoke("alice")
        assert await shown(cloud) == 0
        empty = await called(cloud, "nc_semantic_search", query="heron plan")
        assert "nc_enable_vector_sync gives a link to log in again." in empty["empty_message"]
        told = await called(cloud, "nc_enable_vector_sync")
        assert "/login/v2/flow/" in told["message"]
        assert "begins now" not in told["message"]
