"""A database whose index belongs to a role that is no superuser, beside roles that may do less."""

import secrets
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

_PASSWORD = "let-me-in"


@dataclass(frozen=True, slots=True)
class DatabaseRoles:
    """The names of an owner, a writer and a reader; `admin` is how a superuser connects to their database."""

    admin: str
    owner: str
    writer: str
    reader: str

    def dsn(self, role: str, server: str | None = None) -> str:
        """How a role connects to the database, or to the same one of another server."""
        name = str(conninfo_to_dict(self.admin)["dbname"])
        return make_conninfo(server or self.admin, dbname=name, user=role, password=_PASSWORD)


@contextmanager
def database_roles(admin: str) -> Generator[DatabaseRoles]:
    """Three roles for an empty database; nothing of them is left on the server."""
    mark = secrets.token_hex(4)
    roles = DatabaseRoles(admin, f"owner_{mark}", f"writer_{mark}", f"reader_{mark}")
    name = sql.Identifier(str(conninfo_to_dict(admin)["dbname"]))
    owner, writer, reader = made = [sql.Identifier(role) for role in (roles.owner, roles.writer, roles.reader)]
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")  # only a superuser may
        for role in made:
            connection.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(role, _PASSWORD))
        connection.execute(sql.SQL("GRANT CREATE ON DATABASE {} TO {}").format(name, owner))
        connection.execute(sql.SQL("GRANT CREATE ON SCHEMA public TO {}").format(owner))
    try:
        yield roles
    finally:
        with psycopg.connect(admin, autocommit=True) as connection:
            connection.execute(sql.SQL("DROP OWNED BY {}, {}, {} CASCADE").format(owner, writer, reader))
            connection.execute(sql.SQL("DROP ROLE {}, {}, {}").format(owner, writer, reader))
