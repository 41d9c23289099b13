"""What a writer and a reader may do with an index that neither of them owns, and what not."""

import re
from collections.abc import Generator, Sequence
from typing import Any, LiteralString

import psycopg
import pytest
from tests.support.database_roles import DatabaseRoles, database_roles
from tests.support.postgres import fresh_database
from tests.support.statements import numbered, statement_of

from citemark.model.errors import ConfigurationError
from citemark.store.database import Queries
from citemark.store.migrate import migrate
from citemark.store.roles import READ_BY_QUESTIONS, grant_roles

OWNERS = {"migration_record"}
"""Statements that no server sends."""

REFUSED: tuple[LiteralString, ...] = (
    "DROP TABLE chunk",
    "ALTER TABLE chunk ADD COLUMN more int",
    "TRUNCATE chunk",
    "CREATE TABLE more (id int)",
    "CREATE INDEX ON chunk (ordinal)",
    "CREATE FUNCTION more() RETURNS int LANGUAGE sql RETURN 1",
    "INSERT INTO schema_version (version, name) VALUES (9000, 'mine')",
    "DELETE FROM schema_version",
    "ALTER TABLE chunk OWNER TO CURRENT_USER",
    "DROP FUNCTION analyze_table",
)
"""What neither of the two may do."""


@pytest.fixture(scope="module", params=[None, 16], ids=["whole", "in_partitions"])
def roles(server_dsn: str, request: pytest.FixtureRequest) -> Generator[DatabaseRoles]:
    """An index that its owner has made, with a table of vectors, and let two roles use."""
    with database_roles(fresh_database(server_dsn)) as made:
        migrate(made.dsn(made.owner), new_in=request.param)
        grant_roles(made.dsn(made.owner), [made.writer], [made.reader])
        with psycopg.connect(made.dsn(made.writer), autocommit=True) as connection:
            connection.execute(Queries()["set_tables"], {"set": 1, "dimensions": 4})
        yield made


def tried(connection: "psycopg.Connection[Any]", statement: str) -> str:
    """Why a statement is refused, and nothing if it is not; it changes nothing."""
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(statement.encode())
    except psycopg.errors.InsufficientPrivilege as error:
        return str(error).partition("\n")[0]
    return ""


def refused(dsn: str, names: Sequence[str], queries: Queries) -> dict[str, str]:
    """The named statements that a role may not run, with the reasons; none is run, but each is about to be."""
    with psycopg.connect(dsn, autocommit=True, options="-c plan_cache_mode=force_generic_plan") as connection:
        found: dict[str, str] = {}
        for name in names:
            statement = statement_of(queries, name)
            if not statement.startswith("DISCARD"):
                prepared = numbered(statement)
                nothing = ", ".join(["NULL"] * len(set(re.findall(r"\$\d+", prepared))))
                connection.execute(f"PREPARE {name} AS {prepared}".encode())
                found[name] = tried(connection, f"EXPLAIN EXECUTE {name}" + (f" ({nothing})" if nothing else ""))
        return {name: reason for name, reason in found.items() if reason}


def closed_partitions(roles: DatabaseRoles) -> list[str]:
    """The partitions that a role may not read although it may read the whole, or may where it may not."""
    found: list[str] = []
    for role in (roles.writer, roles.reader):
        with psycopg.connect(roles.dsn(role)) as connection:
            rows = connection.execute(
                "SELECT format('%s: %s', current_user, inhrelid::regclass) FROM pg_inherits JOIN pg_class p"
                " ON p.oid = inhparent AND p.relkind = 'p' WHERE has_table_privilege(inhrelid, 'SELECT')"
                " <> has_table_privilege(inhparent, 'SELECT')"
            ).fetchall()
            found += [each for (each,) in rows]
    return found


@pytest.mark.requirement("least-privileged-roles")
def test_the_writer_may_run_every_statement_of_a_server(roles: DatabaseRoles) -> None:
    queries = Queries()
    assert set(refused(roles.dsn(roles.writer), queries.names(), queries)) == OWNERS
    with psycopg.connect(roles.dsn(roles.writer)) as connection:
        numbers = "SELECT relname FROM pg_class WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace"
        for (name,) in connection.execute(numbers).fetchall():
            assert not tried(connection, f"SELECT nextval('{name}')"), name


@pytest.mark.requirement("least-privileged-roles")
def test_the_reader_may_run_what_questions_read_on_replicas_and_nothing_that_writes(roles: DatabaseRoles) -> None:
    queries = Queries()
    on_replicas = [name for name in queries.names() if queries.on_replicas(name)]
    assert not refused(roles.dsn(roles.reader), on_replicas, queries)
    assert not closed_partitions(roles)
    writing = [name for name in queries.names() if not queries.repeatable(name)]
    unrefused = set(writing) - set(refused(roles.dsn(roles.reader), writing, queries))
    assert not {name for name in unrefused if not statement_of(queries, name).startswith("DISCARD")}


@pytest.mark.requirement("least-privileged-roles")
def test_the_reader_may_read_no_table_that_questions_do_not_read_there(roles: DatabaseRoles) -> None:
    queries = Queries()
    texts = [statement_of(queries, name) for name in queries.names() if queries.on_replicas(name)]
    read = {table for text in texts for table in re.findall(r"\b(?:FROM|JOIN|,)\s+(\w+)", text)}
    assert read >= READ_BY_QUESTIONS
    with psycopg.connect(roles.dsn(roles.reader)) as connection:
        may = connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND NOT relispartition"
            " AND CASE WHEN relkind IN ('r', 'p') THEN has_table_privilege(oid, 'SELECT')"
            " WHEN relkind = 'S' THEN has_sequence_privilege(oid, 'USAGE') END"
        ).fetchall()
    assert {name for (name,) in may} == READ_BY_QUESTIONS | {"embedding_1", "embedding_1_past"}


@pytest.mark.requirement("least-privileged-roles")
@pytest.mark.parametrize("name", ["writer", "reader"])
def test_neither_may_change_a_table_or_become_more(roles: DatabaseRoles, name: str) -> None:
    with psycopg.connect(roles.dsn(getattr(roles, name)), autocommit=True) as connection:
        assert not [statement for statement in REFUSED if not tried(connection, statement)]
        for table in ("source_secret", "shared_key", "access_token", "pending_login", "passage", "agent_call"):
            assert bool(tried(connection, f"SELECT FROM {table}")) == (name == "reader"), table
        for work in ("make_embedding_tables(7, 4)", "drop_embedding_tables(1)", "analyze_table('chunk')"):
            assert bool(tried(connection, f"SELECT {work}")) == (name == "reader"), work


@pytest.mark.requirement("least-privileged-roles")
def test_the_owners_work_is_done_where_the_index_is_whatever_its_caller_prepared(roles: DatabaseRoles) -> None:
    with psycopg.connect(roles.dsn(roles.writer)) as connection:
        connection.execute("CREATE TEMPORARY TABLE chunk (id int)")
        connection.execute("CREATE DOMAIN pg_temp.halfvec AS int")
        connection.execute("SELECT make_embedding_tables(8, 4)")
        found = connection.execute(
            "SELECT relowner::regrole::text FROM pg_class WHERE oid = 'public.embedding_8'::regclass"
        )
        assert found.fetchone() == (roles.owner,)
        connection.rollback()


@pytest.mark.requirement("least-privileged-roles")
def test_a_migration_is_the_owners_and_lets_the_same_roles_use_what_it_made(roles: DatabaseRoles) -> None:
    with psycopg.connect(roles.dsn(roles.owner), autocommit=True) as connection:
        connection.execute("ALTER TABLE source DROP COLUMN about")
        connection.execute("DELETE FROM schema_version WHERE name = 'notes_about_sources'")
        connection.execute(f"REVOKE INSERT ON passage FROM {roles.writer}".encode())
        connection.execute(f"GRANT SELECT ON source_secret TO {roles.reader}".encode())
        if connection.execute("SELECT FROM pg_class WHERE relname = 'chunk_p3'").fetchall():
            connection.execute(f"REVOKE ALL ON chunk_p3 FROM {roles.reader}".encode())
    with pytest.raises(ConfigurationError, match=r"only the owner of the index may change it\. Run `citemark migrate`"):
        migrate(roles.dsn(roles.writer))
    migrate(roles.admin)
    with psycopg.connect(roles.admin) as connection:
        found = connection.execute(
            "SELECT DISTINCT a.grantor::regrole::text FROM pg_class, aclexplode(relacl) a"
            " WHERE relname IN ('passage', 'source') AND a.grantee::regrole::text IN (%s, %s)",
            [roles.writer, roles.reader],
        )
        assert found.fetchall() == [(roles.owner,)]
    queries = Queries()
    assert set(refused(roles.dsn(roles.writer), queries.names(), queries)) == OWNERS
    with psycopg.connect(roles.dsn(roles.reader), autocommit=True) as connection:
        assert tried(connection, "SELECT FROM source_secret")
    assert not closed_partitions(roles)


@pytest.mark.requirement("least-privileged-roles")
def test_roles_that_are_unknown_or_may_do_everything_anyway_are_refused(roles: DatabaseRoles) -> None:
    with pytest.raises(ConfigurationError, match=r"no role 'nobody_at_all'. Have its administrator"):
        grant_roles(roles.dsn(roles.owner), ["nobody_at_all"], [])
    with pytest.raises(ConfigurationError, match="may act as the owner"):
        grant_roles(roles.admin, [roles.owner], [])
    with pytest.raises(ConfigurationError, match="Only the owner of the index can let roles use it"):
        grant_roles(roles.dsn(roles.writer), [], [roles.reader])
