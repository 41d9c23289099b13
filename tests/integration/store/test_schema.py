"""The schema: migrations, keys, named statements."""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from tests.integration.store.catalog import catalog_of, keys_of
from tests.support.postgres import fresh_database
from tests.support.statements import numbered, statement_of

from citemark.model.errors import ConfigurationError
from citemark.store.database import Queries
from citemark.store.migrate import migrate, migrations

ALLOWED = {
    "schema_version": "one row per migration",
    "source": "one row per configured source: what source_id points to",
    "embedding_set": "one row per model",
    "search_activity": "one row per server, overwritten",
    "shared_key": "one row per purpose",
    "access_token": "one row per token that was given out",
    "pending_login": "one row per person who was given a link to log in by",
    "connect_page": "one row per person who was given a page",
    "agent_call": "one row per call that is kept, for as many days as the settings say",
    "baseline": "one row per state that somebody named",
}
"""Tables whose keys may lack source_id, and why they never grow with the content."""

ALLOWED_KEYS = {
    "FOREIGN KEY (embedding_set_id) REFERENCES embedding_set(embedding_set_id) ON DELETE CASCADE",
    "FOREIGN KEY (call_id) REFERENCES agent_call(call_id) ON DELETE CASCADE",
    "FOREIGN KEY (baseline_id) REFERENCES baseline(baseline_id) ON DELETE CASCADE",
}
"""A row that belongs to an embedding set, a call or a baseline points to that small table too."""


@pytest.fixture
def empty_dsn(server_dsn: str) -> str:
    return fresh_database(server_dsn)


def run(dsn: str, statement: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(statement.encode())


def unserved_keys(dsn: str) -> list[str]:
    """Foreign keys whose columns no index begins with that holds all rows in which they are given."""
    with psycopg.connect(dsn) as connection:
        rows = connection.execute(
            "SELECT f.conrelid::regclass || ': ' || replace(pg_get_constraintdef(f.oid), ' ON DELETE CASCADE', '')"
            " FROM pg_constraint f"
            " WHERE f.contype = 'f' AND f.conparentid = 0 AND NOT EXISTS ("
            "   SELECT FROM pg_index i WHERE i.indrelid = f.conrelid"
            "     AND (i.indkey::int2[])[0:cardinality(f.conkey) - 1] @> f.conkey"
            "     AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid) ~ '^\\(\\w+ IS NOT NULL\\)$'))"
            " ORDER BY 1"
        ).fetchall()
    return [row[0] for row in rows]


@pytest.mark.requirement("replayed-migrations-equal-schema")
def test_migrations_replayed_from_nothing_equal_the_schema_file(dsn: str, empty_dsn: str) -> None:
    run(empty_dsn, files("citemark.store").joinpath("schema.sql").read_text("utf-8"))
    assert catalog_of(dsn) == catalog_of(empty_dsn)


def test_migrating_again_changes_nothing(dsn: str) -> None:
    before = catalog_of(dsn)
    migrate(dsn)
    assert catalog_of(dsn) == before


@pytest.mark.requirement("growing-keys-contain-source-id")
def test_every_key_of_every_growing_table_has_source_id(dsn: str) -> None:
    with psycopg.connect(dsn) as connection:
        connection.execute(Queries()["set_tables"], {"set": 1, "dimensions": 4})
        keys = keys_of(connection)
    loose = [(table, key) for table, key, columns in keys if "source_id" not in columns and key not in ALLOWED_KEYS]
    assert {table for table, _ in loose} <= set(ALLOWED), loose
    assert {table for table, *_ in keys} >= {"chunk", "posting_block", "embedding_1", "embedding_1_past", "passage"}


@pytest.mark.requirement("growing-keys-contain-source-id")
def test_every_growing_table_has_source_id_not_null(dsn: str) -> None:
    tables = {(column[0], column[1]): column for column in catalog_of(dsn)["columns"]}
    for table in {column[0] for column in catalog_of(dsn)["columns"]} - set(ALLOWED):
        assert tables[table, "source_id"][3], table


@pytest.mark.requirement("writing-reads-no-more-beside-more-documents")
def test_what_is_deleted_with_a_row_is_found_by_an_index_of_all_rows(dsn: str) -> None:
    assert unserved_keys(dsn) == []
    run(dsn, "DROP INDEX section_document")
    assert unserved_keys(dsn) == [
        "section: FOREIGN KEY (source_id, document_id) REFERENCES document(source_id, document_id)"
    ]


def test_every_named_statement_is_valid_for_the_server(dsn: str) -> None:
    run(dsn, "SELECT make_embedding_tables(1, 4)")
    with psycopg.connect(dsn, autocommit=True) as connection:
        queries = Queries()
        for name in queries.names():
            statement = statement_of(queries, name)
            if statement.upper().startswith("DISCARD"):
                connection.execute(b"BEGIN")
                connection.execute(statement.encode())
                connection.execute(b"ROLLBACK")
            else:
                connection.execute(f"PREPARE {name} AS {numbered(statement)}".encode())


@pytest.mark.requirement("every-growing-query-names-the-fence")
def test_every_statement_that_reads_chunks_or_vectors_names_its_sources() -> None:
    fenceless = {
        "sets", "set_queue_all", "set_complete", "set_tables", "set_drop", "tasks_claim", "tasks_waiting",
        "tasks_return", "tasks_release", "random_pairs_size", "random_pairs_measure", "deltas_take", "segments_untidy",
        "handles_forget", "backup_counts",
        "sources_wanting_scan", "status_sources", "ranking_read", "passages_find", "passage_session", "items_release",
        "items_renew", "scan_release", "lease_holders",
    }  # fmt: skip
    words = "chunk_terms|chunk_delta|segment|posting_list|posting_block|term_stat"
    tables = "chunk|document|revision|section|relationship|item|scan|passage|ranked_hit"
    growing = rf"({tables}|{words}|work_done|embedding_\{{set\}})\b"
    queries = Queries()
    for name in queries.names():
        text = re.sub(r"--[^\n]*", "", queries[name])
        if name not in fenceless and re.search(rf"(FROM|JOIN|UPDATE|INTO)\s+{growing}", text):
            assert re.search(
                r"source_id\w* = |ANY\(%\(source_ids\)s\)|%\((rare_|often_)?source(_id|_ids|s)\)s", text
            ), name


@pytest.mark.requirement("newer-index-is-refused")
@pytest.mark.requirement("newer-index-named")
def test_an_index_of_a_newer_version_is_refused_with_the_reason(dsn: str) -> None:
    run(dsn, "INSERT INTO schema_version (version, name) VALUES (9000, 'from the future')")
    before = catalog_of(dsn)
    with pytest.raises(ConfigurationError, match="newer version of Citemark: its schema is 9000") as refused:
        migrate(dsn)
    assert refused.value.details["known"] == migrations()[-1][0]
    assert catalog_of(dsn) == before


def test_two_processes_may_migrate_at_once(empty_dsn: str) -> None:
    program = "import sys; from citemark.store.migrate import migrate; migrate(sys.argv[1])"

    def start(_: int) -> int:
        return subprocess.run([sys.executable, "-c", program, empty_dsn], check=False).returncode

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(start, range(2))) == [0, 0]
    with psycopg.connect(empty_dsn) as connection:
        done = connection.execute("SELECT version FROM schema_version ORDER BY version").fetchall()
    assert [row[0] for row in done] == [number for number, *_ in migrations()]


def test_a_user_without_rights_gets_the_reason(empty_dsn: str) -> None:
    run(empty_dsn, "CREATE ROLE powerless; REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    with pytest.raises(ConfigurationError, match="may not create the schema"):
        migrate(make_conninfo(empty_dsn, options="-c role=powerless"))
    run(empty_dsn, "DROP ROLE powerless")


@pytest.mark.requirement("any-postgresql-15-serves-by-dsn")
def test_a_server_with_too_old_a_pgvector_is_refused_with_the_version_that_is_needed(empty_dsn: str) -> None:
    run(empty_dsn, "CREATE EXTENSION vector")
    run(empty_dsn, "UPDATE pg_extension SET extversion = '0.6.2' WHERE extname = 'vector'")
    with pytest.raises(ConfigurationError, match=r"pgvector 0\.6\.2; Citemark needs 0\.7"):
        migrate(empty_dsn)
