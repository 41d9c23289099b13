"""Migrations in plain SQL, applied in order under one lock."""

from importlib.resources import files
from typing import Any

import psycopg
from psycopg import sql

from citemark.model.errors import BackendUnavailable, ConfigurationError
from citemark.store.conninfo import safe_message
from citemark.store.database import Queries, shipped_queries
from citemark.store.partitions import divide
from citemark.store.roles import act_as_owner, grant_again

_SECONDS = 4 * 3600
"""The time limit of one migration, or of waiting for another process: each takes minutes on a million chunks."""

_LOCK = 4_867_001
"""The advisory lock of migrations: any number that nothing else locks."""

_OLDEST_SERVER = 150_000
"""PostgreSQL 15, as in `server_version_num`."""

_OLDEST_PGVECTOR = (0, 7)
"""The first version with halfvec."""


def migrations() -> list[tuple[int, str, str]]:
    """(number, name, SQL) of every migration, in order."""
    found: list[tuple[int, str, str]] = []
    for entry in files("citemark.store").joinpath("migrations").iterdir():
        if entry.name.endswith(".sql"):
            number, _, name = entry.name.removesuffix(".sql").partition("_")
            found.append((int(number), name, entry.read_text("utf-8")))
    return sorted(found)


def ensure_database(dsn: str, name: str) -> None:
    """Have the same server hold another database, which is created if it is missing.

    Raises:
        BackendUnavailable: the database cannot be created.
    """
    try:
        with psycopg.connect(dsn, autocommit=True, connect_timeout=15) as connection:
            if not connection.execute(shipped_queries()["database_exists"], {"name": name}).fetchone():
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    except psycopg.Error as error:
        raise BackendUnavailable(f"The database {name!r} cannot be created: {safe_message(error, dsn)}") from None


def migrate(dsn: str, *, new_in: int | None = None) -> None:
    """Bring the schema to this version's state; several processes may call it concurrently.

    Args:
        dsn: of the database.
        new_in: make an index that must not be there yet, in so many partitions; 0 leaves its tables whole.

    Raises:
        ConfigurationError: a newer version made the index, PostgreSQL is too old, pgvector is missing or too old; or
            there is an index where a new one was to be made.
        BackendUnavailable: the database does not answer.
    """
    available = migrations()
    queries = shipped_queries()
    try:
        with psycopg.connect(dsn, connect_timeout=15) as connection:
            connection.execute(queries["statement_limit"], {"milliseconds": f"{_SECONDS * 1000:d}", "local": True})
            _check_versions(connection, queries)
            connection.execute(queries["migration_lock"], {"key": _LOCK})
            done = _done(connection, queries)
            if done and new_in is not None:
                raise ConfigurationError(
                    "There is an index here already, and `citemark init` makes new ones only; for one more, set "
                    "CITEMARK_DATA_DIR to another folder, or CITEMARK_DATABASE_URL to another database."
                )
            newest = max((number for number, _, _ in available), default=0)
            if done and max(done) > newest:
                raise ConfigurationError(
                    f"This index was created by a newer version of Citemark: its schema is {max(done)}, this version "
                    f"knows {newest}. Update Citemark, or point CITEMARK_DATA_DIR at another folder.",
                    schema=max(done),
                    known=newest,
                )
            waiting = [each for each in available if each[0] not in done]
            if not waiting:
                return
            if not act_as_owner(connection, queries):
                raise ConfigurationError(_left_to_the_owner(max(done, default=0), newest))
            for number, name, text in waiting:
                connection.execute(text.encode())
                connection.execute(queries["migration_record"], {"version": number, "name": name})
            if new_in:
                divide(connection, queries["tables_divide"], new_in)
            grant_again(connection, queries)
    except (psycopg.errors.FeatureNotSupported, psycopg.errors.UndefinedFile) as error:
        raise ConfigurationError(f"The database lacks the extension pgvector: {safe_message(error, dsn)}") from None
    except psycopg.errors.InsufficientPrivilege as error:
        raise ConfigurationError(
            f"The database's user may not create the schema: {safe_message(error, dsn)}. Have its administrator run "
            "CREATE EXTENSION vector in it, if that is what is missing, and run `citemark migrate` with a "
            "CITEMARK_DATABASE_URL of the role that is to own the index."
        ) from None
    except psycopg.OperationalError as error:
        raise BackendUnavailable(f"The database does not answer: {safe_message(error, dsn)}") from None


def _done(connection: "psycopg.Connection[tuple[Any, ...]]", queries: Queries) -> set[int]:
    row = connection.execute(queries["migration_version"]).fetchone()
    if row is None or not row[0]:
        return set()
    try:
        return {each[0] for each in connection.execute(queries["migrations_done"]).fetchall()}
    except psycopg.errors.InsufficientPrivilege:
        raise ConfigurationError(
            "The database's role may not use the index. Have its owner run `citemark migrate --writer ROLE`."
        ) from None


def _left_to_the_owner(schema: int, newest: int) -> str:
    return (
        f"The schema of this index is {schema}, this version of Citemark needs {newest}, and only the owner of the "
        "index may change it. Run `citemark migrate` with a CITEMARK_DATABASE_URL of the owner, then start this again."
    )


def _check_versions(connection: "psycopg.Connection[tuple[Any, ...]]", queries: Queries) -> None:
    number, version, pgvector = connection.execute(queries["server_versions"]).fetchone() or (
        0,
        "of unknown version",
        "",
    )
    if number < _OLDEST_SERVER:
        raise ConfigurationError(f"The database is PostgreSQL {version}; Citemark needs 15 or later.")
    if not pgvector:
        raise ConfigurationError(
            "The database lacks the extension pgvector. Install 0.7 or later on its server, or leave "
            "CITEMARK_DATABASE_URL out to use the bundled one."
        )
    if tuple(int(part) for part in pgvector.split(".")[:2]) < _OLDEST_PGVECTOR:
        raise ConfigurationError(f"The database has pgvector {pgvector}; Citemark needs 0.7 or later.")
