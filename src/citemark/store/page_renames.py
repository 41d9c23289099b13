"""Recognises renamed pages and sections: what ended is compared with what began around the same time."""

from collections.abc import Collection, Sequence
from datetime import datetime

from citemark.model.ids import DocumentId, NativeId, RevisionId, SourceId
from citemark.model.pages import NEAR_EQUAL, Page, RenameCandidate, body_below_heading, likeness
from citemark.store.database import Database, Row
from citemark.store.page_rows import stated_params, succession_row


class RenameStore:
    """Renamed pages of a source, and the moment up to which all renames have been recorded.

    That moment is kept in the database: one process may read the page under its new name while another ends the one
    under the old name, and either may die before it has compared the two.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def settled(self, source_id: SourceId) -> bool:
        """Whether everything listed has been read and nothing is missing: no half of a rename is still to come."""
        row = await self._database.one("renames_settled", {"source_id": source_id})
        return row is not None and bool(row["settled"])

    async def settle(self, source_id: SourceId, until: datetime) -> None:
        """Record that every rename before `until` has been stated."""
        await self._database.fetch("renames_settle", {"source_id": source_id, "until": until})

    async def candidates(self, source_id: SourceId) -> list[RenameCandidate]:
        """Pairs of pages that ended and pages that began since renames were last settled, the likeliest pairs first."""
        rows = await self._database.fetch("pages_without_successor", {"source_id": source_id})
        return [
            RenameCandidate(
                old_id=DocumentId(row["old_id"]),
                old_native_id=NativeId(row["old_native_id"]),
                old_body=row["old_body"],
                new_id=DocumentId(row["new_id"]),
                new_native_id=NativeId(row["new_native_id"]),
                new_body=row["new_body"],
                new_revision_id=RevisionId(row["revision_id"]),
                since=row["at"],
            )
            for row in rows
        ]

    async def succeed(self, source_id: SourceId, pair: RenameCandidate) -> bool:
        """State that the new page succeeds the old one; False if another process has already paired one of the two."""
        queries = self._database.queries
        ends = {"source_id": source_id, "old_id": pair.old_id, "new_id": pair.new_id}
        async with self._database.transaction(durable=False) as connection:
            source_row = await (await connection.execute(queries["source_hold"], {"source_id": source_id})).fetchone()
            await connection.execute(queries["pair_hold"], ends)
            pair_row = await (await connection.execute(queries["pair_free"], ends)).fetchone()
            if source_row is None or pair_row is None:
                return False
            # What is found now is recorded as of now: earlier states have been read already.
            await connection.execute(queries["announce_writer"])
            row = await (await connection.execute(queries["recorded_time"])).fetchone()
            await connection.execute(
                queries["relationships_write"],
                {
                    "source_id": source_id,
                    "page_id": pair.new_id,
                    "revision_id": pair.new_revision_id,
                    "at": pair.since if row is None else max(row["at"], pair.since),
                    "until": "infinity",
                    **stated_params([succession_row(pair.new_id, pair.old_native_id)]),
                },
            )
        return True


def section_pairs(vanished: Sequence[Row], page: Page, fresh: Collection[str]) -> list[tuple[str, str]]:
    """(old native id, new slug) pairs whose text below the heading is equal or nearly so, each used once.

    `vanished` rows carry native_id and text of sections that the new revision lacks; `fresh` has its new slugs.
    """
    pairs: list[tuple[str, str]] = []
    free = [entry.section for entry in page.sections if entry.section.slug in fresh]
    for row in vanished:
        old = body_below_heading(row["text"])
        best, best_likeness = None, NEAR_EQUAL
        for section in free:
            new = body_below_heading(section.span.of(page.body))
            same = 1.0 if old and old == new else likeness(old, new)
            if same > best_likeness or (best is None and same == best_likeness):
                best, best_likeness = section, same
        if best is not None:
            free.remove(best)
            pairs.append((row["native_id"], best.slug))
    return pairs
