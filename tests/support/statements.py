"""Counts the statements that run on a database, and gives them as a server takes them alone."""

import re
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from citemark.store.database import Database, Queries


@contextmanager
def counted(database: Database) -> Generator[Counter[str]]:
    """The statements that run meanwhile, by name; those with several parts as they are."""
    queries = database.queries
    names = {queries[name].partition("\n")[0]: name for name in queries.names()}
    found: Counter[str] = Counter()
    original = psycopg.AsyncConnection.execute

    async def execute(self: Any, query: Any, *arguments: Any, **options: Any) -> Any:
        first_line = str(query).partition("\n")[0]
        found[names.get(first_line, first_line)] += 1
        return await original(self, query, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg.AsyncConnection, "execute", execute)
        yield found
    # Settings of connections, one that goes along with a statement in the same message, notes twice a second, and what
    # a read horizon needs for seconds after a page was written.
    connections = ("search_settings", "statement_limit", "backend", "index_divided")
    for name in (*connections, "plans_from_now", "activity_note", "log_flush"):
        found.pop(name, None)


def statement_of(queries: Queries, name: str) -> str:
    """A named statement about the first embedding set, without comments."""
    text = queries.for_set(name, 1, "near_exact" if name == "candidates_nearest" else "")
    return re.sub(r"^--[^\n]*\n", "", text, flags=re.MULTILINE).strip()


def numbered(statement: str) -> str:
    """The statement with parameters as PREPARE and EXPLAIN take them."""
    names = list(dict.fromkeys(re.findall(r"%\((\w+)\)[sb]", statement)))
    return re.sub(r"%\((\w+)\)[sb]", lambda match: f"${names.index(match.group(1)) + 1}", statement)
