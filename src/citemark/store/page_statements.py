"""Runs the statements of one transaction that writes pages, and makes those that new pages and chunks need."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, LiteralString, TypeAlias

from psycopg import AsyncCursor
from psycopg.rows import DictRow

from citemark.model.documents import DocumentKey
from citemark.store.database import Connection, Database, Row
from citemark.store.page_rows import PlacedPage, new_section_params, opening_params, relationships_of
from citemark.store.pipelines import in_one_message

Call: TypeAlias = tuple[LiteralString, Mapping[str, Any]]
"""A statement with the parameters that are its own."""


class PageStatements:
    """The statements of a transaction, with the parameters that they share."""

    def __init__(self, connection: Connection, database: Database, key: DocumentKey) -> None:
        self._connection = connection
        self._queries = database.queries
        self._set_ids: Sequence[int] = ()
        self._params: dict[str, Any] = {
            "source_id": key.source_id,
            "doc_type": key.doc_type,
            "until": "infinity",
            "past": False,
        }

    async def run(self, name: str, **params: Any) -> list[Row]:
        """Rows of a named statement with the shared parameters."""
        cursor = await self._connection.execute(self._queries[name], {**self._params, **params})
        return await cursor.fetchall() if cursor.description else []

    async def _together(self, *calls: Call) -> list[list[Row]]:
        """Rows of several statements that are sent in one message; each sees what those before it did."""
        if not calls:
            return []

        async def send() -> list[AsyncCursor[DictRow]]:
            return [
                await self._connection.execute(statement, {**self._params, **params}) for statement, params in calls
            ]

        cursors = await in_one_message(self._connection, send)
        return [await cursor.fetchall() if cursor.description else [] for cursor in cursors]

    def _call(self, name: str, **params: Any) -> Call:
        return self._queries[name], params

    def _opening(self, pages: Sequence[PlacedPage]) -> list[Call]:
        """What opens new pages with their sections and relationships."""
        calls = [self._call("pages_open", **opening_params(pages))]
        if any(placed.page.sections for placed in pages):
            calls.append(self._call("sections_new", **new_section_params(pages)))
        return calls + self._relating(pages)

    def _relating(self, pages: Sequence[PlacedPage]) -> list[Call]:
        """What writes the relationships of pages that have none yet."""
        related = relationships_of(pages)
        return [] if related is None else [self._call("relationships_write", **related)]

    def _carrying(self, revision_ids: Sequence[int]) -> list[Call]:
        """What gives the chunks of revisions the vectors of equal text, or a place in the queue, in each set."""
        params = {"revision_ids": list(revision_ids)}
        return [(self._queries.for_set("vectors_carry", number), params) for number in self._set_ids]


def plain(*statements: LiteralString) -> list[Call]:
    """Statements with no parameters of their own."""
    return [(statement, {}) for statement in statements]


def names_params(names_and_sections: Iterable[tuple[str, int]]) -> Mapping[str, Any]:
    """The parameters of the statement that draws ids: native ids of pages, and the number of sections of each."""
    pairs = list(names_and_sections)
    return {"names": [name for name, _ in pairs], "section_counts": [count for _, count in pairs]}
