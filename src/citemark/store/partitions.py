"""Which tables an index in partitions divides, by the hash of the source that a row belongs to.

Those that grow with what is indexed are divided, with indexes of its own in every partition. Queues, the ledger and
everything of which there is little stay whole: the next piece of work is then found in one index, and unlogged tables
cannot be divided.

A read whose sources are all in one partition reads the tables of that partition by their own names. Its plan then knows
one table instead of sixteen, can be kept, and is the plan that an undivided index has.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, LiteralString, cast

import psycopg

DIVIDED = (
    "document",
    "revision",
    "section",
    "chunk",
    "chunk_terms",
    "chunk_terms_past",
    "relationship",
    "segment",
    "posting_block",
    "posting_list",
    "term_stat",
)
"""The tables that are divided, beside those of vectors; a test names those that are not, and why."""

_READ = re.compile(rf"\b(FROM|JOIN)\s+({'|'.join(DIVIDED)}|embedding_\d+(?:_past)?)\b")

_NAMES = ("source_ids", "sources", "source_id")
"""What reads call the sources that they are confined to; of several, the first, since the others are among it."""

_KEPT = 2048
"""Statements that are kept with other names: some sixty of them, and as many partitions as most indexes have."""


def divide(connection: "psycopg.Connection[tuple[Any, ...]]", statement: LiteralString, partitions: int) -> None:
    """Divide the tables of an index that is being made in the transaction of `connection`, by `tables_divide`."""
    connection.execute(statement, {"names": list(DIVIDED), "partitions": partitions})


@lru_cache(_KEPT)
def in_partition(statement: LiteralString, partition: int) -> LiteralString:
    """The same read of the tables of one partition (counted from 0)."""
    return cast("LiteralString", _READ.sub(rf"\1 \2_p{partition:d}", statement))


def sources_of(params: Mapping[str, Any] | None) -> list[int]:
    """The sources that a read is confined to, by its parameters; none if these do not say."""
    given = next((params[name] for name in _NAMES if name in params), ()) if params else ()
    if isinstance(given, str):  # an array as PostgreSQL writes it
        return [int(each) for each in given[1:-1].split(",") if each]
    return [given] if isinstance(given, int) else list(given)
