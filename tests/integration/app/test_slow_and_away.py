"""A server that takes its time, or is in maintenance: what one question sends, and what the next one shows."""

from pathlib import Path
from typing import Any

import pytest
from tests.integration.app.cloud import Cloud, cloud_over
from tests.nextcloud.server import Nextcloud

NOTES = 30
LIMIT = 10
PLAN = "The heron plan, part {}, is to buy the old mill by the river in spring."


async def asked(cloud: Cloud) -> dict[str, Any]:
    """One question for ten documents, and what it says."""
    async with cloud.client("alice") as client:
        arguments = {"query": "What is the heron plan?", "score_threshold": 0.0, "limit": LIMIT}
        result = await client.call_tool("nc_semantic_search", arguments)
    assert not result.is_error, result.content
    return dict(result.structured_content or {})


async def filled(cloud: Cloud) -> None:
    for number in range(NOTES):
        cloud.server.world.notes.add("alice", f"Heron {number}", PLAN.format(number), "")
    await cloud.join("alice")
    await cloud.sync()
    cloud.server.log.clear()


@pytest.mark.requirement("question-sends-few-checks", "late-verdicts-serve-the-next-question")
@pytest.mark.parametrize("latency", [0.05, 1.0, 3.0])
async def test_one_question_sends_few_requests_and_the_third_time_shows_all(
    dsn: str, nextcloud: Nextcloud, tmp_path: Path, latency: float
) -> None:
    async with cloud_over(dsn, nextcloud, tmp_path, verify_cache=5) as cloud:
        await filled(cloud)
        nextcloud.latency = latency
        shown: list[int] = []
        while not shown or (shown[-1] < LIMIT and len(shown) < 3):
            before = len(nextcloud.log.seen)
            shown.append(len((await asked(cloud))["results"]))
            assert len(nextcloud.log.seen) - before <= LIMIT + 10
    assert shown[-1] == LIMIT, shown
    assert len(nextcloud.log.seen) <= LIMIT + 10, "what is being asked is not asked again"


@pytest.mark.requirement("server-in-maintenance-asked-once")
async def test_a_server_in_maintenance_is_asked_once_and_named_so(
    dsn: str, nextcloud: Nextcloud, tmp_path: Path
) -> None:
    async with cloud_over(dsn, nextcloud, tmp_path) as cloud:
        await filled(cloud)
        nextcloud.world.maintenance = True
        moment = cloud.app.clock()
        cloud.app.clock = lambda: moment
        told = await asked(cloud)
        assert (told["results"], told["withheld_unverified"] > 0) == ([], True)
        assert any("in maintenance" in note for note in told["notes"])
        async with cloud.client("alice") as client:
            status = dict((await client.call_tool("nc_get_vector_sync_status", {})).structured_content or {})
            quotes = dict((await client.call_tool("kb_retrieve_evidence", {"question": PLAN})).structured_content or {})
        assert "in maintenance" in status["sources"][0]["last_error"]
        assert any("in maintenance" in note for note in quotes["notes"])
        assert len(nextcloud.log.seen) == 1
