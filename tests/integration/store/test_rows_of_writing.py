"""What is read to write a document does not grow with the number of documents beside it."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from tests.support.index import SMALL, Index
from tests.support.rows_looked_at import WITH_DOCUMENTS, opened, rows_beside

from citemark.model.sources import Source
from citemark.store.database import Database
from citemark.store.history import HistoryStore

FURTHER_DOCUMENTS = (
    WITH_DOCUMENTS
    + b""",
     l AS (INSERT INTO relationship (source_id, page_id, from_document_id, type, to_url, to_kind, to_name, valid_from)
           SELECT source_id, document_id, document_id, 'links_to', 'https://example.org/' || native_id, 'url',
                  native_id, valid_from
           FROM d),
     r AS (INSERT INTO revision (source_id, document_id, content_hash, version, title, body, language, valid_from)
           SELECT source_id, document_id, 'h', 'v', 'Page ' || native_id, 'b', 'english', valid_from FROM d
           RETURNING source_id, document_id, revision_id, valid_from),
     c AS (INSERT INTO chunk (source_id, page_id, document_id, revision_id, ordinal, start_char, end_char, start_line,
                              end_line, context, text, text_hash, embed_hash, length, valid_from)
           SELECT source_id, document_id, document_id, revision_id, 0, 0, 1, 1, 1, '', 'b', 'h',
                  revision_id::text::bytea, 1, valid_from FROM r
           RETURNING source_id, chunk_id)
INSERT INTO vector_task (source_id, embedding_set_id, chunk_id, size)
SELECT source_id, embedding_set_id, chunk_id, 1 FROM c, embedding_set
"""
)

PAGE = "# Boiler\n\nThe boiler is descaled every {} weeks, see [the manual](manual.md).\n"
PAGES = [f"page-{number}.md" for number in range(10)]

Work = Callable[[Index, Source], Awaitable[None]]


async def edits(index: Index, source: Source) -> None:
    for name in PAGES:
        await index.put(source, name, PAGE.format(uuid4().int))


async def removals(index: Index, source: Source) -> None:
    for name in PAGES:
        await index.drop(source, name)


async def purges(index: Index, source: Source) -> None:
    await index.stores.of(HistoryStore).purge(source.source_id, datetime.now(UTC))


@pytest.mark.requirement("writing-reads-no-more-beside-more-documents")
@pytest.mark.parametrize("keep_history", [False, True])
async def test_documents_are_written_edited_and_removed_beside_twenty_thousand_with_the_rows_read_beside_two_thousand(
    dsn: str, *, keep_history: bool
) -> None:
    async def write(database: Database) -> None:
        index = Index(database)
        (source,) = await index.stores.sources.all("local")
        for work in (edits, edits, removals):
            await work(index, source)

    async with opened(dsn) as database:
        await Index(database).stores.vectors.ensure(SMALL)
        await Index(database).source(keep_history=keep_history)
    few = await rows_beside(dsn, FURTHER_DOCUMENTS, range(1, 2_001), write)
    many = await rows_beside(dsn, FURTHER_DOCUMENTS, range(2_001, 20_001), write)
    assert many < 1.2 * few


@pytest.mark.requirement("writing-reads-no-more-beside-more-documents")
async def test_a_purge_passes_over_a_source_a_few_times_however_many_documents_it_removes(dsn: str) -> None:
    async def write(database: Database) -> None:
        index = Index(database)
        (source,) = await index.stores.sources.all("local")
        for work in (edits, removals, purges):
            await work(index, source)
        assert await index.value("SELECT count(*) FROM document WHERE native_id LIKE 'page-%%'") == 0

    async with opened(dsn) as database:
        await Index(database).source(keep_history=True)
    few = await rows_beside(dsn, FURTHER_DOCUMENTS, range(1, 2_001), write)
    many = await rows_beside(dsn, FURTHER_DOCUMENTS, range(2_001, 20_001), write)
    assert many - few < 4 * 18_000


@pytest.mark.requirement("writing-reads-no-more-beside-more-documents")
async def test_the_rows_read_to_remove_a_source_grow_as_its_documents_do(dsn: str) -> None:
    async def write(database: Database) -> None:
        stores = Index(database).stores
        (source,) = await stores.sources.all("local")
        await stores.sources.remove(source.source_id)
        await Index(database).source()

    async with opened(dsn) as database:
        await Index(database).source()
    few = await rows_beside(dsn, FURTHER_DOCUMENTS, range(1, 1_001), write)
    many = await rows_beside(dsn, FURTHER_DOCUMENTS, range(1, 10_001), write)
    assert many < 12 * few
