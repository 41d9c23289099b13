"""A title is text too: what a document was called before, and what else was known of it, is not shown."""

from pathlib import Path

import pytest
from tests.integration.app.cloud import cloud_over
from tests.nextcloud.server import Nextcloud


@pytest.mark.requirement("changed-hit-reread-or-withheld")
async def test_a_renamed_note_is_not_shown_under_its_old_title(dsn: str, tmp_path: Path, nextcloud: Nextcloud) -> None:
    notes = nextcloud.world.notes
    number = notes.add("alice", "Old name", "The descaler stands in the cellar.")
    async with cloud_over(dsn, nextcloud, tmp_path) as cloud:
        await cloud.join("alice")
        await cloud.sync()
        assert [hit["title"] for hit in await cloud.found("alice", "Where is the descaler?")] == ["Old name"]
        notes.edit("alice", number, title="New name")
        assert await cloud.found("alice", "Where is the descaler?") == []
        await cloud.sync()
        assert [hit["title"] for hit in await cloud.found("alice", "Where is the descaler?")] == ["New name"]


@pytest.mark.requirement("changed-hit-reread-or-withheld")
async def test_cached_metadata_of_a_note_are_not_shown_once_it_changed(
    dsn: str, tmp_path: Path, nextcloud: Nextcloud
) -> None:
    notes = nextcloud.world.notes
    number = notes.add("alice", "Descaler", "The descaler stands in the cellar.", "Secret")
    async with cloud_over(dsn, nextcloud, tmp_path) as cloud:
        await cloud.join("alice")
        await cloud.sync()
        (hit,) = await cloud.found("alice", "Where is the descaler?")
        assert (hit["category"], hit["metadata"]["Path"]) == ("Secret", "Notes/Secret/Descaler.md")
        notes.edit("alice", number, category="Public")
        (hit,) = await cloud.found("alice", "Where is the descaler?")
        assert (hit["category"], hit["metadata"]) == ("", {})
        await cloud.sync()
        (hit,) = await cloud.found("alice", "Where is the descaler?")
        assert hit["category"] == "Public"
