"""Writes several new pages in one transaction, each statement for all of them."""

from collections.abc import Sequence
from datetime import timedelta
from typing import LiteralString

from citemark.model.pages import Applied, Page
from citemark.model.readers import readers_text
from citemark.store.database import Connection, Database, Row
from citemark.store.page_rows import PlacedPage, chunk_params
from citemark.store.page_statements import PageStatements, names_params, plain

MOST_ROWS = 256
"""Chunks and sections of the pages that are written together; a page that has more is written by itself."""


class NotTogether(Exception):
    """Some of the pages cannot be written with the others, so this transaction must not commit."""


class NewPagesWrite(PageStatements):
    """The statements that write pages without an open life, all of one source, type and language."""

    def __init__(self, connection: Connection, database: Database, pages: Sequence[Page]) -> None:
        super().__init__(connection, database, pages[0].key)
        self._pages = pages

    async def write(self, worker: str, begin: Sequence[LiteralString]) -> Applied:
        """Settle the ledger entries, write the pages, and commit.

        Locks are taken in the order of `PageStore.apply`; for a ledger entry that another has locked, nobody waits.

        Raises:
            NotTogether: `worker` no longer holds one of the pages, one has an open life, or one knows too few names.
        """
        placed = await self._begin(worker, begin)
        results = await self._together(
            *self._opening(placed),
            self._call("chunks_write", **chunk_params([(each, each.page.chunks) for each in placed])),
            *self._carrying([each.revision_id for each in placed]),
            *plain("COMMIT"),
        )
        carried = results[-2][0]["carried"] if self._set_ids else 0
        return Applied(chunks=sum(len(page.chunks) for page in self._pages), carried=carried)

    async def _begin(self, worker: str, begin: Sequence[LiteralString]) -> list[PlacedPage]:
        settled = {
            "versions": [page.version for page in self._pages],
            "readers": [readers_text(page.made_with.readers) for page in self._pages],
        }
        sizes = names_params((page.key.native_id, len(page.sections)) for page in self._pages)
        self._params |= {"worker": worker, **sizes}
        *_, source_rows, settled_rows, _, clock_rows, new_rows, names_rows = await self._together(
            *plain(*begin),
            self._call("set_hold"),
            self._call("page_begin"),
            self._call("items_done", **settled),
            self._call("announce_writer"),
            self._call("page_noted"),
            self._call("pages_new"),
            self._call("names_wanted"),
        )
        wanted = names_rows[0]["wanted"] if names_rows else 0
        fewest = min((page.names_number for page in self._pages if page.names_number is not None), default=wanted)
        if not source_rows or len(settled_rows) + len(new_rows) < 2 * len(self._pages) or fewest < wanted:
            raise NotTogether
        self._set_ids = source_rows[0]["set_ids"]
        ends = [row["since"] for row in new_rows if row["since"] is not None]
        # Time on record never runs backwards for a page, even when the machine's clock does.
        self._params["at"] = max([clock_rows[0]["at"], *(end + timedelta(microseconds=1) for end in ends)])
        drawn = {row["native_id"]: row for row in new_rows}
        return [placed(page, drawn[page.key.native_id]) for page in self._pages]


def placed(page: Page, ids: Row) -> PlacedPage:
    """A page with the ids that were drawn for it and its sections."""
    page_id, *section_ids = ids["document_ids"]
    slugs = [entry.section.slug for entry in page.sections]
    return PlacedPage(page, page_id, ids["revision_id"], dict(zip(slugs, section_ids, strict=True)))


def rows_of(page: Page) -> int:
    """The number of chunks and sections of a page."""
    return len(page.chunks) + len(page.sections)


def written_together(pages: Sequence[Page]) -> bool:
    """Whether new pages may be written together: they are of one source, type and language, and not too many."""
    kinds = {(page.key.source_id, page.key.doc_type, page.section_type, page.language) for page in pages}
    return len(kinds) == 1 and sum(map(rows_of, pages)) <= MOST_ROWS
