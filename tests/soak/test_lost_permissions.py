"""Permission or the data folder is lost in the middle of work: nothing is taken for deleted, and all is there again."""

import asyncio
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import psycopg
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from psycopg.conninfo import conninfo_to_dict
from tests.acceptance.served import CITEMARK, index
from tests.integration.app.cloud import Cloud, cloud_over
from tests.nextcloud.expected_state import differences
from tests.nextcloud.faults import Instead
from tests.nextcloud.server import Nextcloud
from tests.nextcloud.world import World
from tests.support.hostile_listings import Made
from tests.support.index_checks import check_folder, check_whole

from citemark.app.open_index import open_app
from citemark.model.sources import NewSource
from citemark.settings import Settings
from citemark.store.embedded import EmbeddedPostgres

LONG = bool(os.environ.get("CITEMARK_SOAK"))
TURNS = 50 if LONG else 1
_PAGES = 40
_PATIENCE = 120
_DENIED = "-dac_override,-dac_read_search"
_NO_OVERRIDE = ("setpriv", "--bounding-set", _DENIED, "--inh-caps", _DENIED)
"""What makes root heed permissions as anybody does."""


def _command() -> list[str]:
    if os.geteuid() != 0:
        return [CITEMARK]
    if shutil.which("setpriv") is None:
        pytest.skip("root heeds no permissions, and setpriv, which makes it, is not installed")
    return [*_NO_OVERRIDE, CITEMARK]


@contextmanager
def _reached_without_override(dsn: str) -> Generator[None]:
    """The socket of the tests' cluster open to root without its privileges: the folder belongs to another account."""
    folder = Path(str(conninfo_to_dict(dsn).get("host") or "/"))
    paths = [place for place in (*folder.glob(".s.PGSQL.*"), folder, *folder.parents) if place.stat().st_uid != 0]
    before = {path: path.stat().st_mode for path in paths}
    for path, mode in before.items():
        path.chmod(mode | (0o001 if path.is_dir() else 0o777))
    try:
        yield
    finally:
        for path, mode in before.items():
            path.chmod(mode)


@pytest.mark.requirement("attacks-kept-in-the-soak")
@pytest.mark.timeout(3600 if LONG else 600)
async def test_a_folder_that_becomes_unreadable_during_a_scan_loses_no_document(dsn: str, tmp_path: Path) -> None:
    chance, docs = Random(7), tmp_path / "docs"
    inner = docs / "inner"
    inner.mkdir(parents=True)
    for number in range(_PAGES):
        place = inner if number % 2 else docs
        (place / f"page-{number}.md").write_text(f"# Page\n\nThe words of mark-{number}-end.\n")
    environment = {**index(tmp_path / "data").environment, "CITEMARK_DATABASE_URL": dsn}
    settings = Settings(database_url=dsn, data_dir=tmp_path / "data")  # pyright: ignore[reportArgumentType]
    async with open_app(settings) as app:
        new = NewSource(name="docs", kind="docs", config={"root": str(docs)}, keep_history=False)
        source = await app.stores.sources.add(new)
        await app.sync({source.source_id: source})
        for turn in range(TURNS):
            (inner / "page-1.md").write_text(f"# Page\n\nThe words of mark-{1_000 + turn}-end.\n")
            # The first turn lists the folder when it is closed for sure; the others sample the moment.
            closed, moment = (chance.choice((docs, inner)), chance.uniform(0, 2.5)) if turn else (inner, 0.0)
            with _reached_without_override(dsn):
                said = _sync_while_closed(environment, closed, moment)
            assert "does not answer" not in said, said
            assert turn or "cannot be read" in said, said
            found = await app.stores.database.read_sql(
                "SELECT count(*) AS pages FROM document WHERE page_id IS NULL AND valid_to = 'infinity'", {}
            )
            assert found[0]["pages"] == _PAGES
        await app.sync({source.source_id: source})
        await check_folder(app.stores.database, source.source_id, docs)
        await check_whole(app.stores.database, source.source_id, _PAGES)


def _sync_while_closed(environment: dict[str, str], closed: Path, moment: float) -> str:
    """A sync in the middle of which a folder is closed; it says so or was done already."""
    pipe = subprocess.PIPE
    command = [*_command(), "sync", "--quiet"]
    with subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True) as sync:
        time.sleep(moment)
        closed.chmod(0)
        try:
            out, said = sync.communicate(timeout=_PATIENCE)
        finally:
            closed.chmod(0o755)
    assert sync.returncode in {0, 1}, said
    assert "Traceback" not in out + said, said
    return out + said


@pytest.mark.requirement("attacks-kept-in-the-soak")
@pytest.mark.timeout(3600 if LONG else 600)
async def test_a_share_that_is_taken_back_in_the_middle_is_gone_and_nothing_else(
    dsn: str, nextcloud: Nextcloud, tmp_path: Path
) -> None:
    world = nextcloud.world
    world.files.put("bob", "own.txt", b"What alice keeps of mark-1-end.")
    async with cloud_over(dsn, nextcloud, tmp_path) as cloud:
        for user in ("alice", "bob"):
            await cloud.join(user)
        for turn in range(TURNS):
            path = f"given-{turn}.txt"
            world.files.put("alice", path, b"What is given of mark-2-end.")
            share = world.files.share("alice", path, "bob")
            await cloud.sync()
            assert await _given(cloud, turn), "it is found while it is shared"
            world.files.put("alice", path, b"What is given of mark-3-end.")
            world.clock.jump(2)
            cloud.later(cloud.app.settings.scan_interval)
            taken = nextcloud.faults.add(Instead(_taking_back(world, share.id)), "GET .*/files/bob/.*given-", times=1)
            await cloud.sync()
            assert taken.used == 1
            assert not await _given(cloud, turn), "nobody is shown what they may not open any more"
            nextcloud.faults.clear()
            world.clock.jump(2)
            cloud.later(cloud.app.settings.scan_interval)
            await cloud.sync()
            for user in ("alice", "bob"):
                assert not differences(cloud.expected_state(user), await cloud.indexed(user)), user


async def _given(cloud: Cloud, turn: int) -> bool:
    """Whether bob is shown the file of a turn."""
    hits = await cloud.found("bob", "What is given?", score_threshold=0.0)
    return any(hit["title"].startswith(f"given {turn}") for hit in hits)


def _taking_back(world: World, share: int) -> Made:
    """A download in the middle of which the share ends."""

    def make(_: str) -> tuple[int, dict[str, str], bytes]:
        world.files.unshare(share)
        return 404, {}, b""

    return make


@pytest.mark.requirement("attacks-kept-in-the-soak")
@pytest.mark.timeout(3600 if LONG else 600)
async def test_a_data_folder_that_is_unavailable_for_a_while_is_intact_afterwards(folder: Path) -> None:
    """As a drive is: a server and a sync fail or wait meanwhile, and neither makes another index in its place."""
    chance, docs, data, away = Random(9), folder / "docs", folder / "data", folder / "away"
    for number in range(_PAGES // 4):
        (docs / f"page-{number}.md").write_text(f"# Page\n\nThe words of mark-{number}-end.\n")
    environment = {**index(data).environment, "CITEMARK_SCAN_INTERVAL": "5"}
    async with open_app(Settings(data_dir=data)) as app:
        new = NewSource(name="docs", kind="docs", config={"root": str(docs)}, keep_history=False)
        source = await app.stores.sources.add(new)
        await app.sync({source.source_id: source})
    errors, said = folder / "stderr", ""
    with errors.open("w", encoding="utf-8") as log:
        server = StdioServerParameters(command=CITEMARK, args=["serve"], env=environment)
        async with Client(stdio_client(server, errlog=log)) as client:
            await _found(client, "mark-1-end")
            for turn in range(TURNS + 1):
                words = f"mark-{1_000 + turn}-end"
                (docs / "page-1.md").write_text(f"# Page\n\nThe words of {words}.\n")
                # The first turn has the server alone; in the others a sync loses the folder, too.
                sync = await _sync_that_reached(data, environment) if turn else None
                await asyncio.sleep(chance.uniform(0, 1) if turn else 0)  # the moment is what is sampled
                database = EmbeddedPostgres(data).status().pid
                data.rename(away)
                assert database is not None
                os.kill(database, signal.SIGQUIT)  # what PostgreSQL does to itself within a minute
                during = await client.call_tool("kb_search", {"query": words})
                assert during.is_error, "there is nothing to search"
                assert _code(during.structured_content) in {"BACKEND_UNAVAILABLE", "TIMEOUT"}
                assert not data.exists(), sorted(data.rglob("*"))
                away.rename(data)
                if sync is not None:
                    said += (await asyncio.wait_for(sync.communicate(), _PATIENCE))[1].decode()
                    assert sync.returncode in {0, 1, 2}, said
                await _found(client, words)
    said += errors.read_text("utf-8")
    assert "Traceback" not in said, said[-3000:]
    async with open_app(Settings(data_dir=data)) as app:
        await app.sync({source.source_id: source})
        await check_folder(app.stores.database, source.source_id, docs)
        await check_whole(app.stores.database, source.source_id, _PAGES // 4)


async def _sync_that_reached(data: Path, environment: dict[str, str]) -> asyncio.subprocess.Process:
    """A sync that has opened the index; one that begins later finds no data folder, and makes one."""
    database = EmbeddedPostgres(data)
    connections = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'citemark%'"
    async with await psycopg.AsyncConnection.connect(database.acquire(), autocommit=True) as connection:

        async def connected() -> int:
            row = await (await connection.execute(connections)).fetchone()
            return 0 if row is None else int(row[0])

        before = await connected()
        sync = await asyncio.create_subprocess_exec(
            CITEMARK, "sync", "--quiet", env=environment, stderr=subprocess.PIPE
        )
        until = time.monotonic() + _PATIENCE
        while sync.returncode is None and await connected() <= before:
            assert time.monotonic() < until
            await asyncio.sleep(0.05)
    database.release()
    return sync


def _code(result: Any) -> str:
    return result["error"]["code"]


async def _found(client: Client, words: str) -> None:
    """The server finds what was written, sooner or later."""
    until = time.monotonic() + _PATIENCE
    while True:
        found = await client.call_tool("kb_search", {"query": words})
        if not found.is_error and words in str(found.structured_content):
            return
        assert time.monotonic() < until, f"{words} is not found: {found.structured_content}"
        await asyncio.sleep(0.3)
