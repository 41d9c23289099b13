"""Purging what is superseded: baselines keep what they hold, moments with a hole are known, nothing else is touched."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from tests.support.index import SMALL, Index, page_of
from tests.support.patience import HANG_SECONDS

from citemark.indexing.rename_detector import RenameDetector
from citemark.model.baselines import BaselineSource, HistorySetting
from citemark.model.errors import InvalidArgument
from citemark.model.sources import Source
from citemark.store.database import Database
from citemark.store.history import HistoryStore


@pytest.fixture
def index(database: Database) -> Index:
    return Index(database)


async def edited(index: Index, source: Source, times: int, name: str = "a.md") -> list[datetime]:
    """Write a page anew so often; a moment within the life of each revision."""
    moments: list[datetime] = []
    for number in range(times):
        await index.put(source, name, f"# One\nrevision number {number}\n# Two\nsame\n")
        moments.append(await index.stores.horizon.now())
    return moments


async def bodies(index: Index) -> list[str]:
    rows = await index.rows("SELECT body FROM revision ORDER BY revision_id")
    return [row[0].split("number ")[1].split("\n")[0] for row in rows]


async def named(index: Index, name: str, at: datetime, source: Source) -> None:
    await index.stores.baselines.create("local", name, at, at, [BaselineSource(source.source_id)])


async def waiting_for_a_row(index: Index, number: int = 1) -> None:
    """Return once so many transactions wait for a row that another one has locked."""
    async with asyncio.timeout(HANG_SECONDS):
        while number > await index.value(
            "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype IN ('transactionid', 'tuple')"
        ):
            pass


async def rows_of_history(index: Index) -> dict[str, int]:
    counts: dict[str, int] = {}
    for table in ("chunk_terms_past", "embedding_1_past", "chunk_delta_past"):
        counts[table] = await index.value(f"SELECT count(*) FROM {table}")  # type: ignore[arg-type]  # noqa: S608
    for table in ("document", "revision", "chunk", "relationship"):
        counts[table] = await index.value(f"SELECT count(*) FROM {table} WHERE valid_to < 'infinity'")  # type: ignore[arg-type]  # noqa: S608
    return counts


@pytest.mark.requirement("purge-leaves-no-moment-with-holes")
async def test_a_purge_takes_all_that_is_older_and_says_from_when_states_are_whole(index: Index) -> None:
    target = await index.stores.vectors.ensure(SMALL)
    source = await index.source()
    moments = await edited(index, source, 4)
    await index.put(source, "gone.md", "# Gone\nsoon")
    await index.drop(source, "gone.md")
    await index.embed(target)
    await index.stores.segments.flush()
    assert await index.stores.of(HistoryStore).purge(source.source_id, moments[2]) == 2
    (kept,) = await index.stores.of(HistoryStore).kept([source.source_id])
    assert kept.since is not None
    assert moments[1] < kept.since <= moments[2]
    assert await index.stores.of(HistoryStore).purge(source.source_id, datetime.now(UTC)) == 2
    left = await rows_of_history(index)
    assert left == dict.fromkeys(left, 0)
    await index.stores.segments.drop_purged([source.source_id])
    assert await index.value("SELECT count(*) FROM segment WHERE past") == 0
    assert await index.value("SELECT count(*) FROM chunk WHERE valid_to = 'infinity'") == 2


@pytest.mark.requirement("purge-leaves-no-moment-with-holes", "purge-spares-baselines")
async def test_a_purge_spares_what_a_baseline_holds_until_that_is_deleted(index: Index) -> None:
    source = await index.source()
    moments = await edited(index, source, 4)
    await named(index, "release", moments[1], source)
    before = datetime.now(UTC)
    purged = await index.stores.of(HistoryStore).count(source.source_id, before)
    assert (purged.revisions, purged.held) == (2, 1)
    assert await index.stores.of(HistoryStore).purge(source.source_id, before) == 2
    assert await bodies(index) == ["1", "3"]
    assert await index.value("SELECT count(*) FROM chunk") == 4
    assert await index.stores.baselines.delete("local", "release")
    assert await index.stores.of(HistoryStore).purge(source.source_id, before) == 1
    assert await bodies(index) == ["3"]


async def test_a_page_that_ended_can_still_be_followed_to_its_successor_after_a_purge(index: Index) -> None:
    renames = RenameDetector(index.stores.renames, index.stores.horizon)
    source = await index.source()
    await index.put(source, "old.md", "# One\nthe same words under another name\n")
    await index.drop(source, "old.md")
    await index.put(source, "new.md", "# One\nthe same words under another name\n")
    assert (await renames.follow(source.source_id)).found == 1
    await index.drop(source, "new.md")
    await index.put(source, "newest.md", "# One\nthe same words under another name\n")
    assert (await renames.follow(source.source_id)).found == 1
    assert await index.stores.of(HistoryStore).purge(source.source_id, datetime.now(UTC)) == 2
    found = await index.stores.documents.latest(source.source_id, "old.md")
    assert found is not None
    assert found.native_id == "newest.md"


@pytest.mark.requirement("history-retention-is-a-setting")
async def test_sources_are_overdue_by_their_own_setting(index: Index) -> None:
    forever, baselines_only, usual = [await index.source(name) for name in ("forever", "baselines", "usual")]
    await index.stores.of(HistoryStore).settle(forever.source_id, HistorySetting(days=None))
    await index.stores.of(HistoryStore).settle(baselines_only.source_id, HistorySetting(days=0))
    for source in (forever, baselines_only, usual):
        await edited(index, source, 2)
    overdue = dict(await index.stores.of(HistoryStore).overdue())
    assert set(overdue) == {baselines_only.source_id}
    await index.rows(
        "UPDATE revision SET valid_from = valid_from - interval '91 days', valid_to = valid_to - interval '91 days'"
        " WHERE valid_to < 'infinity'"
    )
    overdue = dict(await index.stores.of(HistoryStore).overdue())
    assert set(overdue) == {baselines_only.source_id, usual.source_id}
    assert overdue[usual.source_id] < datetime.now(UTC) - timedelta(days=89)


async def test_a_page_follows_the_setting_of_the_moment_at_which_it_is_replaced(index: Index) -> None:
    # The source is as it was loaded before the round, and stays so however long a sync takes.
    source = await index.source(keep_history=False)
    await index.put(source, "a.md", "# One\nrevision number 0\n")
    await index.put(source, "b.md", "# One\nrevision number 1\n")
    await index.stores.of(HistoryStore).settle(source.source_id, HistorySetting(days=None))
    await named(index, "release", await index.stores.horizon.now(), source)
    await index.put(source, "a.md", "# One\nrevision number 2\n")
    await index.drop(source, "b.md")
    assert await bodies(index) == ["0", "1", "2"]
    assert await index.value("SELECT count(*) FROM chunk_terms_past") == 2
    await index.stores.baselines.delete("local", "release")
    at = await index.stores.of(HistoryStore).settle(source.source_id, HistorySetting(keeps=False))
    assert at is not None
    assert await index.stores.of(HistoryStore).purge(source.source_id, at) == 2
    await index.put(source, "a.md", "# One\nrevision number 3\n")
    assert await bodies(index) == ["3"]


async def test_a_page_that_waits_for_a_change_of_the_setting_follows_the_new_one(index: Index) -> None:
    source = await index.source(keep_history=False)
    await index.put(source, "a.md", "# One\nrevision number 0\n")
    page = page_of(source.source_id, "a.md", "# One\nrevision number 1\n")
    async with index.database.transaction() as connection:
        queries = index.database.queries
        await connection.execute(queries["source_lock"], {"source_id": source.source_id})
        writing = asyncio.create_task(index.put_page(source, page))
        await waiting_for_a_row(index)
        params = {"source_id": source.source_id, "keep": True, "days": None}
        await connection.execute(queries["history_settle"], params)
    await writing
    assert await bodies(index) == ["0", "1"]


async def test_a_change_of_the_setting_waits_for_pages_that_are_being_written(index: Index) -> None:
    source = await index.source()
    await index.put(source, "a.md", "# One\nrevision number 0\n")
    await index.want(source.source_id, "a.md", "1")
    await index.claim(source.source_id)
    page = page_of(source.source_id, "a.md", "# One\nrevision number 1\n")
    async with index.database.transaction() as connection:
        # Whoever writes the page now waits for it in the middle of the transaction, with the old setting.
        await connection.execute("SELECT * FROM document FOR UPDATE")
        writing = asyncio.create_task(index.stores.pages.apply(page, index.worker))
        await waiting_for_a_row(index)
        settling = asyncio.create_task(
            index.stores.of(HistoryStore).settle(source.source_id, HistorySetting(keeps=False))
        )
        await waiting_for_a_row(index, number=2)
    await writing
    at = await settling
    assert at is not None
    assert await index.stores.of(HistoryStore).purge(source.source_id, at) == 1
    assert await bodies(index) == ["1"]


async def test_what_a_baseline_names_outlives_an_edit_even_in_a_source_that_keeps_nothing(index: Index) -> None:
    target = await index.stores.vectors.ensure(SMALL)
    source = await index.source()
    moments = await edited(index, source, 2)
    await index.put(source, "gone.md", "# Gone\nnumber soon\n")
    await named(index, "release", moments[1], source)
    await named(index, "later", await index.stores.horizon.now(), source)
    await index.embed(target)
    # Versions before this one could leave an index like that.
    await index.rows("UPDATE source SET keep_history = false")
    await index.put(source, "a.md", "# One\nrevision number 2\n")
    await index.drop(source, "gone.md")
    assert await bodies(index) == ["0", "1", "soon", "2"]
    assert await index.value("SELECT count(*) FROM embedding_1_past") == 5
    ((source_id, before),) = await index.stores.of(HistoryStore).overdue()
    assert await index.stores.of(HistoryStore).purge(source_id, before) == 1
    assert await bodies(index) == ["1", "soon", "2"]


@pytest.mark.requirement("history-retention-is-a-setting")
async def test_what_a_source_without_history_still_has_of_it_is_overdue(index: Index) -> None:
    source = await index.source()
    await edited(index, source, 3)
    at = await index.stores.of(HistoryStore).settle(source.source_id, HistorySetting(keeps=False))
    # The process was killed before its purge.
    assert at is not None
    ((source_id, before),) = await index.stores.of(HistoryStore).overdue()
    assert before >= at
    assert await index.stores.of(HistoryStore).purge(source_id, before) == 2
    assert await index.stores.of(HistoryStore).overdue() == []


async def test_a_source_that_begins_to_keep_history_has_no_whole_state_from_before(index: Index) -> None:
    source = await index.source(keep_history=False)
    (moment, _) = await edited(index, source, 2)
    await index.stores.of(HistoryStore).settle(source.source_id, HistorySetting(days=None))
    (kept,) = await index.stores.of(HistoryStore).kept([source.source_id])
    assert kept.since is not None
    assert kept.since > moment
    with pytest.raises(InvalidArgument, match="name a later one"):
        await named(index, "release", moment, source)
    await index.stores.of(HistoryStore).settle(source.source_id, HistorySetting(days=30))
    (again,) = await index.stores.of(HistoryStore).kept([source.source_id])
    assert again.since == kept.since


@pytest.mark.requirement("baselines-never-change")
async def test_the_name_of_a_baseline_is_given_once(index: Index) -> None:
    source = await index.source()
    moments = await edited(index, source, 2)
    await named(index, "release", moments[0], source)
    with pytest.raises(InvalidArgument, match="baselines never change"):
        await named(index, "release", moments[1], source)
    found = await index.stores.baselines.named("local", "release")
    assert found is not None
    assert found.at == moments[0]
    assert await index.stores.baselines.named("elsewhere", "release") is None


@pytest.mark.requirement("as-of-names-only-durable-commits")
async def test_a_moment_is_returned_only_after_everything_before_it_is_on_disk(index: Index) -> None:
    source = await index.source()
    for number in range(5):
        await index.put(source, "a.md", f"text {number}")
        written = await index.value("SELECT pg_current_wal_insert_lsn()::text")
        await index.stores.horizon.now()
        assert await index.value("SELECT pg_current_wal_flush_lsn() >= %s::pg_lsn", written)
