"""Links that lead nowhere, told from what the index holds now: a page that appears mends them by itself."""

from citemark.model.ids import SourceId
from citemark.model.status import BrokenLink
from citemark.store.database import Database


class LinkStore:
    """Reads the links between a source's documents."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def broken(self, source_id: SourceId, limit: int = 100) -> tuple[list[BrokenLink], int]:
        """The first broken links in the order of documents and places, and how many there are in all."""
        rows = await self._database.fetch("links_broken", {"source_id": source_id, "limit": limit})
        links = [
            BrokenLink(row["native_id"], row["line"], row["written"], row["to_native_id"], page_found=row["page_found"])
            for row in rows
        ]
        return links, rows[0]["total"] if rows else 0
