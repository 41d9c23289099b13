"""Accounts are kept in step beside serving: by several processes together, and at once when somebody asks."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from tests.integration.app.cloud import Cloud, cloud_over
from tests.nextcloud.bulk import Sizes, fill
from tests.nextcloud.expected_state import differences
from tests.nextcloud.server import Nextcloud
from tests.support.patience import HANG_SECONDS

from citemark.app.compose import App
from citemark.indexing.indexer import WorkDone

_NEVER = 86_400.0


@asynccontextmanager
async def serving(app: App) -> AsyncGenerator[None, None]:
    """What `citemark serve` does beside answering."""
    stop = asyncio.Event()
    working = asyncio.create_task(app.work_in_background(stop))
    try:
        yield
    finally:
        stop.set()
        await working


async def until(seen: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(HANG_SECONDS):
        while not await seen():  # noqa: ASYNC110 - the index tells nobody
            await asyncio.sleep(0.05)


async def in_step(cloud: Cloud) -> bool:
    return not differences(cloud.expected_state("alice"), await cloud.indexed("alice"))


@pytest.mark.requirement("sync-runs-in-the-background", "enabling-and-sync-wake-at-once")
async def test_a_server_watches_an_account_and_scans_at_once_when_it_is_enabled(
    dsn: str, nextcloud: Nextcloud, tmp_path: Path
) -> None:
    fill(nextcloud.world, Sizes().times(0.0005))
    async with cloud_over(dsn, nextcloud, tmp_path, scan_interval=_NEVER) as cloud:
        await cloud.join("alice")
        async with serving(cloud.app):
            await until(lambda: in_step(cloud))
            nextcloud.world.notes.add("alice", "Later", "The ferry leaves at noon.", "")
            async with cloud.client("alice") as client:
                assert not (await client.call_tool("nc_enable_vector_sync", {})).is_error
            await until(lambda: in_step(cloud))


@pytest.mark.requirement("sync-runs-in-the-background")
async def test_several_processes_share_the_documents_of_one_account_and_read_none_twice(
    dsn: str, nextcloud: Nextcloud, tmp_path: Path
) -> None:
    fill(nextcloud.world, Sizes().times(0.02))
    done = Counter[int]()

    def counting(number: int) -> Callable[[WorkDone], None]:
        def count(worked: WorkDone) -> None:
            done[number] += worked.documents

        return count

    async with AsyncExitStack() as stack:
        clouds = [await stack.enter_async_context(cloud_over(dsn, nextcloud, tmp_path)) for _ in range(2)]
        await clouds[0].join("alice")
        keeping = [asyncio.create_task(cloud.app.keep(worked=counting(number))) for number, cloud in enumerate(clouds)]
        try:
            await until(lambda: in_step(clouds[0]))
            await until(lambda: _told(done, len(clouds[0].expected_state("alice"))))
        finally:
            for task in keeping:
                task.cancel()
            await asyncio.wait(keeping)
        assert all(done[number] > 0 for number in range(2)), done


async def _told(done: Counter[int], documents: int) -> bool:
    assert done.total() <= documents, "a document was read twice"
    return done.total() == documents
