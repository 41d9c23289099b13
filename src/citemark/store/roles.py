"""What the roles of a shared database may do. The owner of the tables changes them; a server is content with less.

A writer reads and writes rows, and has the owner's functions do what only an owner may. A reader reads, on a replica,
what questions read there: no secrets, tokens, handles, kept calls or queues. Nothing else is remembered of either: what
a role may do says what it is, so that a migration can give it the same of tables that are new.
"""

import re
from collections.abc import Collection, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, LiteralString, TypeAlias, cast

import psycopg
from psycopg import sql

from citemark.model.errors import BackendUnavailable, ConfigurationError
from citemark.store.conninfo import safe_message
from citemark.store.database import Queries, shipped_queries

READ_BY_QUESTIONS = frozenset(
    {
        *("baseline", "baseline_source", "chunk", "chunk_delta", "chunk_delta_past", "chunk_terms", "chunk_terms_past"),
        *(
            "common_name",
            "document",
            "posting_block",
            "posting_list",
            "relationship",
            "revision",
            "section",
            "segment",
            "source",
        ),
        "term_stat",
    }
)
"""The tables that questions read on replicas, beside those of vectors; a test holds the list against the statements."""

_LEFT_TO_THE_OWNER = frozenset({"schema_version"})
"""Tables that servers read and never write."""

_TABLE = re.compile(r"^CREATE (?:UNLOGGED )?TABLE (\w+)", re.MULTILINE)
_SEQUENCE = re.compile(r"^CREATE SEQUENCE (\w+)", re.MULTILINE)

_OWNERS_WORK = ("make_embedding_tables", "drop_embedding_tables", "analyze_table")
"""The functions that do what only the owner of tables may."""

_Connection: TypeAlias = "psycopg.Connection[tuple[Any, ...]]"


def grant_roles(dsn: str, writers: Sequence[str], readers: Sequence[str]) -> None:
    """Let roles write or read the index of a database, as its owner; what they may do beyond that in it is taken away.

    Raises:
        ConfigurationError: a role does not exist, may do everything anyway, or is not for this one to let.
        BackendUnavailable: the database does not answer.
    """
    queries = shipped_queries()
    try:
        with psycopg.connect(dsn, connect_timeout=15) as connection:
            if not act_as_owner(connection, queries):
                raise ConfigurationError(
                    "Only the owner of the index can let roles use it; repeat the command with a CITEMARK_DATABASE_URL "
                    "of the owner."
                )
            for role in (*writers, *readers):
                _check(connection, queries, role)
            _grant(connection, queries, writers, readers)
    except psycopg.OperationalError as error:
        raise BackendUnavailable(f"The database does not answer: {safe_message(error, dsn)}") from None


def grant_again(connection: _Connection, queries: Queries) -> None:
    """Let the roles that may use the index use what a migration has made, too."""
    writers, readers = connection.execute(queries["roles_granted"]).fetchone() or ([], [])
    _grant(connection, queries, writers, readers)


def act_as_owner(connection: _Connection, queries: Queries) -> bool:
    """Have the owner of the index own what this transaction makes; False if this role may not act as the owner."""
    owner, may = connection.execute(queries["index_owner"]).fetchone() or (None, True)
    if may and owner is not None:
        connection.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(owner)))
    return bool(may)


def _check(connection: _Connection, queries: Queries, role: str) -> None:
    found = connection.execute(queries["role_checked"], {"role": role}).fetchone()
    if found is None:
        raise ConfigurationError(
            f"The database has no role {role!r}. Have its administrator make one, for example by CREATE ROLE {role} "
            "LOGIN PASSWORD '...', and repeat the command."
        )
    if found[0]:
        raise ConfigurationError(
            f"The role {role!r} is a superuser or may act as the owner of the index, so that it can do everything; "
            "name a role that is neither."
        )


def _grant(connection: _Connection, queries: Queries, writers: Sequence[str], readers: Sequence[str]) -> None:
    known, named = _made_by_migrations()
    place = connection.execute(queries["index_place"], {"tables": sorted(known)}).fetchone()
    schema, database, vectors, numbers, partitions = place or ("", "", [], [], {})
    sequences = [*sorted(named), *numbers]

    def tables(names: Collection[str]) -> list[str]:
        """Tables and those of vectors, and their partitions, which questions read by their own names."""
        whole = [*sorted(names), *vectors]
        return [*whole, *(name for name, table in sorted(partitions.items()) if table in whole)]

    everything = (
        ("ALL", "TABLE", tables(known)),
        ("ALL", "SEQUENCE", sequences),
        ("ALL", "FUNCTION", _OWNERS_WORK),
    )
    either = (("USAGE", "SCHEMA", [schema]), ("CONNECT", "DATABASE", [database]))
    writing = (
        ("SELECT", "TABLE", sorted(_LEFT_TO_THE_OWNER)),
        ("SELECT, INSERT, UPDATE, DELETE", "TABLE", tables(known - _LEFT_TO_THE_OWNER)),
        ("SELECT, USAGE, UPDATE", "SEQUENCE", sequences),
        ("EXECUTE", "FUNCTION", _OWNERS_WORK),
    )
    reading = (("SELECT", "TABLE", tables(READ_BY_QUESTIONS)),)
    for role in dict.fromkeys((*writers, *readers)):
        for what in everything:
            connection.execute(_statement("REVOKE", *what, "FROM", role))
        for what in (*either, *(writing if role in writers else reading)):
            connection.execute(_statement("GRANT", *what, "TO", role))


def _statement(verb: str, privileges: str, kind: str, names: Sequence[str], to: str, role: str) -> sql.Composed:
    listed = sql.SQL(", ").join(map(sql.Identifier, names))
    # Nothing but the names comes from anywhere else than this module.
    text = cast("LiteralString", f"{verb} {privileges} ON {kind} {{}} {to} {{}}")
    return sql.SQL(text).format(listed, sql.Identifier(role))


@cache
def _made_by_migrations() -> tuple[frozenset[str], frozenset[str]]:
    """The tables and the sequences of an index, beside the tables of vectors."""
    schema = files("citemark.store").joinpath("schema.sql").read_text("utf-8")
    return frozenset(_TABLE.findall(schema)), frozenset(_SEQUENCE.findall(schema))
