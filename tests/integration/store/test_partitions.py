"""An index in partitions is the same index: its tables, what a migration adds to them, and its answers."""

import asyncio
import re
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, LiteralString, cast

import psycopg
import pytest
from tests.integration.store.catalog import catalog_of
from tests.support.index import SMALL, Index, vector_of
from tests.support.patience import HANG_SECONDS
from tests.support.postgres import DatabaseCopies, fresh_database
from tests.support.statements import numbered, statement_of

from citemark.model.candidates import NearestQuery
from citemark.model.clock import system_clock
from citemark.model.errors import ConfigurationError
from citemark.model.ids import EmbeddingSetId
from citemark.model.scope import Principal, RequestScope
from citemark.store.backup.making import make_backup
from citemark.store.backup.restoring import restore_dump
from citemark.store.candidate_search import END_OF_TIME
from citemark.store.database import Connection, Database, Row, int_array, shipped_queries
from citemark.store.migrate import migrate
from citemark.store.partitions import DIVIDED, in_partition, sources_of

pytestmark = pytest.mark.requirement("partitions-answer-the-same")

WHOLE = {
    "schema_version": "one row per migration",
    "source": "one row per source",
    "source_grant": "a few rows per source",
    "scan": "one row per source",
    "scan_memory": "what a scan remembers, replaced by the next one",
    "source_secret": "one row per account",
    "problem": "documents that cannot be read",
    "item": "the ledger, in which the next text to read is found over all sources",
    "chunk_delta": "a queue",
    "chunk_delta_past": "a queue",
    "vector_task": "a queue, in which the next chunks are found over all sources",
    "known_name": "names, of which there are fewer than documents",
    "mention_state": "one row per source",
    "common_name": "a few words per source",
    "source_stat": "one row per source",
    "lexicon_stat": "one row per source and language",
    "embedding_set": "one row per model",
    "work_done": "unlogged, and of the last minutes",
    "passage": "unlogged, and of the last half hour",
    "ranked_hit": "unlogged, and of the last half hour",
    "search_activity": "unlogged, one row per server",
    "shared_key": "one row per purpose",
    "access_token": "one row per token",
    "pending_login": "one row per person",
    "connect_page": "one row per person",
    "baseline": "one row per name",
    "baseline_source": "one row per name and source",
    "agent_call": "found by its time, and kept for as many days as the settings say",
    "agent_call_source": "a few rows per call",
}
"""Tables that are not divided, and why."""

PARTITION = re.compile(r"FROM (chunk(?:_p\d+)?)\b")
PARAMETER = re.compile(r"%\((\w+)\)[sb]")

TEXTS = {
    "machines": ("# Boilers\nThe boiler is checked in spring.\n", "# Pumps\nA pump is checked with the boiler.\n"),
    "music": ("# Violins\nThe violin is tuned in spring.\n", "# Boilers\nA boiler heats the hall.\n"),
    "ships": ("# Harbour\nNo ship leaves before spring.\n", "# Pumps\nEvery ship has a pump.\n"),
}


@pytest.fixture
def two(empty_indexes: DatabaseCopies, divided_indexes: DatabaseCopies) -> Generator[tuple[str, ...]]:
    """The addresses of an index that is whole and of one in partitions."""
    made = [(copies, copies.fresh()) for copies in (empty_indexes, divided_indexes)]
    yield tuple(dsn for _, dsn in made)
    for copies, dsn in made:
        copies.drop(dsn)


def rows(dsn: str, statement: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def divided(dsn: str) -> dict[str, int]:
    """The number of partitions of each table that has any."""
    counted = "SELECT c.relname, count(*) FROM pg_inherits JOIN pg_class c ON c.oid = inhparent"
    return dict(rows(dsn, f"{counted} WHERE c.relkind = 'p' GROUP BY 1"))


def test_both_forms_have_the_same_columns_keys_indexes_and_functions(two: tuple[str, str]) -> None:
    for dsn in two:
        rows(dsn, "SELECT make_embedding_tables(1, 4)")
    whole, parted = (catalog_of(dsn) for dsn in two)
    assert parted["functions"] == whole["functions"]
    assert parted["constraints"] == whole["constraints"]
    assert parted["indexes"] == whole["indexes"]
    ids = {(column[0], column[1]) for column in whole["columns"] if column[5] and column[0] in DIVIDED}
    assert len(ids) == 5
    without_ids = [[row for row in each["columns"] if row[:2] not in ids] for each in (whole, parted)]
    assert without_ids[0] == without_ids[1]
    numbers = {row[:2]: row[4] for row in parted["columns"] if row[:2] in ids}
    assert numbers == {(table, column): f"nextval('{table}_{column}_seq'::regclass)" for table, column in ids}


def test_every_table_is_divided_or_has_a_reason_to_stay_whole(two: tuple[str, str]) -> None:
    _, dsn = two
    rows(dsn, "SELECT make_embedding_tables(1, 4)")
    vectors = {"embedding_1", "embedding_1_past"}
    assert divided(dsn) == dict.fromkeys({*DIVIDED, *vectors}, 16)
    assert {column[0] for column in catalog_of(dsn)["columns"]} - vectors == {*DIVIDED, *WHOLE}
    assert not set(DIVIDED) & set(WHOLE)


def test_a_table_that_a_later_migration_adds_follows_the_form_of_the_index(two: tuple[str, str]) -> None:
    later = (
        "CREATE TABLE later (source_id int NOT NULL, later_id bigint GENERATED ALWAYS AS IDENTITY, chunk_id bigint,"
        " PRIMARY KEY (source_id, later_id),"
        " FOREIGN KEY (source_id, chunk_id) REFERENCES chunk (source_id, chunk_id) ON DELETE CASCADE);"
        " CREATE INDEX later_chunk ON later (source_id, chunk_id);"
        " SELECT divide_tables('{later}', index_partitions())"
    )
    for dsn in two:
        rows(dsn, later)
        rows(dsn, "ALTER TABLE chunk ADD COLUMN more int; CREATE INDEX chunk_more ON chunk (source_id, more);"
                  " DROP INDEX chunk_content; ALTER TABLE chunk DROP COLUMN lexemes")  # fmt: skip
    whole, parted = (catalog_of(dsn) for dsn in two)
    assert parted["constraints"] == whole["constraints"]
    assert parted["indexes"] == whole["indexes"]
    assert [divided(dsn).get("later", 0) for dsn in two] == [0, 16]


def test_only_empty_tables_are_divided_and_only_a_new_index(two: tuple[str, str]) -> None:
    whole, parted = two
    rows(whole, "INSERT INTO term_stat (term_id, source_id, df) VALUES (1, 1, 1)")
    with pytest.raises(psycopg.errors.RaiseException, match="term_stat has rows"):
        rows(whole, "SELECT divide_tables('{segment,posting_block,term_stat}', 16)")
    assert divided(whole) == {}
    for dsn in two:
        before = catalog_of(dsn)
        with pytest.raises(ConfigurationError, match="There is an index here already"):
            migrate(dsn, new_in=4)
        assert catalog_of(dsn) == before
    assert divided(parted)["chunk"] == 16


@asynccontextmanager
async def filled(dsn: str) -> AsyncGenerator[Index]:
    """An index of three sources, of which one text was replaced and one was dropped."""
    database = Database(dsn, pool_size=2)
    await database.open()
    try:
        index = Index(database)
        target = await index.stores.vectors.ensure(SMALL)
        for name, texts in TEXTS.items():
            source = await index.source(name)
            for number, text in enumerate(texts):
                await index.put(source, f"{number}.md", text)
        await index.embed(target)
        sources = await index.stores.sources.all("local")
        await index.put(sources[0], "0.md", "# Boilers\nThe boiler is checked in autumn.\n")
        await index.drop(sources[1], "1.md")
        await index.embed(target)
        await index.stores.segments.flush()
        yield index
    finally:
        await database.close()


async def contents(index: Index, tables: Sequence[str]) -> dict[str, list[tuple[Any, ...]]]:
    """What tables hold, without times and without numbers that are drawn."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    for table in tables:
        columns = await index.rows(
            "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped"
            " AND atttypid NOT IN ('timestamptz'::regtype, 'timestamptz[]'::regtype) ORDER BY attnum",
            table,
        )
        listed = ", ".join(f"{name}::text" for (name,) in columns)
        found[table] = await index.rows(f"SELECT {listed} FROM {table} ORDER BY {listed}")  # type: ignore[arg-type]  # noqa: S608 - our own names
    return found


async def test_the_same_texts_are_kept_and_found_in_both_forms(two: tuple[str, str]) -> None:
    async with AsyncExitStack() as stack:
        whole, parted = [await stack.enter_async_context(filled(dsn)) for dsn in two]
        tables = [*DIVIDED, "chunk_delta", "vector_task", "embedding_1", "embedding_1_past", "source_stat"]
        kept = await contents(whole, tables)
        assert kept == await contents(parted, tables)
        assert len(kept["chunk"]) == 7
        assert len({row[0] for row in kept["embedding_1"]}) == 3
        for name in (None, *TEXTS):
            for exact in (True, False):
                answers = [await nearest(index, name, exact=exact) for index in (whole, parted)]
                assert answers[0] == answers[1]
                assert len(answers[0]) == (5 if name is None else 1 if name == "music" else 2)


async def nearest(index: Index, name: str | None, *, exact: bool) -> list[tuple[int, float]]:
    """The chunks of one source or of all, the nearest to a text first."""
    allowed = await index.stores.sources.allowed(Principal.local(), RequestScope(source=name))
    asked = NearestQuery(
        set_id=EmbeddingSetId(1), vectors=[vector_of("boiler")], plans=[None], by_words=[], limit=10, pages=None,
        exact=exact, own_languages=(),
    )  # fmt: skip
    (hits,), _ = await index.stores.search.nearest(allowed, asked)
    return [(int(number), round(score, 6)) for number, score in hits.pairs()]


async def test_a_dump_of_an_index_in_partitions_is_restored_in_partitions(
    two: tuple[str, str], server_dsn: str, tmp_path: Path
) -> None:
    _, dsn = two
    copy = fresh_database(server_dsn)
    async with filled(dsn) as index:
        before = await contents(index, DIVIDED)
        made = await make_backup(dsn, tmp_path / "backup", password=None, clock=system_clock)
    await restore_dump(made, tmp_path / "backup", copy)
    migrate(copy)
    assert divided(copy) == divided(dsn)
    assert catalog_of(copy) == catalog_of(dsn)
    database = Database(copy, pool_size=2)
    await database.open()
    try:
        restored = Index(database)
        assert await contents(restored, DIVIDED) == before
        source = (await restored.stores.sources.all("local"))[0]
        await restored.put(source, "new.md", "# New\nSomething that was not there.\n")
        assert await restored.value("SELECT count(*) FROM chunk") == len(before["chunk"]) + 1
    finally:
        await database.close()


async def test_a_question_over_one_source_reads_one_partition_however_often_it_is_asked(two: tuple[str, str]) -> None:
    """A plan that is kept for all parameters would walk all graphs. Each source is in another partition."""
    _, dsn = two
    async with filled(dsn):
        pass
    read: list[int] = []
    for name in ("machines", None):
        await ended(dsn)
        rows(dsn, "SELECT pg_stat_reset()")
        database = Database(dsn, pool_size=2)
        await database.open()
        for _ in range(10):
            await nearest(Index(database), name, exact=False)
        await database.close()
        await ended(dsn)
        found = rows(dsn, "SELECT relname FROM pg_stat_user_tables WHERE relname ~ '^embedding_1_p[0-9]+$'"
                          " AND coalesce(idx_scan, 0) + coalesce(seq_scan, 0) > 0")  # fmt: skip
        read.append(len(found))
    assert read == [1, len(TEXTS)]


async def test_a_read_over_sources_of_one_partition_keeps_one_plan_of_its_tables(two: tuple[str, str]) -> None:
    _, dsn = two
    async with filled(dsn) as index:
        sources = await index.stores.sources.all("local")
        statement = index.database.queries["chunks_read"]
        queries = (
            "SELECT statement, generic_plans, custom_plans FROM pg_prepared_statements WHERE statement LIKE %(chunks)s"
        )

        async def asked(connection: Connection) -> list[Row]:
            for names in ([0], [0, 0], [1], [0], [0, 1, 2]):
                chosen = [sources[number].source_id for number in names]
                params = {"source_ids": int_array(chosen), "chunk_ids": [1], "at": END_OF_TIME}
                await index.database.rows_of_sources(connection, statement, params, planned_once=True)
            like = {"chunks": "%FROM chunk%"}
            return await (await connection.execute(queries, like, prepare=False)).fetchall()

        kept = await index.database.reading(asked)
    named = {PARTITION.findall(row["statement"])[0]: (row["generic_plans"], row["custom_plans"]) for row in kept}
    assert sorted(named.values()) == [(1, 0), (3, 0)]


def test_every_read_that_names_its_sources_reads_nothing_beyond_the_partition_that_they_are_in(
    two: tuple[str, str],
) -> None:
    _, dsn = two
    rows(dsn, "SELECT make_embedding_tables(1, 4)")
    queries = shipped_queries()
    places = {*DIVIDED, "embedding_1", "embedding_1_past"}
    unconfined: set[str] = set()
    confined = 0
    with psycopg.connect(dsn, autocommit=True, options="-c plan_cache_mode=force_generic_plan") as connection:
        for name in filter(queries.on_replicas, queries.names()):
            statement = numbered(statement_of(queries, name))
            prepared = in_partition(cast("LiteralString", statement), 3)
            if not sources_of(dict.fromkeys(PARAMETER.findall(queries[name]), 7)):
                unconfined |= {name} if prepared != statement else set()
                continue
            nothing = ", ".join(["NULL"] * len(set(re.findall(r"\$\d+", prepared))))
            connection.execute(f"PREPARE {name} AS {prepared}".encode())
            ((plan,),) = connection.execute(f"EXPLAIN (FORMAT JSON) EXECUTE {name} ({nothing})".encode()).fetchall()
            read = {table.removesuffix("_p3") for table in tables_of(plan)}
            assert places.isdisjoint(tables_of(plan)), name
            assert not [table for table in read if re.search(r"_p\d+$", table)], name
            confined += bool(read & places)
    assert confined > 40
    assert unconfined == {"history_overdue", "past_kept"}


def tables_of(plan: Any) -> set[str]:
    """The tables that a plan reads, at any depth."""
    if isinstance(plan, list):
        return set[str]().union(*map(tables_of, cast("list[Any]", plan)))
    if not isinstance(plan, dict):
        return set()
    node = cast("dict[str, Any]", plan)
    below = set[str]().union(*map(tables_of, node.values()))
    return below | ({str(node["Relation Name"])} if "Relation Name" in node else set())


async def test_sources_are_told_the_partitions_that_their_rows_are_in(two: tuple[str, str]) -> None:
    _, dsn = two
    async with filled(dsn) as index:
        told = await index.database.fetch("partitions_of", {"source_ids": "{1,2,3}"})
        lying = await index.rows("SELECT source_id, tableoid::regclass::text FROM chunk GROUP BY 1, 2")
    assert {(row["source_id"], f"chunk_p{row['partition']}") for row in told} == set(lying)
    assert len(lying) == len(TEXTS)


async def ended(dsn: str) -> None:
    """Nobody else is connected any more, so that all that was counted is told."""
    others = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    async with asyncio.timeout(HANG_SECONDS):
        while rows(dsn, others):  # noqa: ASYNC110 - only the server can tell
            await asyncio.sleep(0.01)
