"""An index behind PgBouncer in transaction mode: sessions are others' after each transaction."""

import asyncio
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from pydantic import SecretStr
from tests.support.certificates import self_signed
from tests.support.pgbouncer import pgbouncer
from tests.support.postgres import database_at
from tests.support.statements import counted

from citemark.app.backups import back_up
from citemark.app.open_index import open_app
from citemark.model.errors import BackendUnavailable, ConfigurationError, TimedOut
from citemark.model.sources import NewSource
from citemark.services.requests import Caller, SearchRequest
from citemark.settings import Settings
from citemark.store.database import Database, UnacceptableValue

CONNECTIONS = 3

_SESSION_SETTINGS = "SELECT name, setting FROM pg_settings WHERE source = 'session' AND name <> 'application_name'"


_LOCKS = """
SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
WHERE l.locktype = 'advisory' AND d.datname = current_database()
"""


@pytest.fixture(scope="module")
def pooler(server_dsn: str) -> Generator[str]:
    """One pooler for this module; it serves whichever database a client names."""
    with pgbouncer(server_dsn, connections=CONNECTIONS) as dsn:
        yield dsn


@pytest.fixture
def pooled(pooler: str, dsn: str) -> str:
    """The database of this test through the pooler."""
    return database_at(pooler, str(conninfo_to_dict(dsn)["dbname"]))


def sessions(pooled: str) -> Generator[psycopg.Connection]:
    """Every session that the pooler has, since a transaction is open in each of them."""
    with ExitStack() as stack:
        for _ in range(CONNECTIONS):
            yield stack.enter_context(psycopg.connect(pooled))


@pytest.mark.requirement("good-client-of-a-pooler")
async def test_indexing_questions_and_handles_work_and_no_session_keeps_anything_of_ours(
    pooled: str, dsn: str, tmp_path: Path
) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(12):
        (folder / f"{number}.md").write_text(f"# Port {number}\n\nService {number} listens on port 47{number:02}.\n")
    settings = Settings(
        database_url=SecretStr(pooled), database_direct_url=SecretStr(dsn), data_dir=tmp_path / "data", verify_cache=0
    )
    async with open_app(settings) as app:
        source = await app.sources.add(NewSource("handbook", "docs", {"root": str(folder)}))
        await app.sync({source.source_id: source})
        asked = [
            app.services.search.find(Caller.local(), SearchRequest(f"On which port does service {n} listen?"))
            for n in range(12)
        ]
        found = await asyncio.gather(*asked)
        assert [each.hits[0].citation.document_id for each in found] == [f"{n}.md#port-{n}" for n in range(12)]
    for session in sessions(pooled):
        assert session.execute(_SESSION_SETTINGS).fetchall() == []
        assert session.execute("SELECT name FROM pg_prepared_statements").fetchall() == []
        assert session.execute("SELECT * FROM pg_listening_channels()").fetchall() == []
    with psycopg.connect(dsn) as direct:
        assert direct.execute(_LOCKS).fetchone() == (0,)


@pytest.mark.requirement("good-client-of-a-pooler")
async def test_a_statement_takes_one_message_with_its_time_limit(pooled: str) -> None:
    database = Database(pooled, pool_size=2, pooler=None)
    await database.open()
    try:
        with counted(database) as sent:
            assert (await database.fetch("stop_languages", {"words": "{the}"}))[0]["word"] == "the"
            await database.heartbeat("watch_state", {"source_ids": [1], "lease": 1})
        assert sent == {"stop_languages": 1, "watch_state": 1}  # and no BEGIN
        with database.within(0.2), pytest.raises(TimedOut, match=r"within 0\.2 seconds"):
            await database.read_sql("SELECT pg_sleep(60)")
        async with database.transaction(durable=False) as connection:
            await connection.execute("CREATE TABLE made_here (id int)")
        assert await database.read_sql("SELECT count(*) AS rows FROM made_here") == [{"rows": 0}]
        with pytest.raises(UnacceptableValue):
            await database.fetch("stop_languages", {"words": "no array"})
        assert await database.read_sql("SELECT 1 AS one") == [{"one": 1}]
    finally:
        await database.close()
    for session in sessions(pooled):
        assert session.execute(_SESSION_SETTINGS).fetchall() == []


@pytest.mark.requirement("good-client-of-a-pooler")
async def test_migrations_and_dumps_go_around_the_pooler(pooled: str, dsn: str, tmp_path: Path) -> None:
    closed = make_conninfo(dsn, host=str(tmp_path), connect_timeout=2)

    def named(main: str, direct: str) -> Settings:
        return Settings(database_url=SecretStr(main), database_direct_url=SecretStr(direct), data_dir=tmp_path / "data")

    with pytest.raises(BackendUnavailable, match="does not answer"):
        async with open_app(named(pooled, closed)):
            pass
    assert (await back_up(named(closed, dsn), tmp_path / "copy", None)).kind == "dump"


async def test_an_address_around_a_pooler_without_one_through_it_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="database_url"):
        async with open_app(Settings(database_direct_url=SecretStr("postgresql://me@db/x"))):
            pass


@pytest.mark.requirement("tls-to-the-database")
async def test_a_pooler_is_spoken_to_with_tls_and_one_without_the_right_certificate_is_not_believed(
    server_dsn: str, dsn: str, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    other, _ = self_signed(tmp_path / "other")
    with pgbouncer(server_dsn, certified=self_signed(tmp_path)) as safe:
        pooled = database_at(safe, str(conninfo_to_dict(dsn)["dbname"]))

        def named(main: str) -> Settings:
            return Settings(
                database_url=SecretStr(main), database_direct_url=SecretStr(dsn), data_dir=tmp_path / "data"
            )

        async with open_app(named(pooled)) as app:
            assert await app.status.sources() == []
        with psycopg.connect(pooled) as connection:
            assert connection.pgconn.ssl_in_use
        for wrong, told in (
            (make_conninfo(pooled, sslrootcert=str(other)), "certificate verify failed"),
            (make_conninfo(pooled, host="localhost", hostaddr="127.0.0.1"), "does not match host name"),
            (make_conninfo(pooled, sslmode="disable"), "SSL required"),
        ):
            with pytest.raises(psycopg.OperationalError, match=told):
                psycopg.connect(wrong)
        heard: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

        async def without_tls(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readexactly(8)  # whether it would speak TLS
            writer.write(b"N")
            heard.set_result(await reader.read())
            writer.close()

        async with await asyncio.start_server(without_tls, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            with pytest.raises(psycopg.OperationalError, match="does not support SSL"):
                await psycopg.AsyncConnection.connect(make_conninfo(pooled, port=port))
            assert await heard == b""
