"""People's accounts from server to answer: all that is theirs, nothing else, and only what they may open now."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.integration.app.cloud import Cloud, cloud_over
from tests.nextcloud.bulk import Sizes, fill
from tests.nextcloud.expected_state import differences
from tests.nextcloud.server import Nextcloud

from citemark.features.nextcloud.source.client import AccountClient
from citemark.settings import Settings

SECRET = "The heron plan is to buy the old mill by the river in spring."


@pytest.fixture
async def cloud(dsn: str, nextcloud: Nextcloud, tmp_path: Path) -> AsyncGenerator[Cloud, None]:
    async with cloud_over(dsn, nextcloud, tmp_path) as made:
        yield made


def ids(found: list[dict[str, str]]) -> set[str]:
    return {item["id"] for item in found}


@pytest.mark.requirement(
    "all-six-document-types-indexed",
    "new-app-is-three-classes",
    "sync-runs-in-the-background",
    "nextcloud-items-known-by-their-ids",
)
async def test_after_a_sync_the_index_holds_every_document_of_every_app_and_a_second_one_reads_nothing(
    cloud: Cloud,
) -> None:
    sizes = fill(cloud.server.world, Sizes().times(0.002))
    await cloud.join("alice")
    report = await cloud.sync()
    assert differences(cloud.expected_state("alice"), await cloud.indexed("alice")) == []
    assert {key.doc_type for key in await cloud.indexed("alice")} >= {
        "note", "calendar_event", "deck_card", "file", "contact",
    }  # fmt: skip
    assert report.documents >= sizes.documents
    assert report.failed == 0
    again = await cloud.sync()
    assert (again.documents, again.vectors) == (0, 0)


@pytest.mark.requirement("each-account-is-a-source", "nothing-shown-to-strangers")
async def test_a_shared_note_is_found_by_its_reader_and_hidden_the_moment_it_is_not_shared_any_more(
    cloud: Cloud,
) -> None:
    world = cloud.server.world
    note = world.notes.add("alice", "Heron", SECRET, "Work")
    for user in ("alice", "bob"):
        await cloud.join(user)
    await cloud.sync()
    assert ids(await cloud.found("alice", "What is the heron plan?")) == {str(note)}
    assert await cloud.found("bob", "What is the heron plan?") == []
    world.notes.share("alice", note, "bob")
    await cloud.sync("bob")
    (shown,) = await cloud.found("bob", "What is the heron plan?")
    assert "old mill" in shown["excerpt"]
    assert shown["citation"]["source"] == "bob"
    world.notes.unshare("alice", note, "bob")
    assert await cloud.found("bob", "What is the heron plan?") == []
    assert ids(await cloud.found("alice", "What is the heron plan?")) == {str(note)}


@pytest.mark.requirement(
    "deletion-waits-across-restarts", "personal-deletion-removes-history", "unopenable-never-shown-in-any-past"
)
async def test_a_deleted_note_is_hidden_at_once_and_removed_with_its_history_after_the_grace(cloud: Cloud) -> None:
    world = cloud.server.world
    kept, gone = (world.notes.add("alice", title, SECRET + title, "") for title in ("Kept", "Gone"))
    await cloud.join("alice")
    await cloud.sync()
    world.notes.delete("alice", gone)
    await cloud.sync()
    rows = "SELECT count(*) AS n FROM revision WHERE body LIKE '%%Gone%%'"
    assert ids(await cloud.found("alice", "heron")) == {str(kept)}
    cloud.later(1.4 * cloud.app.settings.scan_interval)
    await cloud.sync()
    assert len(await cloud.indexed("alice")) in (1, 2), "a reader may have found out already that it is gone"
    cloud.later(0.2 * cloud.app.settings.scan_interval)
    await cloud.sync()
    assert {key.native_id for key in await cloud.indexed("alice")} == {str(kept)}
    assert (await cloud.app.stores.database.read_sql(rows))[0]["n"] == 0


@pytest.mark.requirement("ids-unique-per-source-and-type", "deletion-waits-across-restarts")
async def test_a_note_moved_out_of_the_notes_folder_is_found_as_a_file(cloud: Cloud) -> None:
    files = cloud.server.world.files
    note = cloud.server.world.notes.add("alice", "Heron", f"# Plan\n\n{SECRET}\n\n# Rest\n\nNothing yet.\n")
    files.folder("alice", "/Plans")
    await cloud.join("alice")
    await cloud.sync()
    files.move("alice", "/Notes/Heron.md", "/Plans/Heron.md")

    async def shown() -> set[tuple[str, str]]:
        found = await cloud.found("alice", "What is the heron plan?")
        return {(item["doc_type"], item["id"]) for item in found if "old mill" in item["excerpt"]}

    await cloud.sync()
    assert await shown() == {("file", str(note))}
    for _ in range(2):
        cloud.later(2 * cloud.app.settings.scan_interval)
        await cloud.sync()
    assert {key.doc_type for key in await cloud.indexed("alice")} == {"file"}
    assert await shown() == {("file", str(note))}


@pytest.mark.requirement("short-cache-spares-repeated-checks")
def test_the_cache_is_valid_for_five_seconds_by_default() -> None:
    assert Settings.model_fields["verify_cache"].default == 5


@pytest.mark.requirement("short-cache-spares-repeated-checks")
@pytest.mark.parametrize(("seconds", "asked"), [(0.0, True), (30.0, False)])
async def test_within_the_cache_a_document_is_not_asked_about_twice_and_without_one_it_is(
    dsn: str, nextcloud: Nextcloud, tmp_path: Path, *, seconds: float, asked: bool
) -> None:
    nextcloud.world.notes.add("alice", "Heron", SECRET, "")
    async with cloud_over(dsn, nextcloud, tmp_path, verify_cache=seconds) as cloud:
        await cloud.join("alice")
        await cloud.sync()
        assert await cloud.found("alice", "heron")
        before = len(nextcloud.log.matching(".*/notes.*"))
        assert await cloud.found("alice", "heron")
        assert (len(nextcloud.log.matching(".*/notes.*")) > before) is asked


@pytest.mark.requirement("small-untruths-are-mended")
async def test_switching_apps_leaves_no_connections_of_the_configuration_before(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[AccountClient] = []
    begin = AccountClient.__init__

    def noted(self: AccountClient, *arguments: Any, **named: Any) -> None:
        made.append(self)
        begin(self, *arguments, **named)

    monkeypatch.setattr(AccountClient, "__init__", noted)
    cloud.server.world.notes.add("alice", "Heron", SECRET, "")
    await cloud.join("alice")
    for apps in (["notes"], ["notes", "deck"], ["notes"]):
        async with cloud.client("alice") as client:
            assert not (await client.call_tool("nc_enable_vector_sync", {"apps": apps})).is_error
        sources = await cloud.app.local_sources()
        await cloud.app.sync(sources)
    assert [client.connected for client in made] == [False, False, True]


@pytest.mark.requirement("small-untruths-are-mended")
async def test_a_note_found_to_be_gone_when_it_is_read_is_counted_as_removed(cloud: Cloud) -> None:
    world = cloud.server.world
    gone, _ = (world.notes.add("alice", title, SECRET + title, "") for title in ("Gone", "Kept"))
    await cloud.join("alice")
    first = await cloud.sync()
    assert (first.documents, first.removed) == (2, 0)
    world.notes.delete("alice", gone)
    assert len(await cloud.found("alice", "What is the heron plan?")) == 1
    second = await cloud.sync()
    assert (second.documents, second.removed) == (0, 1)
