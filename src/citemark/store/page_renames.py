"""Recognises renamed pages and sections: what ended is compared with what began around the same time."""

from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime

from citemark.model.ids import DocumentId, NativeId, RevisionId, SourceId
from citemark.model.pages import (
    NEAR_EQUAL,
    LineCounts,
    Page,
    UnpairedPage,
    body_below_heading,
    likeness,
    line_counts_of,
)
from citemark.store.database import Database, Row
from citemark.store.page_rows import relationship_params, succession_row

_MOST_COMPARED = 5
"""New sections that one that vanished is compared with: those that share the most lines with it."""

_MOST_HAVING = 20
"""A line in more sections than that says nothing about which of them took over, and would lead to all of them."""


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

    async def unpaired(self, source_id: SourceId) -> tuple[list[UnpairedPage], list[UnpairedPage]]:
        """The pages that ended since renames were last settled, and if there are any, those that began; by name."""
        ended: list[UnpairedPage] = []
        begun: list[UnpairedPage] = []
        for row in await self._database.fetch("pages_unpaired", {"source_id": source_id}):
            page = UnpairedPage(
                document_id=DocumentId(row["document_id"]),
                native_id=NativeId(row["native_id"]),
                doc_type=row["doc_type"],
                revision_id=RevisionId(row["revision_id"]),
                size=row["size"],
                text_digest=row["text_digest"],
                since=row["since"],
                early=row["early"],
                late=row["late"],
            )
            (begun if row["begun"] else ended).append(page)
        return ended, begun

    async def texts(self, source_id: SourceId, revision_ids: Collection[RevisionId]) -> dict[RevisionId, str]:
        """The texts of revisions that are still there."""
        params = {"source_id": source_id, "revision_ids": list(revision_ids)}
        rows = await self._database.fetch("revision_texts", params)
        return {RevisionId(row["revision_id"]): row["body"] for row in rows}

    async def succeed(self, source_id: SourceId, old: UnpairedPage, new: UnpairedPage) -> bool:
        """State that the new page succeeds the old one; False if another process has already paired one of the two."""
        queries = self._database.queries
        ends = {"source_id": source_id, "old_id": old.document_id, "new_id": new.document_id}
        since = max(old.since, new.since)
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
                    "at": since if row is None else max(row["at"], since),
                    "until": "infinity",
                    **relationship_params(
                        new.document_id, new.revision_id, [succession_row(new.document_id, old.native_id)]
                    ),
                },
            )
        return True


def section_pairs(vanished: Sequence[Row], page: Page, fresh: Collection[str]) -> list[tuple[str, str]]:
    """(old native id, new slug) pairs whose text below the heading is equal or nearly so, each used once.

    Equal texts are paired first; a page has up to 20,000 sections, so each of the others is compared with few.

    Args:
        vanished: native_id, ordinal and text of the sections that the new revision lacks.
        page: the new revision.
        fresh: the slugs of its sections that the old one lacked.
    """
    old_texts = {
        row["native_id"]: body_below_heading(row["text"]) for row in sorted(vanished, key=lambda row: row["ordinal"])
    }
    new_texts = {
        entry.section.slug: body_below_heading(entry.section.span.of(page.body))
        for entry in page.sections
        if entry.section.slug in fresh
    }
    slugs_of = defaultdict[str, deque[str]](deque)
    for slug, text in new_texts.items():
        slugs_of[text].append(slug)
    equal = {old: slugs_of[text].popleft() for old, text in old_texts.items() if text and slugs_of.get(text)}
    paired = set(equal.values())
    old_lines = {old: line_counts_of(text) for old, text in old_texts.items() if old not in equal}
    new_lines = {slug: line_counts_of(text) for slug, text in new_texts.items() if slug not in paired}
    return [*equal.items(), *_similar_sections(old_lines, new_lines)]


def _similar_sections(old: Mapping[str, LineCounts], new: Mapping[str, LineCounts]) -> Iterator[tuple[str, str]]:
    """Pairs of names of nearly equal sections, each used once."""
    having = defaultdict[str, list[str]](list)
    for slug, lines in new.items():
        for line in lines:
            having[line].append(slug)
    taken: set[str] = set()
    for name, lines in old.items():
        sharing = Counter(
            slug
            for line in lines
            if len(having.get(line, ())) <= _MOST_HAVING
            for slug in having.get(line, ())
            if slug not in taken
        )
        likely = [slug for slug, _ in sharing.most_common(_MOST_COMPARED)]
        best = max(likely, key=lambda slug: likeness(lines, new[slug]), default=None)
        if best is not None and likeness(lines, new[best]) >= NEAR_EQUAL:
            taken.add(best)
            yield name, best
