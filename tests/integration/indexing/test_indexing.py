"""The loop that keeps an index equal to its sources, over sources in memory."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import pairwise
from random import Random

import pytest
from tests.support.indexing_loop import TEXTS, IndexingLoop
from tests.support.memory_source import MemorySource
from tests.support.patience import HANG_SECONDS

from citemark.extraction.markdown.document import extract_markdown
from citemark.indexing.source_scan import DeletionPolicy, SourceScan
from citemark.model.clock import system_clock
from citemark.model.documents import Fetched, Listed, Problem, ScanEnd
from citemark.model.errors import (
    BackendUnavailable,
    FatalSourceError,
    RetriableSourceError,
    SkippableSourceError,
)
from citemark.model.ids import LONGEST_ID, NativeId, Version
from citemark.store.database import Database


@pytest.fixture
async def loop(database: Database) -> AsyncGenerator[IndexingLoop, None]:
    with ThreadPoolExecutor(1) as threads:
        yield IndexingLoop(database, threads)


def hexadecimal(count: int) -> str:
    """As many characters, twice over, that no compression of the database makes shorter than an index takes."""
    return Random(1).randbytes(count).hex()


def fails(native_id: str, error: Exception) -> Callable[[str], None]:
    def trouble(what: str) -> None:
        if what == native_id:
            raise error

    return trouble


@pytest.mark.requirement("scans-say-whether-they-were-complete", "sync-queue-is-durable")
async def test_after_a_sync_the_index_equals_its_source(loop: IndexingLoop) -> None:
    report = await loop.sync()
    assert await loop.indexed() == TEXTS
    assert (report.documents, report.failed) == (6, 0)
    assert report.vectors == report.chunks > 0
    loop.memory.texts["0.md"] = "# Page 0\nEdited.\n"
    del loop.memory.texts["1.md"]
    loop.memory.texts["9.md"] = "# Page 9\nNew.\n"
    report = await loop.sync()
    assert await loop.indexed() == loop.memory.texts
    assert (report.documents, report.removed) == (2, 1)


async def test_new_pages_are_written_together(database: Database) -> None:
    with ThreadPoolExecutor(1) as threads:
        loop = IndexingLoop(database, threads, together=HANG_SECONDS)
        report = await loop.sync()
    assert (report.documents, report.failed) == (len(TEXTS), 0)
    assert await loop.indexed() == TEXTS
    assert await loop.index.value("SELECT count(DISTINCT valid_from) FROM document WHERE page_id IS NULL") == 1


async def test_pages_that_are_ready_do_not_wait_for_a_document_that_takes_long(loop: IndexingLoop) -> None:
    held = loop.memory.held["3.md"] = asyncio.Event()
    syncing = asyncio.create_task(loop.sync())
    async with asyncio.timeout(HANG_SECONDS):
        while set(await loop.indexed()) != {"0.md", "1.md", "2.md"}:
            assert not syncing.done()
        held.set()
        await syncing
    assert await loop.indexed() == TEXTS


async def test_one_text_that_cannot_be_stored_takes_none_with_it_that_was_read_beside_it(loop: IndexingLoop) -> None:
    loop.memory.texts["2.md"] = "A text with a NUL \x00 in it."
    report = await loop.sync()
    assert (report.documents, report.failed) == (len(TEXTS) - 1, 1)
    assert set(await loop.indexed()) == set(TEXTS) - {"2.md"}
    assert "cannot take this text" in (await loop.problems())["2.md"]


_REFUSING = b"""
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this one'; END $$;
CREATE TRIGGER refuse BEFORE INSERT ON revision FOR EACH ROW WHEN (NEW.body LIKE '%page 2%') EXECUTE FUNCTION refuse()
"""


async def test_a_page_that_cannot_be_written_is_told_of_alone(loop: IndexingLoop, database: Database) -> None:
    async with database.transaction() as connection:
        await connection.execute(_REFUSING)
    report = await loop.sync()
    assert (report.documents, report.failed) == (len(TEXTS) - 1, 1)
    assert set(await loop.indexed()) == set(TEXTS) - {"2.md"}
    assert "while it was read" in (await loop.problems())["2.md"]


async def test_a_document_whose_lease_was_lost_is_read_again_and_counted_once(loop: IndexingLoop) -> None:
    class Changing(MemorySource):
        async def fetch(self, doc_type: str, native_id: NativeId) -> Fetched | None:
            if native_id == "3.md" and native_id not in self.fetched:
                assert loop.source is not None
                await loop.index.want(loop.source.source_id, native_id, "listed while it is read")
            return await super().fetch(doc_type, native_id)

    loop.memory = Changing(dict(TEXTS))
    report = await loop.sync()
    assert loop.memory.fetched.count("3.md") > 1
    assert (report.documents, report.failed) == (len(TEXTS), 0)
    assert await loop.indexed() == TEXTS


@pytest.mark.parametrize(("searched", "readers"), [(False, 2), (True, 1)])
@pytest.mark.requirement("no-test-depends-on-the-clock")
async def test_one_reader_works_while_anybody_searches_and_all_of_them_else(
    database: Database, *, searched: bool, readers: int
) -> None:
    with ThreadPoolExecutor(1) as threads:
        loop = IndexingLoop(database, threads, readers=2)
        loop.memory.texts = {f"{n}.md": f"# Page {n}\nA text." for n in range(40)}
        if searched:
            await loop.index.stores.vectors.note_search("somebody")
        holders = set[str]()
        loop.memory.open_.clear()  # until as many readers as should work have taken documents

        async def look() -> None:
            while True:
                if searched:  # anew each time: a search counts for a few seconds
                    await loop.index.stores.vectors.note_search("somebody")
                rows = await loop.index.rows("SELECT DISTINCT leased_by FROM item WHERE leased_by IS NOT NULL")
                holders.update(row[0] for row in rows)
                if len(holders) >= readers:
                    loop.memory.open_.set()

        looking = asyncio.create_task(look())
        await loop.sync()
        looking.cancel()
        assert await loop.indexed() == loop.memory.texts
        assert len(holders) == readers


async def test_a_sync_without_changes_reads_nothing(loop: IndexingLoop) -> None:
    await loop.sync()
    loop.memory.fetched.clear()
    report = await loop.sync()
    assert loop.memory.fetched == []
    assert (report.documents, report.vectors) == (0, 0)


async def test_a_document_with_an_id_too_long_for_the_index_is_reported_and_all_others_indexed(
    loop: IndexingLoop,
) -> None:
    long = hexadecimal(2_500)
    fitting, longer = long[: LONGEST_ID - 3] + ".md", long[: LONGEST_ID - 2] + ".md"
    loop.memory.texts = {**TEXTS, fitting: "Fits.", longer: "Does not.", long + ".md": "Not at all."}
    report = await loop.sync()
    assert report.scans["docs"].complete
    assert await loop.indexed() == {**TEXTS, fitting: "Fits."}
    assert await loop.problems() == {
        f"{name[:100]}…{name[-100:]}": f"Its path or id has {len(name):,} bytes, more than the 1,000 that are indexed; "
        "shorten it, or leave it out."
        for name in (longer, long + ".md")
    }


async def test_a_document_with_nul_in_its_id_is_reported_and_all_others_indexed(loop: IndexingLoop) -> None:
    loop.memory.texts = {**TEXTS, "a\0b.md": "Cannot be stored."}
    loop.memory.problems = {"c\0d.md": "It has no name."}
    report = await loop.sync()
    assert report.scans["docs"].complete
    assert await loop.indexed() == TEXTS
    assert await loop.problems() == {
        "a\ufffdb.md": "Its path or id contains a NUL character; rename it, or leave it out.",
        "c\ufffdd.md": "It has no name.",
    }


async def test_a_document_that_is_listed_twice_counts_once(loop: IndexingLoop) -> None:
    class Twice(MemorySource):
        async def scan(self) -> AsyncIterator[Listed | Problem | ScanEnd]:
            yield Listed("docs_page", NativeId("0.md"), Version("of another folder"))
            async for entry in super().scan():
                yield entry

    await loop.sync()
    loop.memory = Twice(dict(TEXTS))
    report = await loop.sync()
    assert report.scans["docs"].complete
    assert (report.documents, report.scans["docs"].problems) == (0, 0)
    assert await loop.indexed() == TEXTS


async def test_a_problem_with_an_id_too_long_for_the_index_is_reported_with_the_ends_of_it(loop: IndexingLoop) -> None:
    name = hexadecimal(2_500)
    loop.memory.problems = {name: "It has no name."}
    await loop.sync()
    assert await loop.indexed() == TEXTS
    assert await loop.problems() == {f"{name[:100]}…{name[-100:]}": "It has no name."}


async def test_a_page_with_the_longest_id_and_headings_is_indexed_with_its_sections(loop: IndexingLoop) -> None:
    chance = Random(2)
    headings = ["".join(chr(chance.randrange(0x4E00, 0x9FA5)) for _ in range(150)) for _ in range(6)]
    name = hexadecimal(500)
    loop.memory.texts = {name: "".join(f"{'#' * (n + 1)} {title}\n\nWords.\n\n" for n, title in enumerate(headings))}
    loop.memory.read = lambda native_id, body: extract_markdown(body, fallback_title=native_id)
    await loop.sync()
    assert await loop.problems() == {}
    rows = await loop.index.rows("SELECT native_id FROM document WHERE doc_type = 'section'")
    assert len({row[0] for row in rows}) == len(headings)


async def test_of_more_problems_than_anybody_reads_the_first_are_recorded_and_the_others_counted(
    loop: IndexingLoop,
) -> None:
    loop.memory.problems = {f"{n:04}.md": "It cannot be read." for n in range(2_100)}
    report = await loop.sync()
    assert loop.source is not None
    recorded = await loop.index.stores.sources.problems(loop.source.source_id, 5_000)
    assert report.scans["docs"].problems == 2_100
    assert len(recorded) == 2_001
    assert [each.message for each in recorded if each.native_id == "(more)"] == [
        "100 more problems are not listed; solve the others, then sync again."
    ]


@pytest.mark.requirement("only-complete-listing-deletes")
async def test_an_interrupted_listing_deletes_nothing(loop: IndexingLoop) -> None:
    await loop.sync()
    loop.memory.texts = {"0.md": TEXTS["0.md"]}
    loop.memory.complete = False
    report = await loop.sync()
    assert not report.scans["docs"].complete
    assert await loop.indexed() == TEXTS
    loop.memory.complete = True
    loop.memory.trouble = fails("scan", FatalSourceError("the folder is gone"))
    report = await loop.sync()
    assert report.scans["docs"].reason == "the folder is gone"
    assert await loop.indexed() == TEXTS


@pytest.mark.requirement("sudden-empty-believed-third-time")
async def test_a_source_that_is_suddenly_empty_is_believed_the_third_time(loop: IndexingLoop) -> None:
    await loop.sync()
    loop.memory.texts = {}
    for streak in (1, 2):
        report = await loop.sync()
        assert f"{streak} so far" in report.scans["docs"].reason
        assert await loop.indexed() == TEXTS
    await loop.sync()
    assert await loop.indexed() == {}


async def test_a_listing_with_documents_ends_the_streak_of_empty_ones(loop: IndexingLoop) -> None:
    await loop.sync()
    for _ in range(2):
        loop.memory.texts = {}
        await loop.sync()
        await loop.sync()
        loop.memory.texts = dict(TEXTS)
        await loop.sync()
    assert await loop.indexed() == TEXTS


@pytest.mark.requirement("unreadable-file-stops-nothing", "failing-version-is-parked-and-shown")
@pytest.mark.parametrize(
    "error", [SkippableSourceError("a binary"), RecursionError("too deep"), ValueError("a parser's bug")]
)
async def test_a_document_that_cannot_be_read_is_reported_and_stops_nothing(
    loop: IndexingLoop, error: Exception
) -> None:
    loop.memory.trouble = fails("3.md", error)
    report = await loop.sync()
    assert set(await loop.indexed()) == set(TEXTS) - {"3.md"}
    assert report.failed == 1
    assert list(await loop.problems()) == ["3.md"]


@pytest.mark.requirement("unreadable-file-stops-nothing")
async def test_a_problem_goes_with_the_version_that_had_it(loop: IndexingLoop) -> None:
    loop.memory.trouble = fails("3.md", SkippableSourceError("a binary"))
    await loop.sync()
    loop.memory.trouble = lambda _: None
    loop.memory.texts["3.md"] = "# Page 3\nReadable now.\n"
    await loop.sync()
    assert await loop.indexed() == loop.memory.texts
    assert await loop.problems() == {}


async def test_the_problem_of_a_document_that_is_gone_goes_with_it(loop: IndexingLoop) -> None:
    loop.memory.trouble = fails("3.md", SkippableSourceError("a binary"))
    await loop.sync()
    del loop.memory.texts["3.md"]
    await loop.sync()
    assert await loop.problems() == {}


@pytest.mark.requirement("nul-and-surrogates-break-nothing")
async def test_text_that_no_database_can_hold_is_reported_and_stops_nothing(loop: IndexingLoop) -> None:
    loop.memory.texts["3.md"] = "# Page 3\nwith a NUL \x00 inside\n"
    await loop.sync()
    assert set(await loop.indexed()) == set(TEXTS) - {"3.md"}
    assert "cannot take this text" in (await loop.problems())["3.md"]


async def test_the_retry_after_of_a_source_is_respected(loop: IndexingLoop) -> None:
    loop.memory.trouble = fails("3.md", RetriableSourceError("too many requests", retry_after=600))
    await loop.sync()
    assert loop.source is not None
    backlog = await loop.index.stores.ledger.backlog([loop.source.source_id])
    assert backlog.waiting == 1
    assert backlog.next_at is not None
    assert backlog.next_at > system_clock() + timedelta(seconds=500)


async def test_a_source_that_fails_for_a_long_time_loses_none_of_its_documents(loop: IndexingLoop) -> None:
    loop.memory.trouble = fails("3.md", RetriableSourceError("the server does not answer"))
    await loop.sync()
    for _ in range(8):
        await loop.index.rows("UPDATE item SET retry_at = '2000-01-01 00:00:00+00'")
        await loop.sync()
    assert "does not answer" in (await loop.problems())["3.md"]
    loop.memory.trouble = lambda _: None
    await loop.index.rows("UPDATE item SET retry_at = '2000-01-01 00:00:00+00'")
    await loop.sync()
    assert await loop.indexed() == TEXTS


async def test_a_document_that_fails_again_waits_about_twice_as_long(loop: IndexingLoop) -> None:
    loop.memory.trouble = fails("3.md", RetriableSourceError("the server does not answer"))
    waits: list[float] = []
    for _ in range(4):
        await loop.index.rows("UPDATE item SET retry_at = '2000-01-01 00:00:00+00'")
        await loop.sync()
        wait = "SELECT extract(epoch FROM retry_at - clock_timestamp())::float FROM item WHERE native_id = '3.md'"
        waits.append(await loop.index.value(wait))
    assert all(after > 1.5 * before for before, after in pairwise(waits))


async def test_a_source_with_a_retry_after_of_zero_is_still_asked_with_a_pause(loop: IndexingLoop) -> None:
    loop.memory.trouble = fails("3.md", RetriableSourceError("come back at once", retry_after=0))
    await loop.sync()
    assert loop.memory.fetched.count("3.md") < 10


async def test_a_deleted_remote_document_is_removed_without_a_request(loop: IndexingLoop) -> None:
    loop.memory.remote = True
    await loop.sync()
    loop.memory.fetched.clear()
    loop.memory.texts = {"0.md": TEXTS["0.md"], "new.md": "# New\nA page.\n"}
    await loop.sync()
    assert loop.memory.fetched == ["new.md"]
    assert await loop.indexed() == loop.memory.texts


async def test_a_removed_source_ends_its_scan_without_a_trace(loop: IndexingLoop) -> None:
    await loop.sync()
    assert loop.source is not None
    await loop.index.stores.sources.remove(loop.source.source_id)
    loop.memory.trouble = fails("3.md", SkippableSourceError("a binary"))
    report = await loop.sync()
    assert report.documents == 0
    assert await loop.problems() == {}


@pytest.mark.requirement("text-searchable-before-vectors")
async def test_new_words_are_searchable_as_soon_as_the_texts_are_written(loop: IndexingLoop) -> None:
    loop.source = await loop.index.source()
    number = loop.source.source_id
    connectors = {number: loop.memory.connector()}
    stores = loop.index.stores
    await SourceScan(stores.ledger, stores.sources, "p", system_clock).run(number, connectors[number], DeletionPolicy())
    while not (await loop.indexer.read({number: loop.source}, connectors)).idle:
        pass
    assert await loop.index.value("SELECT chunks FROM source_stat") == 6
    assert await loop.index.value("SELECT count(*) FROM chunk_delta") == 0


async def test_while_another_process_scans_a_source_nothing_is_listed_or_counted(loop: IndexingLoop) -> None:
    await loop.sync()
    assert loop.source is not None
    await loop.index.rows("UPDATE scan SET leased_by = 'another', lease_until = 'infinity'")
    report = await loop.scan.run(loop.source.source_id, MemorySource({}).connector(), DeletionPolicy())
    assert report.elsewhere
    assert not report.complete
    assert (report.listed, report.wanted, report.outdated, report.gone, report.absent, report.problems) == (0,) * 6
    assert await loop.indexed() == TEXTS


async def test_a_scan_that_lost_its_lease_deletes_nothing(loop: IndexingLoop) -> None:
    await loop.sync()
    assert loop.source is not None
    number = loop.source.source_id
    stores = loop.index.stores
    memory = MemorySource({"0.md": TEXTS["0.md"]})

    async def scan() -> AsyncGenerator[object, None]:
        async for entry in memory.scan():
            yield entry
        await loop.index.rows("UPDATE scan SET leased_by = 'another', lease_until = 'infinity'")

    connector = memory.connector()
    object.__setattr__(connector, "scanner", type("Scanner", (), {"scan": staticmethod(scan)}))
    with pytest.raises(BackendUnavailable):
        await SourceScan(stores.ledger, stores.sources, "late", system_clock).run(number, connector, DeletionPolicy())
    assert await stores.ledger.claim([number], "w", limit=9, lease=1) == []
