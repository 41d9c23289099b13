"""A password that the server refuses for a while, or for good: what is sent, what is shown, and who is told what."""

import asyncio
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


def refusals(cloud: Cloud) -> int:
    """How many requests the server refused since its log was cleared."""
    return sum(seen.status == 401 for seen in cloud.server.log.seen)


@pytest.mark.requirement("first-401-is-one-request")
async def test_questions_asked_at_the_same_time_meet_the_first_401_with_one_request(cloud: Cloud) -> None:
    cloud.server.world.accounts.disable("alice")
    cloud.server.latency = 0.05
    cloud.server.log.clear()
    assert await asyncio.gather(*(shown(cloud) for _ in range(6))) == [0] * 6
    assert refusals(cloud) == len(cloud.server.log) == 1


@pytest.mark.requirement("asking-people-get-an-immediate-try", "refused-passwords-tried-few-a-day")
@pytest.mark.parametrize("tool", ["nc_enable_vector_sync", "nc_get_vector_sync_status"])
async def test_each_tool_brings_an_account_back_at_once_within_the_few_tries_of_a_day(cloud: Cloud, tool: str) -> None:
    accounts = cloud.server.world.accounts
    accounts.disable("alice")
    assert await shown(cloud) == 0
    cloud.server.log.clear()
    assert (await called(cloud, tool))["status"] == "error"
    assert refusals(cloud) == 1, "one call is one try"
    accounts.enable("alice")
    told = await called(cloud, tool)
    assert told["status"] != "error"
    assert "no scan can begin" not in told["message"]
    assert await shown(cloud) == NOTES, "at once, before any scan"
    accounts.disable("alice")
    assert await shown(cloud) == 0
    for _ in range(8):
        assert (await called(cloud, tool))["status"] == "error"
    assert refusals(cloud) <= 4, "however often it is asked"
    accounts.enable("alice")
    assert (await called(cloud, tool))["status"] == "error", "the tries of the day are used up"
    cloud.later(25 * 3600)
    assert (await called(cloud, tool))["status"] != "error"
    assert await shown(cloud) == NOTES


@pytest.mark.requirement("asking-people-get-an-immediate-try")
@pytest.mark.parametrize("offered", [False, True])
async def test_a_sync_that_is_switched_on_again_tries_a_password_that_was_refused_before(
    dsn: str, nextcloud: Nextcloud, tmp_path: Path, *, offered: bool
) -> None:
    nextcloud.world.notes.add("alice", "Heron", PLAN.format(1), "")
    async with cloud_over(dsn, nextcloud, tmp_path, nextcloud_url=nextcloud.url if offered else None) as cloud:
        await cloud.join("alice")
        await cloud.sync()
        nextcloud.world.accounts.disable("alice")
        assert await shown(cloud) == 0
        await called(cloud, "nc_disable_vector_sync")
        nextcloud.world.accounts.enable("alice")
        told = await called(cloud, "nc_enable_vector_sync")
        assert "a scan begins now" in told["message"], "nobody has to log in again"
        assert await shown(cloud) == 1


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
