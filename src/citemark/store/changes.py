"""The differences between the states of two moments."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from citemark.model.changes import ChangeCounts, ChangedDocument, ChangedLink, ChangeKey, StateOfDocument
from citemark.model.documents import PATH_KEY
from citemark.model.ids import NativeId, RevisionId, SourceId, Version
from citemark.store.database import Database, Row

AnyChange = TypeVar("AnyChange", ChangedDocument, ChangedLink)


class ChangeStore:
    """Compares two states as sets; texts are read only for what is shown."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def documents(
        self,
        source_ids: Sequence[int],
        moments: tuple[datetime, datetime],
        *,
        limit: int,
        after: ChangeKey | None = None,
        doc_types: Sequence[str] = (),
        path_prefixes: Sequence[str] = (),
    ) -> tuple[list[ChangedDocument], ChangeCounts]:
        """The documents that differ, from the one after the key `after`, and the counts of all of them."""
        after_source, after_id, after_type = after or (None, None, None)
        return await self._rows(
            "changed_documents",
            _document,
            {
                "source_ids": list(source_ids),
                "before": moments[0],
                "after": moments[1],
                "doc_types": list(doc_types),
                "path_prefixes": list(path_prefixes),
                "path_key": PATH_KEY,
                "after_source": after_source,
                "after_id": after_id,
                "after_type": after_type,
                "limit": limit,
            },
        )

    async def links(
        self,
        source_ids: Sequence[int],
        moments: tuple[datetime, datetime],
        *,
        limit: int,
        after: ChangeKey | None = None,
    ) -> tuple[list[ChangedLink], ChangeCounts]:
        """The same as `documents`, for the relationships that have ids of their own."""
        after_source, after_id, _ = after or (None, None, None)
        return await self._rows(
            "changed_links",
            lambda row: ChangedLink(SourceId(row["source_id"]), NativeId(row["native_id"]), row["change"]),
            {
                "source_ids": list(source_ids),
                "before": moments[0],
                "after": moments[1],
                "after_source": after_source,
                "after_id": after_id,
                "limit": limit,
            },
        )

    async def _rows(
        self, name: str, build: Callable[[Row], AnyChange], params: dict[str, Any]
    ) -> tuple[list[AnyChange], ChangeCounts]:
        """The rows of a statement, and the counts that each row carries; past the last row, those of the first row."""
        rows = await self._database.fetch(name, params)
        counted = rows
        if not rows and params["after_id"] is not None:
            counted = await self._database.fetch(name, {**params, "after_id": None, "limit": 1})
        row = counted[0] if counted else {}
        counts = ChangeCounts(*(row.get(kind, 0) for kind in ("added", "removed", "changed", "renamed")))
        return [build(row) for row in rows], counts


def _document(row: Row) -> ChangedDocument:
    return ChangedDocument(
        source_id=SourceId(row["source_id"]),
        doc_type=row["doc_type"],
        native_id=NativeId(row["native_id"]),
        change=row["change"],
        before=_state(row, "old", row["old_id"]),
        after=_state(row, "new", row["native_id"]),
    )


def _state(row: Row, which: str, native_id: str) -> StateOfDocument | None:
    if row[f"{which}_revision"] is None:
        return None
    return StateOfDocument(
        revision_id=RevisionId(row[f"{which}_revision"]),
        native_id=NativeId(native_id),
        version=Version(row[f"{which}_version"]),
        title=row[f"{which}_title"],
        url=row[f"{which}_url"],
    )
