"""A document that is known to be deleted cannot be read through a handle, whatever an access check remembers."""

from collections.abc import Callable
from pathlib import Path

import pytest
from mcp import Client
from tests.integration.app.cloud import cloud_over
from tests.nextcloud.server import Nextcloud
from tests.unit.tools.clients import code_of, connected, text_of

from citemark.app.open_index import open_app
from citemark.model.sources import NewSource
from citemark.settings import Settings

TEXT = "The heron plan is to buy the old mill by the river in spring."
SECRET = "The heron plan of the neighbours is none of your business."


def deleted(page: Path, _: Path) -> None:
    page.unlink()


def replaced_by_a_link_that_leads_out(page: Path, outside: Path) -> None:
    page.unlink()
    page.symlink_to(outside)


def folder_replaced_by_a_link_that_leads_out(page: Path, outside: Path) -> None:
    page.unlink()
    page.parent.rmdir()
    page.parent.symlink_to(outside.parent)


async def handle_of(client: Client) -> str:
    """The handle of the one passage about the plan, which was read through it a moment ago."""
    found = await client.call_tool("kb_search", {"query": "What is the heron plan?"})
    assert found.structured_content is not None
    (hit,) = found.structured_content["results"]
    assert not await _refused(client, hit["passage_id"])
    return str(hit["passage_id"])


async def _refused(client: Client, handle: str) -> bool:
    result = await client.call_tool("kb_read_excerpt", {"passage_id": handle})
    if result.is_error:
        assert code_of(result) == "INVALID_ARGUMENT"
        assert "unknown or expired" in text_of(result), "as of a handle that never was"
    return result.is_error


@pytest.mark.requirement("deleted-file-unreadable-by-handle")
@pytest.mark.parametrize("synced", [False, True])
@pytest.mark.parametrize(
    "vanish", [deleted, replaced_by_a_link_that_leads_out, folder_replaced_by_a_link_that_leads_out]
)
async def test_a_file_that_is_deleted_or_leads_out_is_not_read_through_its_handle(
    dsn: str, tmp_path: Path, vanish: Callable[[Path, Path], None], *, synced: bool
) -> None:
    page, outside = tmp_path / "docs" / "sub" / "plan.md", tmp_path / "outside" / "plan.md"
    for path, text in ((page, TEXT), (outside, SECRET), (tmp_path / "docs" / "other.md", "Something else.")):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    async with open_app(Settings(database_url=dsn, verify_cache=60)) as app:  # pyright: ignore[reportArgumentType]
        await app.stores.sources.add(NewSource("docs", "docs", {"root": str(tmp_path / "docs")}))
        await app.sync(await app.local_sources())
        async with connected(app.services) as client:
            handle = await handle_of(client)
            vanish(page, outside)
            if synced:
                await app.sync(await app.local_sources())
            assert await _refused(client, handle)


@pytest.mark.requirement("deleted-file-unreadable-by-handle")
async def test_a_note_that_the_index_knows_to_be_deleted_is_not_read_through_its_handle(
    dsn: str, nextcloud: Nextcloud, tmp_path: Path
) -> None:
    note = nextcloud.world.notes.add("alice", "Heron", TEXT, "")
    nextcloud.world.notes.add("alice", "Shopping", "Bread and butter.", "")
    async with cloud_over(dsn, nextcloud, tmp_path, verify_cache=60) as cloud:
        await cloud.join("alice")
        await cloud.sync()
        async with cloud.client("alice") as client:
            handle = await handle_of(client)
            nextcloud.world.notes.delete("alice", note)
            assert not await _refused(client, handle), "the access check remembers"
            await cloud.sync()
            cloud.later(2 * cloud.app.settings.scan_interval)
            await cloud.sync()
            assert len(await cloud.indexed("alice")) == 1
            assert await _refused(client, handle)
