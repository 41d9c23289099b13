"""The primary is killed and its replica promoted while a server runs: what was asked meanwhile is answered."""

import asyncio
import os
import signal
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from pydantic import SecretStr
from tests.support.pgbouncer import lead_to, pgbouncer
from tests.support.replica import Replica, primary_with_replica

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.model.errors import InvalidArgument
from citemark.model.scope import RequestScope
from citemark.model.sources import NewSource
from citemark.services.requests import Caller, SearchRequest
from citemark.services.responses import SearchPage
from citemark.settings import Settings
from citemark.store.embedded.postmaster import server_processes

CALLER = Caller.local()
QUESTION = SearchRequest("Which port does the service listen on?", page_size=1)


@pytest.fixture
def replica() -> Generator[Replica]:
    """A primary that may be killed, and its replica."""
    with primary_with_replica() as made:
        yield made


def kill_primary(dsn: str) -> None:
    """Kill each of its processes, as if its machine had lost its power."""
    with psycopg.connect(dsn) as connection:
        (folder,) = connection.execute("SHOW data_directory").fetchone() or ("",)
    for pid in server_processes(Path(folder)):
        os.kill(pid, signal.SIGKILL)


async def ask(app: App) -> SearchPage:
    with app.services.statements_within(30):
        return await app.services.search.find(CALLER, QUESTION)


@pytest.mark.requirement("failover-behind-a-pooler", "old-handles-after-a-failover")
async def test_a_question_without_a_primary_waits_for_the_next_one_and_old_handles_say_to_search_again(
    replica: Replica, tmp_path: Path
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for name in ("first", "second"):
        (docs / f"{name}.md").write_text(f"# The {name} service\n\nThe {name} service listens on port 4711.\n")
    with pgbouncer(replica.primary) as pooled:
        settings = Settings(database_url=SecretStr(pooled), data_dir=tmp_path / "data", verify_cache=0)
        async with open_app(settings) as app:
            source = await app.sources.add(NewSource("handbook", "docs", {"root": str(docs)}))
            await app.sync({source.source_id: source})
            before = await ask(app)
            replica.catch_up()
            kill_primary(replica.primary)
            waiting = asyncio.create_task(ask(app))
            await asyncio.to_thread(replica.promote)
            lead_to(pooled, replica.dsn)
            after = await waiting
            assert [hit.citation.document_id for hit in after.hits] == [hit.citation.document_id for hit in before.hits]
            with pytest.raises(InvalidArgument, match="search again"):
                await app.services.passages.open(CALLER, [before.hits[0].passage_id], RequestScope())
            cursor = before.meta.next_cursor
            with pytest.raises(InvalidArgument, match="search again"):
                await app.services.search.find(CALLER, replace(QUESTION, cursor=cursor))
            (docs / "third.md").write_text("# The third service\n\nIt listens on port 8080.\n")
            await app.sync({source.source_id: source})
            asked = SearchRequest("Which port does the third service listen on?")
            found = await app.services.search.find(CALLER, asked)
            revisions = {hit.citation.document_id: int(hit.citation.revision_id) for hit in found.hits}
            newest = revisions.pop("third.md#the-third-service")
            assert newest > max(revisions.values())
