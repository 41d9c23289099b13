"""A lower limit of size takes nothing out of an index that already holds it, and says so."""

from pathlib import Path

import pytest
from tests.integration.app.test_belonging import AS_JSON, Printed, counted, indexed, printed, request, root
from tests.support.developer_folder import write

from citemark.app.open_index import open_app
from citemark.cli.add_source_command import add_docs_source
from citemark.cli.sync_command import sync_sources
from citemark.services.requests import Caller, SearchRequest
from citemark.settings import Settings

__all__ = ["printed", "root"]
TEXT = "The heron project replaces the nightly export. " * 30_000


@pytest.mark.requirement("limits-drop-nothing", "left-out-counted")
async def test_what_was_read_before_the_limit_was_lowered_stays_until_it_changes(
    dsn: str, root: Path, printed: Printed
) -> None:
    write(root, "long.md", TEXT)
    write(root, "short.md", "The crane lifts four tonnes.")
    async with open_app(Settings(database_url=dsn, max_file_mib=2)) as app:  # pyright: ignore[reportArgumentType]
        await printed.data(add_docs_source(AS_JSON, app, request(root), sync=True))
    async with open_app(Settings(database_url=dsn, max_file_mib=1)) as app:  # pyright: ignore[reportArgumentType]
        write(root, "new.md", TEXT)
        synced = await printed.data(sync_sources(AS_JSON, app, ()))
        assert await indexed(app) == {"long.md", "short.md"}
        messages = {each["native_id"]: each["message"] for each in synced["problems"]}
        assert messages["long.md"].endswith("It was read before and stays in the index as it was read.")
        assert messages["new.md"].endswith("that are read (CITEMARK_MAX_FILE_MIB).")
        assert await counted(app) == {"too_large": 1}
        preview = await app.preview(await app.sources.named("code"))
        assert (preview.gone, preview.left_out is not None and preview.left_out.files) == (0, 1)
        page = await app.services.search.find(Caller.local(), SearchRequest("What does the heron project replace?"))
        assert {hit.citation.document_id for hit in page.hits} == {"long.md"}
        write(root, "long.md", f"{TEXT} again")
        await printed.data(sync_sources(AS_JSON, app, ()))
        assert await indexed(app) == {"short.md"}
        assert await counted(app) == {"too_large": 2}
