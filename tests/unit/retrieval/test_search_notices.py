"""Notes that a search runs, which never hold up the search."""

import asyncio
from typing import Any, cast

from structlog.testing import capture_logs
from tests.support.in_memory_stores import InMemoryStores

from citemark.model.errors import BackendUnavailable
from citemark.retrieval.search_notices import SearchNotices


async def test_a_search_that_cannot_be_recorded_continues() -> None:
    class Away(InMemoryStores):
        async def note_search(self, server: str) -> None:
            raise BackendUnavailable("The database is away.")

    with capture_logs() as logged:
        SearchNotices(cast("Any", Away()), "tests").searching()
        for _ in range(3):  # turns of the loop in which the note is tried
            await asyncio.sleep(0)
    assert [entry["event"] for entry in logged] == ["search_not_noted"]
