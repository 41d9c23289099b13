"""A server, its workers and its replicas under roles that own nothing of the index."""

import json
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
from mcp import Client
from pydantic import SecretStr
from tests.support.database_roles import DatabaseRoles, database_roles
from tests.support.groups import catalog
from tests.support.index import OTHER, vector_of
from tests.support.postgres import fresh_database
from tests.support.replica import Replica, primary_with_replica

from citemark.app.compose import App
from citemark.app.features import observers_of
from citemark.app.migrating import bring_up_to_date
from citemark.app.open_index import open_app
from citemark.features.agents.kept_calls_key import KEPT_CALLS
from citemark.features.graph.services.keys import EXPLORATION
from citemark.model.errors import ConfigurationError
from citemark.model.sources import NewSource
from citemark.services.bundle import Services
from citemark.services.history_keys import BASELINES, HISTORY
from citemark.services.requests import Caller
from citemark.settings import Settings
from citemark.tools.server import build_server

QUESTION = "Which port does the gateway listen on?"


@pytest.fixture(scope="module")
def replica() -> Generator[Replica]:
    with primary_with_replica() as made:
        yield made


@pytest.fixture(scope="module")
def roles(replica: Replica) -> Generator[DatabaseRoles]:
    with database_roles(fresh_database(replica.primary)) as made:
        yield made


def settings_of(dsn: str, tmp_path: Path, **more: Any) -> Settings:
    given: dict[str, Any] = {"database_url": SecretStr(dsn), "data_dir": tmp_path / "data", **more}
    return Settings(verify_cache=0, agent_calls=True, **given)


CALLS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("kb_search", {"query": QUESTION}, "8080"),
    ("kb_search", {"query": QUESTION, "read_context": {"baseline_id": "before the move"}}, "4711"),
    ("kb_retrieve_evidence", {"question": QUESTION}, "8080"),
    ("kb_list_sources", {}, "handbook"),
)
"""Tools, what they are asked, and what their answers hold."""


async def other_model(app: App) -> None:
    """Another model takes over, and the vectors of the one before go."""
    vectors = app.stores.vectors
    made = await vectors.ensure(OTHER)
    while tasks := await vectors.claim(made.set_id, "worker", limit=100, lease=60):
        await vectors.settle(made.set_id, "worker", tasks, [vector_of(task.text, 4) for task in tasks])
    assert await vectors.cut_over(made)
    assert await vectors.drop_retired(grace=0) == 1


@asynccontextmanager
async def asking(app: App) -> AsyncGenerator[Client]:
    """A client of a server over an index."""

    async def provide() -> Services:
        return app.services

    server = build_server(
        provide, app.settings, Caller.local(), catalog(), observers=observers_of(app.settings, provide)
    )
    async with Client(server) as client:
        yield client


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two documents, of which one leads to the other."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "port.md").write_text("# Port\n\nThe gateway listens on port 4711. See [where it is](b.md).\n")
    (folder / "b.md").write_text("# Gateway\n\nIt stands in the cellar.\n")
    return folder


@pytest.mark.requirement("least-privileged-roles")
async def test_a_server_that_owns_nothing_says_what_its_owner_has_to_run(
    replica: Replica, roles: DatabaseRoles, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match=r"may not create the schema.*`citemark migrate`"):
        async with open_app(settings_of(roles.dsn(roles.writer), tmp_path)):
            pass
    owned = settings_of(roles.dsn(roles.owner), tmp_path)
    with pytest.raises(ConfigurationError, match="both as a writer and as a reader"):
        await bring_up_to_date(owned, [roles.writer], [roles.writer])
    await bring_up_to_date(owned, [], [])
    with pytest.raises(ConfigurationError, match=r"may not use the index.*`citemark migrate --writer ROLE`"):
        async with open_app(settings_of(roles.dsn(roles.writer), tmp_path)):
            pass


@pytest.mark.requirement("least-privileged-roles")
async def test_everything_of_a_server_works_as_a_writer_whose_questions_a_reader_reads(
    replica: Replica, roles: DatabaseRoles, tmp_path: Path, folder: Path
) -> None:
    await bring_up_to_date(settings_of(roles.dsn(roles.owner), tmp_path), [roles.writer], [roles.reader])
    reading = SecretStr(roles.dsn(roles.reader, replica.dsn))
    async with open_app(settings_of(roles.dsn(roles.writer), tmp_path, database_read_urls=(reading,))) as app:
        source = await app.sources.add(NewSource("handbook", "docs", {"root": str(folder)}))
        await app.sync({source.source_id: source})
        baselines, history = app.services.get(BASELINES), app.services.get(HISTORY)
        await baselines.create("before the move")
        (folder / "port.md").write_text("# Port\n\nThe gateway listens on port 8080.\n")
        await app.sync({source.source_id: source})
        replica.catch_up()
        async with asking(app) as client:
            for tool, arguments, told in CALLS:
                result = await client.call_tool(tool, arguments)
                assert not result.is_error, (tool, result)
                assert told in json.dumps(result.structured_content), tool
        await app.services.get(KEPT_CALLS).finish()
        with psycopg.connect(roles.dsn(roles.writer)) as connection:
            assert connection.execute("SELECT count(*) FROM agent_call").fetchone() == (3,)
        with app.services.statements_within(30):
            counts = await app.services.get(EXPLORATION).counts(Caller.local())
        assert counts.edges
        assert [entry.name for entry in await app.status.sources()] == ["handbook"]
        await other_model(app)
        await baselines.delete("before the move")
        (purged,) = await history.purge([source], datetime.now(UTC))
        assert purged.purged.revisions
        await app.tokens.create("ci")
        await app.sources.remove(source)
    assert "JOIN term_stat" in replica.statements()
    assert "permission denied" not in replica.statements()
