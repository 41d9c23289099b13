"""What the sources of a caller are, and hold: asked about the limits of a call, not about its answer."""

import re
from collections.abc import Mapping

from citemark.model.ids import SourceId
from citemark.model.sources import Fence
from citemark.model.status import SourceState
from citemark.store.database import Database

_WORD = re.compile(r"[^\W\d_]+")


class ScopingStore:
    """Describes sources inside a fence."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def states(self, fence: Fence) -> dict[SourceId, SourceState]:
        """How far each source of the fence has come, and what keeps it from being read."""
        rows = await self._database.fetch("source_states", {"source_ids": fence.ids})
        return {
            SourceId(row["source_id"]): SourceState(
                documents=row["documents"],
                languages=dict(sorted(row["languages"].items(), key=lambda entry: (-entry[1], entry[0]))),
                texts_waiting=row["texts_waiting"],
                vectors_waiting=row["vectors_waiting"],
                problems=row["problems"],
                scanning=row["scanning"],
                last_complete_scan=row["last_complete_at"],
                scan_error=row["reason"],
                refused=row["refused"],
            )
            for row in rows
        }

    async def stop_words(self, text: str) -> Mapping[str, int]:
        """How many words of a text are stop words, by language; languages without a list are left out."""
        words = _WORD.findall(text.lower())
        rows = await self._database.fetch("stop_words", {"words": words})
        return {row["language"]: row["words"] for row in rows}
