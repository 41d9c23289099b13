"""Replaces a page in one transaction: revision, sections, chunks, words, relationships and carried vectors."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, LiteralString

from citemark.model.documents import DocumentKey
from citemark.model.errors import InvalidArgument, SkippableSourceError
from citemark.model.ids import Version
from citemark.model.ledger import Claim
from citemark.model.pages import Applied, Page, PageChunk
from citemark.model.readers import TextVersion, readers_from_text, readers_text
from citemark.store.database import Connection, Database, Row, UnacceptableValue, int_array
from citemark.store.kept_texts import kept_beside
from citemark.store.new_pages import MOST_ROWS, NewPagesWrite, NotTogether, placed, rows_of
from citemark.store.page_renames import section_pairs
from citemark.store.page_rows import (
    PlacedPage,
    StatedRow,
    chunk_params,
    dated_params,
    opening_params,
    revision_params,
    section_names,
    section_params,
    stated_params,
    stated_rows,
    succession_row,
)
from citemark.store.page_statements import Call, PageStatements, names_params, plain

_LARGE = MOST_ROWS
"""The number of chunks or sections from which planning again costs less than a plan made for small pages or tables."""

_MOST_PLACES = 16
"""The places that an open relationship or a section remembers: up to 24 bytes each, which are read with it."""

_LONGEST_BODY = 100_000
"""Bytes of a body that superseded chunks have their texts in: each is looked for from its beginning."""

_MOST_NEEDED = 12
"""The superseded texts that are read one after the other for the oldest; one that is whole takes what ten others do."""

_BATCH = 1_000
"""Chunks per statement: the database holds all of its rows, which took 137 MiB for 18,000."""


class LostLease(Exception):
    """Another worker has the page; this transaction must not commit."""


class OutdatedNames(Exception):
    """The page's mentions are based on fewer names than the other pages of its source know; it must be rebuilt."""


class PageStore:
    """Writes pages at HEAD and closes what they replace."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def apply(self, page: Page, worker: str) -> Applied:
        """Make `page` the state at HEAD and settle its ledger entry, or do nothing at all.

        Raises:
            LostLease: `worker` no longer holds the page.
            OutdatedNames: it was built with fewer names than its source's pages know.
            SkippableSourceError: PostgreSQL cannot hold the page's text.
        """
        try:
            async with self._database.transaction_to_begin() as (connection, begin):
                write = _PageWrite(connection, self._database, page.key)
                await write.begin(worker, begin, page=page)
                if write.holds(page):
                    changed = {"version": page.version, "modified_at": page.modified_at, "url": page.url}
                    await write.run("revision_touch", **changed, **dated_params(page))
                    return Applied(unchanged=True)
                write.check_names(page)
                return await write.replace(page, commit=True)
        except UnacceptableValue as error:
            raise SkippableSourceError(error.message) from None

    async def apply_new(self, pages: Sequence[Page], worker: str) -> Applied | None:
        """Make new pages of one source, type and language the state at HEAD together, which costs less for each.

        Returns:
            What was done for all; None, and nothing was done, if one of them has to be applied by itself: it is not
            new, `worker` no longer holds it, it was built with fewer names than its source's pages know, or PostgreSQL
            cannot hold its text.
        """
        try:
            async with self._database.transaction_to_begin() as (connection, begin):
                return await NewPagesWrite(connection, self._database, pages).write(worker, begin)
        except (NotTogether, UnacceptableValue):
            return None

    async def remove(self, claim: Claim, worker: str) -> None:
        """End the page's life and drop its ledger entry.

        Raises:
            LostLease: `worker` no longer holds the page.
        """
        key = DocumentKey(claim.source_id, claim.doc_type, claim.native_id)
        async with self._database.transaction_to_begin() as (connection, begin):
            write = _PageWrite(connection, self._database, key)
            await write.begin(worker, begin, page=None)
            await write.end_life()

    async def revive(self) -> bool:
        """Bring a lost server back if this process can."""
        return await self._database.revive()

    async def record_work(self, source_id: int, kind: str, amount: int) -> None:
        """Count finished work for the rate that status shows."""
        await self._database.fetch("work_record", {"source_id": source_id, "kind": kind, "amount": amount})


async def write_past_page(database: Database, page: Page, version: str, at: datetime, until: datetime) -> int:
    """Write a page that held from `at` to `until` and was never at HEAD; returns the id of its revision.

    Raises:
        InvalidArgument: the source was removed in the meantime.
        UnacceptableValue: PostgreSQL cannot hold the page's text.
    """
    async with database.transaction(durable=False) as connection:
        write = _PageWrite(connection, database, page.key)
        await write.begin_past(page, at, until)
        await write.replace(replace(page, version=Version(version)))
        return write.revision_id


class _PageWrite(PageStatements):
    """The statements of one page's transaction, with the state that they share."""

    def __init__(self, connection: Connection, database: Database, key: DocumentKey) -> None:
        super().__init__(connection, database, key)
        self._key = key
        self._keep_history = True
        self._params |= {"old_revision_id": None, "most_places": _MOST_PLACES, "keep": True}
        self.content_hash: bytes | None = None
        self.language: str | None = None
        self.made_with = TextVersion()
        self._page_id: int | None = None
        self._revision_id: int | None = None
        self._new_ids: Row | None = None
        self._ids: Mapping[str, int] = {}
        self._names_wanted = 0

    async def begin(self, worker: str, begin: Sequence[LiteralString], *, page: Page | None) -> None:
        """Settle the ledger entry (which proves the lease), announce the writer, and lock the page's open life.

        Locks are taken in the same order everywhere: embedding sets, source, ledger entry, page.

        Args:
            worker: who holds the lease.
            begin: the statements that begin the transaction.
            page: what is to be written; None to end the page's life.
        """
        if page is None:
            losing, settle = [self._call("source_losing")], self._call("item_removed")
        else:
            readers = readers_text(page.made_with.readers)
            losing, settle = [], self._call("item_done", version=page.version, readers=readers)
        self._params |= {"worker": worker, "native_id": self._key.native_id}
        drawing = names_params([(self._key.native_id, 0 if page is None else len(page.sections))])
        *_, source_rows, settled_rows, _, clock_rows, current_rows, new_rows, names_rows = await self._together(
            *plain(*begin),
            self._call("set_hold"),
            *losing,
            self._call("page_begin"),
            settle,
            self._call("announce_writer"),
            self._call("page_noted"),
            self._call("page_now"),
            self._call("pages_new", **drawing),
            self._call("names_wanted"),
        )
        if not source_rows or not settled_rows:
            raise LostLease
        self._set_ids = source_rows[0]["set_ids"]
        self._names_wanted = names_rows[0]["wanted"] if names_rows else 0
        now = clock_rows[0]["at"]
        since = (current_rows or new_rows)[0]["since"]
        if since is not None:
            # Time on record never runs backwards for a page, even when the machine's clock does.
            now = max(now, since + timedelta(microseconds=1))
        self._params |= {"at": now, "page_id": None}
        if current_rows:
            row = current_rows[0]
            self._page_id, self._revision_id = row["document_id"], row["revision_id"]
            self.language = row["language"]
            self.made_with = TextVersion(row["text_version"] or 0, readers_from_text(row["readers"] or ""))
            self.content_hash = None if row["content_hash"] is None else bytes(row["content_hash"])
            # What a baseline holds of the page stays; the next purge takes the rest.
            self._keep_history = source_rows[0]["keep_history"] or row["held"]
            self._params["page_id"] = self._page_id
        else:
            self._take_ids(new_rows)
        self._params["keep"] = self._keep_history

    async def begin_past(self, page: Page, at: datetime, until: datetime) -> None:
        """Lock the source for a page of the past, which is new even if other pages have its name."""
        self._params |= {"native_id": self._key.native_id, "at": at, "until": until, "past": True}
        drawing = names_params([(self._key.native_id, len(page.sections))])
        _, source_rows, new_rows = await self._together(
            self._call("set_hold"), self._call("page_begin"), self._call("pages_new", **drawing)
        )
        if not source_rows:
            raise InvalidArgument("The source was removed in the meantime.")
        self._set_ids = source_rows[0]["set_ids"]
        self._take_ids(new_rows)

    def _take_ids(self, rows: Sequence[Row]) -> None:
        """Keep the ids that were drawn for a new page and its sections."""
        self._new_ids = rows[0]
        self._params["revision_id"] = rows[0]["revision_id"]

    @property
    def revision_id(self) -> int:
        """The revision that was written."""
        return self._params["revision_id"]

    def holds(self, page: Page) -> bool:
        """Whether HEAD already has this text, in the same language and split in the same way or a newer one."""
        return (
            self.content_hash == page.content_hash
            and self.language == page.language
            and self.made_with.covers(page.made_with)
        )

    def check_names(self, page: Page) -> None:
        """Refuse a page that a pass over its source would miss (the source is already locked by now)."""
        if page.names_number is not None and self._names_wanted > page.names_number:
            raise OutdatedNames

    async def replace(self, page: Page, *, commit: bool = False) -> Applied:
        """Write the new revision and close the old one; a page that is new may `commit` with its last statements."""
        large = rows_of(page) > _LARGE
        if large:
            await self.run("plans_discard")
        if self._new_ids is not None:
            carried = await self._write_new(placed(page, self._new_ids), large=large, commit=commit)
        else:
            carried = await self._write_again(page)
        return Applied(chunks=len(page.chunks), carried=carried)

    async def _write_new(self, new: PlacedPage, *, large: bool, commit: bool) -> int:
        """Write a page without an open life, unless it is large in one message; returns how many vectors it has."""
        self._params["page_id"] = self._page_id = new.page_id
        if not large:
            return await self._write_chunks(new, before=self._opening([new]), commit=commit)
        await self._together(self._call("pages_open", **opening_params([new])))
        await self._open_sections(new.page)
        new = replace(new, ids=self._ids)
        return await self._write_chunks(new, before=self._relating([new]))

    async def _write_again(self, page: Page) -> int:
        """Write the next revision of a page and close the one before; returns the number of vectors carried over."""
        self._params |= {"old_revision_id": self._revision_id, "longest_body": _LONGEST_BODY}
        texts = [self._call("body_before")] if self._keep_history else []
        before, *old, _, (opened,) = await self._together(
            self._call("sections_before", revision_id=self._revision_id),
            *texts,
            self._call("revision_close"),
            self._call("revision_open", **revision_params(page)),
        )
        self._params["revision_id"] = opened["revision_id"]
        next_one, related = await self._write_sections(page, before)
        restating = self._call("relationships_again", **stated_params(related))
        carried = await self._write_chunks(next_one, before=[restating])
        await self._close_chunks()
        if self._keep_history:
            await self._shorten_text(page, [row["body"] for rows in old for row in rows])
        else:
            await self.run("past_words_forget")
            await self.run("past_forget")
        return carried

    async def _shorten_text(self, page: Page, before: Sequence[str]) -> None:
        """Keep the text that was closed as what it has beside that of the page, where that is much shorter."""
        for text in before:
            kept = kept_beside(page.body, text)
            if kept is not None:
                await self.run("body_shorten", parts=int_array(kept.parts), rest=kept.rest, most_needed=_MOST_NEEDED)

    async def end_life(self) -> None:
        """Close the page and everything in it; if the source keeps no history, delete it."""
        if self._page_id is None:
            return
        self._params["revision_id"] = None
        await self._close_chunks()
        await self.run("revision_close")
        await self.run("relationships_close_all")
        await self.run("page_close")
        if not self._keep_history:
            await self.run("past_words_forget")
            await self.run("page_delete")
            await self.run("names_lost")

    async def _write_sections(self, page: Page, before: Sequence[Row]) -> tuple[PlacedPage, list[StatedRow]]:
        """Write the sections of a page that was there; returns it with their ids, and its relationships."""
        vanished = await self.run("sections_vanished", native_ids=section_names(page))
        opened = await self._open_sections(page)
        prefix = f"{page.key.native_id}#"
        fresh = {row["native_id"].removeprefix(prefix) for row in opened}
        gone = {row["document_id"] for row in vanished}
        again = PlacedPage(page, self._params["page_id"], self.revision_id, self._ids)
        lost = [row for row in before if row["document_id"] in gone]
        pairs = await asyncio.to_thread(section_pairs, lost, page, fresh) if lost and fresh else []
        return again, [*stated_rows(again), *(succession_row(self._ids[slug], old) for old, slug in pairs)]

    async def _open_sections(self, page: Page) -> list[Row]:
        """Write the sections of a page, some of which may be there already; returns those that are new."""
        if not page.sections:
            self._ids = {}
            return []
        opening = self._call("sections_open", doc_type=page.section_type, native_ids=section_names(page))
        writing = self._call("sections_write", doc_type=page.section_type, **section_params([page]))
        if len(page.sections) > _LARGE:
            (opened,) = await self._together(opening)
            await self._analyze_misjudged("document", len(page.sections))
            (written,) = await self._together(writing)
        else:
            opened, written = await self._together(opening, writing)
        self._ids = {row["slug"]: row["document_id"] for row in written}
        return opened

    async def _write_chunks(self, new: PlacedPage, *, before: Sequence[Call] = (), commit: bool = False) -> int:
        """Write chunks, carry over vectors of equal text, and queue the rest.

        Args:
            new: the page.
            before: what is sent with the first of them.
            commit: whether the transaction is committed with the last of them.

        Returns:
            The number of vectors carried over.
        """
        calls = list(before)
        for chunks, so_far in _batches(new.page.chunks):
            calls.append(self._call("chunks_write", **chunk_params([(new, chunks)])))
            if so_far >= _LARGE:
                await self._together(*calls)
                await self._analyze_misjudged("chunk", so_far)
                calls = []
        carrying = self._carrying([new.revision_id]) if new.page.chunks else []
        ending = plain("COMMIT") if commit else []
        results = await self._together(*calls, *carrying, *ending)
        return results[len(calls) + len(carrying) - 1][0]["carried"] if carrying else 0

    async def _analyze_misjudged(self, table: LiteralString, written: int) -> None:
        """Analyze a table if the planner believes that it has far fewer rows than were just written.

        An analysis by another connection finds pages full of rows that it cannot see, and takes the table for nearly
        empty: each check of a foreign key may then look at every row of the source. This analysis sees the rows, and
        keeps others from analyzing the table before this transaction ends.
        """
        (judged,) = await self.run("table_misjudged", table=table, rows=written)
        if judged["misjudged"]:
            await self.run("table_analyze", table=table)

    async def _run_for_sets(self, name: str, **params: Any) -> None:
        for number in self._set_ids:
            await self._connection.execute(self._queries.for_set(name, number), {**self._params, **params})

    async def _close_chunks(self) -> None:
        rows = await self.run("chunks_close", longest_body=_LONGEST_BODY)
        chunk_ids: list[int] = rows[0]["chunk_ids"]
        if chunk_ids:
            await self._run_for_sets("vectors_retire", chunk_ids=chunk_ids)
            if not self._keep_history:
                await self._run_for_sets("vectors_forget", chunk_ids=chunk_ids)


def _batches(chunks: Sequence[PageChunk]) -> Iterator[tuple[Sequence[PageChunk], int]]:
    """The chunks of each statement, and how many are written after it; few at first, before plans are checked."""
    end = 0
    while end < len(chunks):
        start, end = end, min(end + (_BATCH if end else _LARGE), len(chunks))
        yield chunks[start:end], end
