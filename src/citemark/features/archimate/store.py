"""Structured queries over architecture models: rows are selected by type, name and end."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from citemark.model.architecture import LinkFilter, LinkKey, PartFilter, PartKey, StoredEnd, StoredLink, StoredPart
from citemark.model.ids import ChunkId, NativeId, RevisionId, SourceId
from citemark.model.layouts import mention_of
from citemark.model.sources import AllowedSources
from citemark.model.text import Span
from citemark.store.database import Database, Row

_THROUGH = "source_relationship"
"""The metadata key under which a relationship names the relationship that it starts at."""


class ArchitectureStore:
    """Reads elements, relationships and views within the allowed sources, as recorded at a given moment."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def parts(
        self, allowed: AllowedSources, at: datetime, wanted: PartFilter, *, limit: int, after: PartKey | None = None
    ) -> list[StoredPart]:
        """Elements or views in the order of their names, from the one after `after`."""
        after_key, after_id, after_source = after or (None, None, None)
        rows = await self._database.fetch(
            "model_parts",
            {
                **_params(allowed, wanted),
                "at": at,
                "ids": list(wanted.ids),
                "names": list(wanted.names),
                "after_key": after_key,
                "after_id": after_id,
                "after_source": after_source,
                "limit": limit,
            },
        )
        return [_part(row) for row in rows]

    async def count(self, allowed: AllowedSources, at: datetime, wanted: PartFilter) -> int:
        """The number of parts that pass the type and metadata of a filter."""
        row = await self._database.one("model_parts_count", {**_params(allowed, wanted), "at": at})
        return 0 if row is None else row["parts"]

    async def parts_of(
        self, allowed: AllowedSources, revisions: Sequence[tuple[SourceId, RevisionId]]
    ) -> dict[tuple[SourceId, RevisionId], StoredPart]:
        """The parts that these revisions belong to, by source and revision."""
        params = {
            "source_ids": allowed.ids,
            "sources": [source_id for source_id, _ in revisions],
            "revisions": [revision_id for _, revision_id in revisions],
        }
        parts = (_part(row) for row in await self._database.fetch("model_parts_of", params))
        return {(part.source_id, part.revision_id): part for part in parts}

    async def layout(self, allowed: AllowedSources, view: StoredPart) -> str:
        """The recorded boxes and lines of a view; empty if there are none."""
        params = {"source_ids": allowed.ids, "source_id": view.source_id, "revision_id": view.revision_id}
        row = await self._database.one("model_layout", params)
        return (row["layout"] if row else None) or ""

    async def showing(
        self, allowed: AllowedSources, at: datetime, element: StoredPart, *, limit: int
    ) -> list[StoredPart]:
        """The views that show an element, by name."""
        params = {
            "source_ids": allowed.ids,
            "source_id": element.source_id,
            "at": at,
            "box": mention_of(element.native_id),
            "limit": limit,
        }
        return [_part(row) for row in await self._database.fetch("model_showing", params)]

    async def named(
        self, allowed: AllowedSources, at: datetime, words: str, wanted: PartFilter, *, limit: int
    ) -> list[tuple[int, int, int]]:
        """Source, page and first chunk of parts whose name contains `words`, the closest names first."""
        params = {**_params(allowed, wanted), "at": at, "words": " ".join(words.split()), "limit": limit}
        rows = await self._database.fetch("model_named", params)
        return [(row["source_id"], row["page_id"], row["chunk_id"]) for row in rows]

    async def links(
        self, allowed: AllowedSources, at: datetime, wanted: LinkFilter, *, limit: int, after: LinkKey | None = None
    ) -> list[StoredLink]:
        """Relationships in the order of type and id, from the one after `after`."""
        part_source, part_id = wanted.part or (None, None)
        after_type, after_id, after_source = after or (None, None, None)
        rows = await self._database.fetch(
            "model_links",
            {
                "source_ids": allowed.ids,
                "at": at,
                "part_source": part_source,
                "part_id": part_id,
                "outgoing": wanted.outgoing,
                "incoming": wanted.incoming,
                "types": list(wanted.types),
                "ids": list(wanted.ids),
                "after_type": after_type,
                "after_id": after_id,
                "after_source": after_source,
                "limit": limit,
            },
        )
        return [_link(row) for row in rows]


def _params(allowed: AllowedSources, wanted: PartFilter) -> dict[str, Any]:
    return {
        "source_ids": allowed.ids,
        "doc_type": wanted.doc_type,
        "metadata": Jsonb({key: list(values) for key, values in wanted.metadata}),
    }


def _part(row: Row) -> StoredPart:
    return StoredPart(
        source_id=SourceId(row["source_id"]),
        chunk_id=ChunkId(row["chunk_id"]),
        revision_id=RevisionId(row["revision_id"]),
        native_id=NativeId(row["native_id"]),
        name=row["title"],
        metadata=row["metadata"],
        sort_key=row["sort_key"],
    )


def _link(row: Row) -> StoredLink:
    """A relationship; the row of one that starts at another relationship names the element where that one starts."""
    start = _end(row, "from")
    through = row["metadata"].get(_THROUGH)
    if through:
        start = StoredEnd(NativeId(through), chunk_id=start.chunk_id)
    return StoredLink(
        source_id=SourceId(row["source_id"]),
        native_id=NativeId(row["native_id"]),
        type=row["type"],
        start=start,
        end=_end(row, "to"),
        metadata=row["metadata"],
        text_span=Span(row["start_char"] or 0, row["end_char"] or 0),
    )


def _end(row: Row, which: str) -> StoredEnd:
    chunk_id = row[f"{which}_chunk"]
    return StoredEnd(
        native_id=NativeId(row[f"{which}_id"]),
        name=row[f"{which}_name"] or "",
        type=row[f"{which}_type"] or "",
        chunk_id=None if chunk_id is None else ChunkId(chunk_id),
    )
