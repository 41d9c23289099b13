"""Questions read replicas that have what the caller is to see; what is written, is written to the primary."""

import asyncio
import re
from collections.abc import AsyncGenerator, Generator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from psycopg.conninfo import make_conninfo
from pydantic import SecretStr
from tests.support.patience import HANG_SECONDS
from tests.support.replica import Replica, primary_with_replica
from tests.support.statements import counted

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.model.errors import BackendUnavailable, InvalidArgument
from citemark.model.scope import RequestScope
from citemark.model.sources import NewSource, Source
from citemark.services.history_keys import BASELINES
from citemark.services.requests import Caller, SearchRequest
from citemark.services.responses import SearchPage
from citemark.settings import Settings
from citemark.store.database import Database
from citemark.store.replicas import LogPosition
from citemark.store.sources import HorizonStore

HANDLES = re.compile(r"\b(?:FROM|INTO|JOIN) (?:passage|ranked_hit|search_activity|work_done)\b")
REFUSED = re.compile(r"ERROR: .*|cannot execute .*")
CALLER = Caller.local()
QUESTION = SearchRequest("Which port does the gateway listen on?")


@pytest.fixture(scope="module")
def replica() -> Generator[Replica]:
    """A primary of this module and its replica."""
    with primary_with_replica() as made:
        yield made


@pytest.fixture
async def app(replica: Replica, tmp_path: Path) -> AsyncGenerator[App]:
    """An index on the primary, its replica, and one that is gone."""
    gone = make_conninfo(replica.dsn, host=str(tmp_path))
    settings = Settings(
        database_url=SecretStr(replica.primary),
        database_read_urls=(SecretStr(gone), SecretStr(replica.dsn)),
        data_dir=tmp_path / "data",
        verify_cache=0,
    )
    async with open_app(settings) as opened:
        yield opened


@pytest.fixture
async def source(app: App, replica: Replica, tmp_path: Path) -> AsyncGenerator[Source]:
    """A folder with one indexed document, which the replica has."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "port.md").write_text("# Port\n\nThe gateway listens on port 4711.\n")
    made = await app.sources.add(NewSource("handbook", "docs", {"root": str(folder)}))
    await app.sync({made.source_id: made})
    replica.catch_up()
    yield made
    await app.sources.remove(made)


async def ask(app: App) -> SearchPage:
    with app.services.statements_within(30):
        return await app.services.search.find(CALLER, QUESTION)


def rankings(replica: Replica) -> int:
    """How often the replica has been asked what the words of a question mean in each lexicon."""
    return replica.statements().count("JOIN term_stat")


async def ask_until_read(app: App, replica: Replica) -> SearchPage:
    """Ask until the replica is read: one that takes long to connect on a busy machine is left alone for a while."""
    before = rankings(replica)
    async with asyncio.timeout(HANG_SECONDS):
        while True:
            found = await ask(app)
            if rankings(replica) > before:
                return found


@pytest.mark.requirement("reads-on-replicas")
async def test_a_question_is_read_from_the_replica_and_its_handles_lie_on_the_primary(
    app: App, source: Source, replica: Replica
) -> None:
    found = await ask_until_read(app, replica)
    assert "4711" in found.hits[0].preview
    (opened,) = await app.services.passages.open(CALLER, [found.hits[0].passage_id], RequestScope())
    assert "4711" in opened.chunk.text
    assert not HANDLES.search(replica.statements())
    assert not REFUSED.search(replica.statements())


@pytest.mark.requirement("reads-on-replicas")
async def test_a_question_asks_the_primary_and_the_replica_once_each_how_far_they_are(
    app: App, source: Source, replica: Replica
) -> None:
    await ask_until_read(app, replica)
    with counted(app.stores.database) as statements:
        await ask(app)
    assert statements["read_horizon"] == 1
    assert statements["replica_has"] <= 1


@pytest.mark.requirement("reads-on-replicas")
async def test_a_replica_is_asked_again_only_for_what_it_did_not_have_and_after_a_new_connection(
    replica: Replica,
) -> None:
    replica.catch_up()
    other = Database(replica.dsn, pool_size=2)
    await other.open()
    try:
        asked: list[int] = []
        for lsn in ("0/0", "0/0", "0/10", "7FFFFFFF/0", "0/10"):
            with counted(other) as statements:
                assert await other.has_replayed(LogPosition(1, lsn)) == (lsn != "7FFFFFFF/0")
            asked.append(statements["replica_has"])
        assert asked == [1, 0, 0, 1, 0]
        replica.tell(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name LIKE 'citemark%'"
        )
        await other.revive()
        with counted(other) as statements:
            assert await other.has_replayed(LogPosition(1, "0/10"))
        assert statements["replica_has"] == 1
    finally:
        await other.close()


@pytest.mark.requirement("reads-on-replicas")
async def test_a_question_keeps_its_replica_and_once_it_reads_the_primary_it_stays_there(replica: Replica) -> None:
    replica.catch_up()
    database = Database(
        replica.primary, pool_size=2, replicas=[Database(replica.dsn, pool_size=1) for _ in range(2)]
    )  # each of them stands for a replica of its own, and has one connection
    await database.open()
    horizon = HorizonStore(database)

    async def place() -> tuple[bool, int]:
        (row,) = await database.read_sql(
            "SELECT pg_is_in_recovery() AS replica, pg_backend_pid() AS pid", on_replicas=True
        )
        return row["replica"], row["pid"]

    try:
        places: list[tuple[bool, int]] = []
        for _ in range(2):
            with database.within(30):
                await asyncio.gather(horizon.now(), horizon.now())
                first = await place()
                await horizon.now()
                assert await place() == first
                places.append(first)
        assert [is_replica for is_replica, _ in places] == [True, True]
        assert places[0] != places[1]
        with database.within(30):
            await horizon.now()
            assert (await place())[0]
            replica.tell("SELECT pg_wal_replay_pause()")
            try:
                await database.fetch("log_flush")
                await horizon.now()
                assert not (await place())[0]
            finally:
                replica.tell("SELECT pg_wal_replay_resume()")
            replica.catch_up()
            await horizon.now()
            assert not (await place())[0]
    finally:
        await database.close()


@pytest.mark.requirement("reads-on-replicas")
async def test_a_person_reads_what_was_just_written_while_the_replica_is_behind(
    app: App, source: Source, replica: Replica, tmp_path: Path
) -> None:
    await ask_until_read(app, replica)
    replica.tell("SELECT pg_wal_replay_pause()")
    try:
        (tmp_path / "docs" / "port.md").write_text("# Port\n\nThe gateway listens on port 8080.\n")
        await app.sync({source.source_id: source})
        before = rankings(replica)
        found = await ask(app)
        assert "8080" in found.hits[0].preview
        assert rankings(replica) == before
    finally:
        replica.tell("SELECT pg_wal_replay_resume()")
    replica.catch_up()
    again = await ask_until_read(app, replica)
    assert "8080" in again.hits[0].preview


@pytest.mark.requirement("reads-on-replicas")
async def test_what_a_question_itself_writes_it_reads_from_the_primary(
    app: App, source: Source, replica: Replica
) -> None:
    baselines = app.services.get(BASELINES)
    with app.services.statements_within(30):
        replica.tell("SELECT pg_wal_replay_pause()")
        try:
            await baselines.create("before the move")
            assert (await baselines.show("before the move")).baseline.name == "before the move"
        finally:
            replica.tell("SELECT pg_wal_replay_resume()")
        await baselines.delete("before the move")


@pytest.mark.requirement("reads-on-replicas")
async def test_a_read_whose_replica_is_lost_is_answered_by_the_primary(
    app: App, source: Source, replica: Replica
) -> None:
    database = app.stores.database
    await ask_until_read(app, replica)
    with database.within(30):
        await HorizonStore(database).now()
        replica.tell(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name LIKE 'citemark%'"
        )
        assert await database.fetch("stop_languages", {"words": ["the"]})


@pytest.mark.requirement("reads-on-replicas")
async def test_a_replica_that_is_no_replica_or_follows_another_primary_is_not_read(
    app: App, source: Source, replica: Replica
) -> None:
    other = Database(replica.dsn, pool_size=2)
    await other.open()
    assert await other.has_replayed(LogPosition(1, "0/0"))
    assert not await other.has_replayed(LogPosition(2, "0/0"))
    await other.close()
    assert not await app.stores.database.has_replayed(LogPosition(1, "0/0"))


@pytest.mark.requirement("old-handles-after-a-failover")
async def test_where_a_pooler_still_leads_to_a_replica_handles_are_to_be_tried_again(replica: Replica) -> None:
    misled = Database(replica.dsn, pool_size=2)
    await misled.open()
    now = datetime(2026, 1, 1, tzinfo=UTC)
    with pytest.raises(BackendUnavailable, match="as after a failover; try again in a moment"):
        await misled.fetch("passage_session", {"passage_id": "p_none", "principal": "me", "now": now})
    await misled.close()


@pytest.mark.requirement("reads-on-replicas")
async def test_without_replicas_a_question_sends_what_it_always_did(replica: Replica) -> None:
    alone = Database(replica.primary, pool_size=2)
    await alone.open()
    with alone.within(30), counted(alone) as sent:
        await HorizonStore(alone).now()
    await alone.close()
    assert set(sent) <= {"read_horizon", "log_flush"}


@pytest.mark.requirement("old-handles-after-a-failover")
async def test_after_a_failover_documents_are_there_and_old_handles_say_to_search_again(
    app: App, source: Source, replica: Replica, tmp_path: Path
) -> None:
    found = await ask(app)
    replica.catch_up()
    replica.promote()
    settings = app.settings.model_copy(
        update={"database_url": SecretStr(replica.dsn), "data_dir": tmp_path / "data", "database_read_urls": ()}
    )
    async with open_app(settings) as after:
        again = await ask(after)
        assert again.hits[0].citation == replace(found.hits[0].citation, as_of=again.hits[0].citation.as_of)
        with pytest.raises(InvalidArgument, match="search again"):
            await after.services.passages.open(CALLER, [found.hits[0].passage_id], RequestScope())
