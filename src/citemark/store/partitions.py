"""Which tables an index in partitions divides, by the hash of the source that a row belongs to.

Those that grow with what is indexed are divided, with indexes of its own in every partition. Queues, the ledger and
everything of which there is little stay whole: the next piece of work is then found in one index, and unlogged tables
cannot be divided.
"""

from typing import Any

import psycopg

from citemark.store.database import Queries

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


def divide(connection: "psycopg.Connection[tuple[Any, ...]]", queries: Queries, partitions: int) -> None:
    """Divide the tables of an index that is being made in the transaction of `connection`."""
    connection.execute(queries["tables_divide"], {"names": list(DIVIDED), "partitions": partitions})
