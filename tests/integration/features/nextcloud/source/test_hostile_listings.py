"""Listings with too much of anything, or without an end: cut at the limits and reported, with nothing lost."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.integration.app.cloud import Cloud, cloud_over
from tests.nextcloud.faults import Instead
from tests.nextcloud.pim.texts import event
from tests.nextcloud.server import Nextcloud
from tests.support.hostile_listings import (
    crowded_folder,
    deep_json,
    endless_notes,
    endless_report,
    endless_tree,
    entry,
    multistatus,
    padded,
    response,
    wide_json,
)

from citemark.extraction.sandbox.pool import ParserPool
from citemark.extraction.sandbox.process import Limits
from citemark.features.nextcloud.source.multistatus import (
    ELEMENTS_PER_ENTRY,
    MOST_IN_PROCESS,
    MalformedMultistatus,
    MultistatusEntry,
    read_answer,
    read_parts,
)
from citemark.features.nextcloud.source.scan_limits import ScanLimitReached, ScanLimits
from citemark.indexing.source_scan import ScanReport
from citemark.model.errors import SourceError

ROOT = "/remote.php/dav/files/alice/"
LIMITS = ScanLimits(entries=50, documents=100, folders=30, depth=5, pages=4, requests=60)
SETTINGS = {
    "nextcloud_max_answer_mib": 1,
    **{
        f"nextcloud_max_{name}": getattr(LIMITS, name) for name in ("entries", "documents", "folders", "depth", "pages")
    },
    "nextcloud_max_requests": LIMITS.requests,
}


@pytest.fixture
async def cloud(dsn: str, nextcloud: Nextcloud, tmp_path: Path) -> AsyncGenerator[Cloud, None]:
    """Alice's account, indexed once, in a process whose limits are small."""
    world = nextcloud.world
    for number in range(12):
        world.notes.add("alice", f"Note {number}", "Words of a note.")
    world.calendars.create("alice", "work")
    world.calendars.put("alice", "work", event("talk", "Talk"))
    world.files.put("alice", "a.txt", b"Words of a file.")
    async with cloud_over(dsn, nextcloud, tmp_path, **SETTINGS) as made:
        await made.join("alice")
        await made.sync()
        yield made


async def cut(cloud: Cloud, effect: Instead, on: str) -> ScanReport:
    """What a scan of hostile listings says, long after the last whole one; nothing may be lost by it."""
    before = await cloud.indexed("alice")
    assert len(before) == 14
    cloud.server.faults.add(effect, on)
    cloud.server.log.clear()
    cloud.later(3600)
    report = (await cloud.sync()).scans["alice"]
    cloud.later(3600)
    await cloud.sync()
    assert before.keys() <= (await cloud.indexed("alice")).keys(), "a listing that was cut deletes nothing"
    assert not report.complete
    return report


async def told(cloud: Cloud) -> str:
    """The problems of the account as `citemark problems` lists them."""
    found = await cloud.app.stores.sources.problems(cloud.sources["alice"].source_id)
    return "\n".join(f"{problem.native_id}: {problem.message}" for problem in found)


@pytest.mark.requirement("endless-listings-are-cut")
@pytest.mark.parametrize(("folders", "setting"), [(3, "FOLDERS"), (1, "DEPTH")])
async def test_the_listing_of_an_endless_tree_stops_at_a_maximum_width_and_depth(
    cloud: Cloud, folders: int, setting: str
) -> None:
    report = await cut(cloud, Instead(endless_tree(folders)), "PROPFIND .*/files/")
    assert f"CITEMARK_NEXTCLOUD_MAX_{setting}" in report.reason
    assert f"CITEMARK_NEXTCLOUD_MAX_{setting}" in await told(cloud)
    assert len(cloud.server.log.matching("PROPFIND .*/files/")) <= 2 * (LIMITS.folders + 2)


@pytest.mark.requirement("endless-listings-are-cut")
async def test_a_scan_with_endless_requests_is_ended(cloud: Cloud) -> None:
    cloud.app.settings = cloud.app.settings.model_copy(update={"nextcloud_max_folders": 10_000})
    report = await cut(cloud, Instead(endless_tree(folders=60, files=0)), "PROPFIND .*/files/")
    assert "CITEMARK_NEXTCLOUD_MAX_" in report.reason
    assert len(cloud.server.log.matching("PROPFIND .*/files/")) <= 2 * (LIMITS.requests + 2)


@pytest.mark.requirement("endless-listings-are-cut")
async def test_cursors_of_notes_without_end_are_not_followed(cloud: Cloud) -> None:
    cloud.server.faults.add(Instead(endless_notes()), "/apps/notes.*\\?.*(chunkSize|exclude)")
    cloud.server.log.clear()
    await cloud.sync()
    assert len(cloud.server.log.matching("chunkSize")) == LIMITS.pages


@pytest.mark.requirement("endless-listings-are-cut")
async def test_a_report_of_changes_without_end_is_not_followed(cloud: Cloud) -> None:
    cloud.server.world.calendars.put("alice", "work", event("new", "New"))
    report = await cut(cloud, Instead(endless_report("/remote.php/dav/calendars/alice/work/")), "REPORT .*/alice/work/")
    assert "CITEMARK_NEXTCLOUD_MAX_PAGES" in report.reason
    assert "CITEMARK_NEXTCLOUD_MAX_PAGES" in await told(cloud)
    assert len(cloud.server.log.matching("REPORT .*/alice/work/")) == 2 * LIMITS.pages


@pytest.mark.requirement("endless-listings-are-cut")
@pytest.mark.parametrize(
    ("entries", "setting"), [(LIMITS.entries + 1, "ENTRIES"), (5_000, "ANSWER_MIB")], ids=["entries", "bytes"]
)
async def test_a_folder_with_too_many_files_is_a_problem_of_its_own(cloud: Cloud, entries: int, setting: str) -> None:
    report = await cut(cloud, Instead(crowded_folder("alice", entries)), "PROPFIND .*/files/alice/$")
    assert f"CITEMARK_NEXTCLOUD_MAX_{setting}" in report.reason


@pytest.mark.requirement("endless-listings-are-cut")
async def test_a_listing_is_ended_at_an_implausible_number_of_documents(cloud: Cloud) -> None:
    report = await cut(cloud, Instead(endless_tree(folders=4, files=20)), "PROPFIND .*/files/")
    assert "CITEMARK_NEXTCLOUD_MAX_DOCUMENTS" in report.reason
    assert f"files: There are more than {LIMITS.documents} documents" in await told(cloud)


@pytest.mark.requirement("odd-values-are-source-errors")
async def test_json_that_is_deep_or_takes_more_than_its_length_is_refused_before_it_is_parsed(cloud: Cloud) -> None:
    cloud.app.settings = cloud.app.settings.model_copy(update={"nextcloud_max_answer_mib": 64})
    for made, said in ((deep_json(), "not JSON"), (wide_json(), "2,000,000 values")):
        report = await cut(cloud, Instead(made), "/apps/notes")
        assert said in report.reason or "ANSWER_MIB" in report.reason
        cloud.server.faults.clear()


def same(found: MultistatusEntry) -> MultistatusEntry:
    return found


FEW = multistatus("".join(entry(f"{ROOT}{n}.txt", n, folder=False) for n in range(10)))


@pytest.mark.requirement("multistatus-read-as-a-stream")
@pytest.mark.parametrize("large", [False, True], ids=["here", "apart"])
@pytest.mark.parametrize("name", ["elements", "attributes", "text", "depth", "comment"])
async def test_an_answer_padded_with_anything_is_refused_and_the_next_one_is_read(name: str, *, large: bool) -> None:
    """Small ones are read in this process, twelve megabytes in one that may add a quarter of a gigabyte."""
    parsers = ParserPool(Limits(seconds=60, memory_mib=500, processes=1))
    body = padded(FEW, name, 12 * MOST_IN_PROCESS if large else MOST_IN_PROCESS - len(FEW) - 1000)
    assert (len(body) > MOST_IN_PROCESS) == large
    try:
        if name in {"text", "comment"} and not large:
            assert len((await read_answer(body, parsers, most=10, use=same)).responses) == 10
        else:
            with pytest.raises(SourceError) as refused:
                await read_answer(body, parsers, most=10, use=same)
            assert isinstance(refused.value, ScanLimitReached | MalformedMultistatus)
        assert len((await read_answer(FEW, parsers, most=10, use=same)).responses) == 10
    finally:
        await parsers.close()


@pytest.mark.requirement("multistatus-read-as-a-stream")
def test_reading_stops_at_the_first_element_attribute_or_entry_that_is_too_many() -> None:
    many = multistatus("".join(response(f"/{n}") for n in range(1_000)))
    for body in (many, padded(FEW, "elements", 2**23), padded(FEW, "attributes", 2**20)):
        parts = list(read_parts(body, most=10))
        assert parts[-1]["end"] == "too much"
        assert sum(len(part["responses"]) for part in parts) <= 10
    assert 10 * ELEMENTS_PER_ENTRY > 10 * 20, "an entry of Nextcloud has about ten elements"


@pytest.mark.slow
@pytest.mark.requirement("hostile-formats-parsed-in-limited-processes", "multistatus-read-as-a-stream")
async def test_a_large_answer_is_read_by_a_process_with_less_memory_than_its_tree_would_take() -> None:
    parsers = ParserPool(Limits(seconds=60, memory_mib=500, processes=1))
    body = multistatus("".join(entry(f"{ROOT}{n}.txt", n + 1, folder=False) for n in range(60_000)))
    assert len(body) > 20 * MOST_IN_PROCESS
    try:
        found = await read_answer(body, parsers, most=60_000, use=lambda each: each.href)
    finally:
        await parsers.close()
    assert len(set(found.responses)) == 60_000
    cut_short = replace(LIMITS, entries=1)
    with pytest.raises(ScanLimitReached):
        await read_answer(FEW, parsers, most=cut_short.entries, use=same)
