"""A slow server, or one that refuses what comes at once, shows what it vouched for, and more the next time."""

from pathlib import Path
from typing import Any

import pytest
from tests.integration.app.cloud import Cloud, cloud_over
from tests.nextcloud.faults import Busy, Status
from tests.nextcloud.server import Nextcloud

NOTES = 41
LATENCY = 0.42
WORKERS = 3
ASKED_AGAIN = 8
QUESTION = "What is the heron plan?"
PLAN = "The heron plan, part {}, is to buy the old mill by the river in spring."


async def settled(cloud: Cloud) -> None:
    """Notes and a file that all answer, indexed."""
    world = cloud.server.world
    for number in range(NOTES):
        world.notes.add("alice", f"Heron {number}", PLAN.format(number), "")
    world.files.put("alice", "plan.md", PLAN.format("file"))
    await cloud.join("alice")
    await cloud.sync()


async def asked(cloud: Cloud) -> dict[str, Any]:
    async with cloud.client("alice") as client:
        result = await client.call_tool("nc_semantic_search", {"query": QUESTION, "score_threshold": 0.0, "limit": 50})
    assert not result.is_error, result.content
    return dict(result.structured_content or {})


@pytest.mark.requirement("repeated-question-shows-more")
async def test_repeating_a_question_on_a_slow_server_shows_more_each_time_until_all_is_shown(
    dsn: str, nextcloud: Nextcloud, tmp_path: Path
) -> None:
    async with cloud_over(dsn, nextcloud, tmp_path, verify_cache=60) as cloud:
        await settled(cloud)
        nextcloud.latency = LATENCY
        nextcloud.set_workers(WORKERS)
        nextcloud.log.clear()
        shown = [0]
        while shown[-1] <= NOTES and len(shown) <= ASKED_AGAIN:
            shown.append(len((await asked(cloud))["results"]))
            assert shown[-1] > shown[-2], shown
    assert shown[-1] == NOTES + 1
    assert nextcloud.log.most_at_once() <= 2 * 12, "what was given up may still be at work beside what is asked anew"


@pytest.mark.requirement("repeated-question-shows-more", "deadline-and-parallelism-adapt")
async def test_an_app_that_locks_under_load_loses_no_hits_of_its_own_or_of_other_apps(
    dsn: str, nextcloud: Nextcloud, tmp_path: Path
) -> None:
    async with cloud_over(dsn, nextcloud, tmp_path, verify_cache=60) as cloud:
        await settled(cloud)
        nextcloud.latency = 0.02
        nextcloud.faults.add(Busy(2), on="/apps/notes/")
        first = await asked(cloud)
        assert "file" in {hit["doc_type"] for hit in first["results"]}
        assert len(first["results"]) > NOTES // 2
        second = await asked(cloud)
        assert len(second["results"]) == NOTES + 1
        assert second["withheld_unverified"] == 0
        assert [note for note in second["notes"] if "the oldest confirmation by a source was up to" in note]


@pytest.mark.requirement("confirmed-documents-count-one-by-one")
async def test_one_app_that_is_locked_for_good_withholds_its_own_documents_and_shows_the_others(
    dsn: str, nextcloud: Nextcloud, tmp_path: Path
) -> None:
    async with cloud_over(dsn, nextcloud, tmp_path) as cloud:
        await settled(cloud)
        nextcloud.faults.add(Status(423), on="/apps/notes/")
        found = await asked(cloud)
    assert [hit["doc_type"] for hit in found["results"]] == ["file"]
    assert found["withheld_unverified"] == NOTES
