"""Who a document is: the same under edits of its body, succeeded under a new name."""

import asyncio
from datetime import timedelta

import pytest
from tests.support.index import Index

from citemark.indexing.rename_detector import RenameDetector
from citemark.model.ids import SourceId
from citemark.store.database import Database

LONG = "".join(f"Line {n} of the text that moves.\n" for n in range(12))


@pytest.fixture
def index(database: Database) -> Index:
    return Index(database)


async def ids(index: Index) -> dict[str, int]:
    rows = await index.rows("SELECT native_id, document_id FROM document WHERE valid_to = 'infinity'")
    return {row[0]: row[1] for row in rows}


async def follow(index: Index, source_id: SourceId) -> int:
    """How many renames were found."""
    return (await RenameDetector(index.stores.renames, index.stores.horizon).follow(source_id)).found


async def now_called(index: Index, source_id: int, native_id: str) -> str | None:
    found = await index.stores.documents.latest(source_id, native_id)  # type: ignore[arg-type]
    return None if found is None else found.native_id


async def rename(index: Index, source: object, old: str, new: str, body: str) -> None:
    await index.drop(source, old)  # type: ignore[arg-type]
    await index.put(source, new, body)  # type: ignore[arg-type]


@pytest.mark.requirement("body-edit-changes-no-identity")
async def test_editing_a_body_changes_no_identity(index: Index) -> None:
    source = await index.source()
    await index.put(source, "a.md", "# One\nold\n# Two\nold\n")
    before = await ids(index)
    await index.put(source, "a.md", "# Two\nnew order\n# One\nnew\n")
    assert await ids(index) == before
    assert set(before) == {"a.md", "a.md#one", "a.md#two"}


@pytest.mark.requirement("renamed-page-succeeds-the-old")
async def test_a_renamed_heading_succeeds_the_old_one(index: Index) -> None:
    source = await index.source()
    await index.put(source, "a.md", f"# Install\n{LONG}# Use\nAsk.\n")
    await index.put(source, "a.md", f"# Installation\n{LONG}# Use\nAsk.\n")
    assert await now_called(index, source.source_id, "a.md#install") == "a.md#installation"


@pytest.mark.requirement("renamed-page-succeeds-the-old")
async def test_a_heading_over_other_text_succeeds_nothing(index: Index) -> None:
    source = await index.source()
    await index.put(source, "a.md", f"# Install\n{LONG}")
    await index.put(source, "a.md", "# Licence\nApache, and that is all there is to say about it.\n")
    assert await now_called(index, source.source_id, "a.md#install") is None


@pytest.mark.requirement("renamed-page-succeeds-the-old")
async def test_a_heading_renamed_twice_is_followed_to_its_present_name(index: Index) -> None:
    source = await index.source()
    for name in ("Install", "Set up", "Begin"):
        await index.put(source, "a.md", f"# {name}\n{LONG}")
    assert await now_called(index, source.source_id, "a.md#install") == "a.md#begin"


@pytest.mark.requirement("renamed-page-succeeds-the-old")
async def test_a_renamed_file_succeeds_the_old_one_and_its_sections(index: Index) -> None:
    source = await index.source()
    await index.put(source, "old.md", f"# Install\n{LONG}")
    await rename(index, source, "old.md", "new.md", f"# Install\n{LONG}A line more.\n")
    assert await follow(index, source.source_id) == 1
    assert await now_called(index, source.source_id, "old.md") == "new.md"
    assert await now_called(index, source.source_id, "old.md#install") == "new.md#install"


@pytest.mark.requirement("renamed-page-succeeds-the-old")
async def test_a_file_renamed_twice_is_followed_to_its_present_name(index: Index) -> None:
    source = await index.source()
    await index.put(source, "1.md", LONG)
    for old, new in (("1.md", "2.md"), ("2.md", "3.md")):
        await rename(index, source, old, new, LONG)
        await follow(index, source.source_id)
    assert await now_called(index, source.source_id, "1.md") == "3.md"


@pytest.mark.requirement("rename-is-moved-not-gone")
async def test_a_file_that_was_followed_once_takes_no_later_name_from_its_successor(index: Index) -> None:
    source = await index.source()
    await index.put(source, "1.md", LONG)
    for number in range(1, 5):
        await rename(index, source, f"{number}.md", f"{number + 1}.md", LONG)
        assert await follow(index, source.source_id) == 1
    stated = await index.rows(
        "SELECT r.to_native_id, d.native_id FROM relationship r JOIN document d ON d.document_id = r.from_document_id"
        " WHERE r.type = 'succeeds' ORDER BY 1"
    )
    assert stated == [(f"{number}.md", f"{number + 1}.md") for number in range(1, 5)]


async def test_a_name_that_came_back_and_was_renamed_again_is_followed(index: Index) -> None:
    source = await index.source()
    await index.put(source, "old.md", LONG)
    await rename(index, source, "old.md", "new.md", LONG)
    await follow(index, source.source_id)
    await index.put(source, "old.md", LONG.upper())
    await rename(index, source, "old.md", "newer.md", LONG.upper())
    assert await follow(index, source.source_id) == 1
    assert await now_called(index, source.source_id, "old.md") == "newer.md"


async def test_equal_text_wins_over_similar_text_and_each_page_is_used_once(index: Index) -> None:
    source = await index.source()
    await index.put(source, "a.md", LONG)
    await index.put(source, "b.md", LONG + "The b of it.\n")
    await index.drop(source, "a.md")
    await index.drop(source, "b.md")
    await index.put(source, "c.md", LONG + "The b of it.\n", title="b.md")
    await index.put(source, "d.md", LONG + "A d.\n")
    assert await follow(index, source.source_id) == 2
    assert await now_called(index, source.source_id, "b.md") == "c.md"
    assert await now_called(index, source.source_id, "a.md") == "d.md"
    assert await follow(index, source.source_id) == 0


async def test_a_file_deleted_before_renames_were_settled_is_no_predecessor(index: Index) -> None:
    source = await index.source()
    await index.put(source, "old.md", LONG)
    await index.drop(source, "old.md")
    # A minute later: what is settled is so up to a minute ago.
    until = await index.value("SELECT clock_timestamp() + interval '1 minute'")
    await index.stores.renames.settle(source.source_id, until)
    await index.put(source, "new.md", LONG)
    assert await follow(index, source.source_id) == 0


@pytest.mark.requirement("rename-is-moved-not-gone")
@pytest.mark.parametrize("minutes", [30, 0])
async def test_a_page_that_stood_beside_the_deleted_one_since_renames_were_settled_does_not_succeed_it(
    index: Index, minutes: int
) -> None:
    source = await index.source()
    await index.put(source, "2025-12.md", LONG)
    await index.put(source, "2026-02.md", f"{LONG}February.\n")
    await settled_ago(index, minutes)
    await index.drop(source, "2025-12.md")
    # A listing may see a file under both names while it moves, but not for half an hour.
    assert await follow(index, source.source_id) == (0 if minutes else 1)


@pytest.mark.parametrize("body", [LONG, f"{LONG}February.\n"])
@pytest.mark.parametrize("minutes", [30, 0])
async def test_a_page_that_comes_long_after_the_deletion_of_another_was_settled_does_not_succeed_it(
    index: Index, minutes: int, body: str
) -> None:
    source = await index.source()
    await index.put(source, "2025-12.md", LONG)
    await index.drop(source, "2025-12.md")
    await settled_ago(index, minutes)
    await index.put(source, "2026-02.md", body)
    assert await follow(index, source.source_id) == (0 if minutes else 1)


async def settled_ago(index: Index, minutes: int) -> None:
    """Let all that has happened have happened within the minute before renames were settled, so many minutes ago."""
    await index.rows(
        "UPDATE scan SET renames_until = clock_timestamp() - make_interval(mins => %s) - interval '1 minute'", minutes
    )
    for table in ("document", "revision"):
        await index.rows(
            f"UPDATE {table} t SET valid_from = s.renames_until + interval '10 s',"  # type: ignore[arg-type]  # noqa: S608
            " valid_to = CASE WHEN isfinite(t.valid_to) THEN s.renames_until + interval '20 s' ELSE t.valid_to END"
            " FROM scan s WHERE s.source_id = t.source_id"
        )


async def test_settled_renames_stay_settled(index: Index) -> None:
    source = await index.source()
    until = await index.value("SELECT clock_timestamp() + interval '1 hour'")
    await index.stores.renames.settle(source.source_id, until)
    await follow(index, source.source_id)
    assert await index.value("SELECT renames_until FROM scan") == until - timedelta(minutes=1)


@pytest.mark.requirement("rename-is-moved-not-gone")
async def test_two_processes_that_find_the_same_rename_state_it_once(index: Index) -> None:
    source = await index.source()
    await index.put(source, "old.md", LONG)
    await rename(index, source, "old.md", "new.md", LONG)
    (old,), (new,) = await index.stores.renames.unpaired(source.source_id)
    stated = await asyncio.gather(*(index.stores.renames.succeed(source.source_id, old, new) for _ in range(3)))
    assert sorted(stated) == [False, False, True]
    assert await index.value("SELECT count(*) FROM relationship WHERE type = 'succeeds'") == 1


async def test_a_name_that_came_back_is_itself(index: Index) -> None:
    source = await index.source()
    await index.put(source, "old.md", LONG)
    await rename(index, source, "old.md", "new.md", LONG)
    await follow(index, source.source_id)
    await index.put(source, "old.md", "Something else now.")
    assert await now_called(index, source.source_id, "old.md") == "old.md"


@pytest.mark.requirement("deletions-and-renames-are-followed")
async def test_a_folder_of_any_size_that_moved_is_followed(index: Index) -> None:
    source = await index.source()
    texts = {f"{n:02}.md": f"# Page {n}\nAbout as long as any other page, number {n:02}.\n" for n in range(60)}
    for name, body in texts.items():
        await index.put(source, f"old/{name}", body, title=name)
    for name in texts:
        await index.drop(source, f"old/{name}")
    for name, body in texts.items():
        await index.put(source, f"new/{name}", body, title=name)
    assert await follow(index, source.source_id) == 60
    for name in texts:
        assert await now_called(index, source.source_id, f"old/{name}") == f"new/{name}"


@pytest.mark.requirement("deletions-and-renames-are-followed")
async def test_a_folder_that_moved_while_each_of_its_files_was_edited_is_followed(index: Index) -> None:
    source = await index.source()
    texts = {f"{n:02}.md": "".join(f"Line {line} of page {n}.\n" for line in range(4 + n)) for n in range(60)}
    for name, body in texts.items():
        await index.put(source, f"old/{name}", body)
    for name, body in texts.items():
        await index.put(source, f"new/{name}", f"{body}Edited.\n")
        await index.drop(source, f"old/{name}")
    assert await follow(index, source.source_id) == 60
    for name in texts:
        assert await now_called(index, source.source_id, f"old/{name}") == f"new/{name}"


@pytest.mark.requirement("as-of-stops-at-writers-horizon")
async def test_a_rename_found_later_changes_no_earlier_state(index: Index) -> None:
    source = await index.source()
    await index.put(source, "old.md", LONG)
    await rename(index, source, "old.md", "new.md", LONG)
    horizon = await index.stores.horizon.now()
    await follow(index, source.source_id)
    assert not await index.rows("SELECT * FROM relationship WHERE type = 'succeeds' AND valid_from <= %s", horizon)
