"""New pages are written together, with the rows that each would have had alone, or nothing happens."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from tests.support.index import SMALL, Index, vector_of
from tests.support.pages import page_of

from citemark.model.documents import StatedRelationship
from citemark.model.ids import NativeId
from citemark.model.pages import Applied, Page
from citemark.model.readers import TextVersion
from citemark.model.sources import Source
from citemark.model.stated_dates import DayRange, StatedDates
from citemark.model.text import Span
from citemark.store.database import Database
from citemark.store.new_pages import MOST_ROWS, written_together

TEXT = "intro\n\n# Install\nRun make demo.\n\n# Use\nAsk a question.\n"
ODD = 'It says "so", \\ and {braces}, NULL, \u00fcml\u00e4ut.\n\n# A "b" \\c\nIt says "so", \\ and {braces}.\n'

_DOCUMENTS = """SELECT d.doc_type, d.native_id, p.native_id, d.valid_to FROM document d
    LEFT JOIN document p ON p.source_id = d.source_id AND p.document_id = d.page_id WHERE d.source_id = {source}"""
_REVISIONS = """SELECT d.native_id, r.content_hash, r.version, r.title, r.body, r.url, r.language, r.tags, r.metadata,
    r.properties, r.dates, r.days::text, r.labels, r.modified_at, r.text_version, r.readers, r.words_from, r.valid_to
    FROM revision r JOIN document d USING (source_id, document_id) WHERE r.source_id = {source}"""
_SECTIONS = """SELECT d.native_id, o.native_id, s.ordinal, s.slug, s.parent_slug, s.title, s.heading_path, s.level,
    s.start_char, s.end_char, s.content_hash
    FROM section s JOIN document d USING (source_id, document_id) JOIN revision r USING (source_id, revision_id)
    JOIN document o ON o.source_id = s.source_id AND o.document_id = r.document_id WHERE s.source_id = {source}"""
_CHUNKS = """SELECT p.native_id, d.native_id, o.native_id, c.ordinal, c.start_char, c.end_char, c.start_line,
    c.end_line, c.context, c.text, c.text_hash, c.embed_hash, c.length, c.language, c.configuration,
    c.content_key IS NULL, t.length, length(t.terms), w.configuration, w.gone, v.size, v.rank, v.past
    FROM chunk c JOIN document p ON p.source_id = c.source_id AND p.document_id = c.page_id
    JOIN document d ON d.source_id = c.source_id AND d.document_id = c.document_id
    JOIN revision r ON r.source_id = c.source_id AND r.revision_id = c.revision_id
    JOIN document o ON o.source_id = c.source_id AND o.document_id = r.document_id
    JOIN chunk_terms t ON t.source_id = c.source_id AND t.chunk_id = c.chunk_id
    JOIN chunk_delta w ON w.source_id = c.source_id AND w.chunk_id = c.chunk_id
    LEFT JOIN vector_task v ON v.source_id = c.source_id AND v.chunk_id = c.chunk_id WHERE c.source_id = {source}"""
_RELATIONSHIPS = """SELECT p.native_id, f.native_id, o.native_id, x.type, x.to_native_id, x.to_url, x.to_kind,
    x.to_name, x.to_key IS NULL, x.start_char, x.end_char, x.valid_to, x.native_id, x.metadata
    FROM relationship x JOIN document p ON p.source_id = x.source_id AND p.document_id = x.page_id
    JOIN document f ON f.source_id = x.source_id AND f.document_id = x.from_document_id
    JOIN revision r ON r.source_id = x.source_id AND r.revision_id = x.revision_id
    JOIN document o ON o.source_id = x.source_id AND o.document_id = r.document_id WHERE x.source_id = {source}"""
_ITEMS = """SELECT native_id, wanted_version, indexed_version, leased_by, lease_until, readers, tries, parked
    FROM item WHERE source_id = {source}"""
_TABLES = (_DOCUMENTS, _REVISIONS, _SECTIONS, _CHUNKS, _RELATIONSHIPS, _ITEMS)


@pytest.fixture
def index(database: Database) -> Index:
    return Index(database)


def pages_of(source: Source) -> list[Page]:
    """Pages that have something in every column; the first and the last have a chunk in common."""
    link = StatedRelationship("links_to", "install", NativeId("c.md#use"), None, Span(3, 5), metadata={"text": 'a "b"'})
    first = replace(
        page_of(source.source_id, "a.md", TEXT, tags=("x", 'y "z"'), relationships=(link,)),
        modified_at=datetime(2026, 3, 1, 12, 30, 15, 125, tzinfo=UTC),
        url="https://example.org/a",
        metadata={"Path": "a.md", "Said": 'so "and" \\ so'},
        made_with=TextVersion(3, {"html": 2, "mail": 1}),
        properties={"kind": ("one", 'tw"o')},
        words_from=1,
        dates=StatedDates("2026-03-01", "", "2026-03-04", open=True),
        days=(DayRange(date(2026, 3, 1), date(2026, 3, 4)), DayRange(date(2026, 5, 1), None)),
        labels=("x", "label, two"),
    )
    return [first, page_of(source.source_id, "b.md", ODD), page_of(source.source_id, "c.md", TEXT, title="a.md")]


async def claim(index: Index, source: Source, pages: Sequence[Page]) -> None:
    for page in pages:
        await index.want(source.source_id, page.key.native_id, page.version)
    await index.claim(source.source_id)


async def together(index: Index, source: Source, pages: Sequence[Page]) -> Applied | None:
    await claim(index, source, pages)
    return await index.stores.pages.apply_new(pages, index.worker)


async def rows_of_source(index: Index, source: Source) -> list[list[object]]:
    """What is in each table that a page is written to, without ids and moments."""
    statements = [f"SELECT t::text FROM ({table.format(source=source.source_id)}) t" for table in _TABLES]  # noqa: S608
    return [sorted(map(str, await index.rows(statement))) for statement in statements]  # type: ignore[arg-type]


@pytest.mark.requirement("crash-loses-and-repeats-nothing")
async def test_pages_written_together_have_the_rows_that_each_has_alone(index: Index) -> None:
    await index.stores.vectors.ensure(SMALL)
    one, other = await index.source("one"), await index.source("other")
    chunks = 0
    for page in pages_of(one):
        await claim(index, one, [page])
        chunks += (await index.stores.pages.apply(page, index.worker)).chunks
    assert await together(index, other, pages_of(other)) == Applied(chunks=chunks)
    alone, all_at_once = await rows_of_source(index, one), await rows_of_source(index, other)
    assert all(alone)
    assert all_at_once == alone
    moments = await index.rows("SELECT count(DISTINCT valid_from) FROM document GROUP BY source_id ORDER BY source_id")
    assert moments == [(3,), (1,)]


async def test_pages_written_together_carry_the_vectors_of_equal_text(index: Index) -> None:
    target = await index.stores.vectors.ensure(SMALL)
    one, other = await index.source("one"), await index.source("other")
    await index.put_page(one, replace(pages_of(one)[0], words_from=None))
    await index.embed(target, lambda texts: [vector_of(text, SMALL.dimensions) for text in texts])
    pages = pages_of(other)
    applied = await together(index, other, [replace(pages[0], words_from=None), pages[2]])
    assert applied == Applied(chunks=6, carried=6)
    assert await index.value("SELECT count(*) FROM vector_task") == 0


@pytest.mark.requirement("sync-queue-is-durable")
async def test_without_the_lease_of_one_page_none_is_written(index: Index) -> None:
    source = await index.source()
    pages = pages_of(source)
    await claim(index, source, pages)
    await index.want(source.source_id, "b.md", "newer")
    before = await rows_of_source(index, source)
    assert await index.stores.pages.apply_new(pages, index.worker) is None
    assert await rows_of_source(index, source) == before


async def test_a_ledger_entry_that_another_is_writing_is_not_waited_for(index: Index) -> None:
    source = await index.source()
    pages = pages_of(source)
    await claim(index, source, pages)
    async with index.database.transaction() as connection:
        await connection.execute("SELECT 1 FROM item WHERE native_id = 'b.md' FOR UPDATE")
        assert await index.stores.pages.apply_new(pages, index.worker) is None
    assert await index.value("SELECT count(*) FROM document") == 0


async def test_a_page_that_is_there_already_is_not_written_with_new_ones(index: Index) -> None:
    source = await index.source()
    pages = pages_of(source)
    await index.put_page(source, replace(pages[1], title="before"))
    before = await rows_of_source(index, source)
    assert await together(index, source, pages) is None
    assert (await rows_of_source(index, source))[:-1] == before[:-1], "but for the ledger, which wants them"


async def test_a_page_comes_back_later_than_it_went(index: Index) -> None:
    source = await index.source()
    await index.put_page(source, pages_of(source)[1])
    await index.drop(source, "b.md")
    async with index.database.transaction() as connection:  # the machine's clock is set back
        await connection.execute("UPDATE document SET valid_to = '2100-01-01' WHERE valid_to < 'infinity'")
    assert await together(index, source, pages_of(source)) is not None
    assert await index.value(
        "SELECT min(valid_from) > '2100-01-01' FROM document WHERE native_id = 'b.md' AND valid_to = 'infinity'"
    )


@pytest.mark.requirement("crash-loses-and-repeats-nothing")
async def test_a_text_that_the_database_refuses_leaves_no_trace_of_those_with_it(index: Index) -> None:
    source = await index.source()
    pages = [*pages_of(source), page_of(source.source_id, "d.md", "# One\nwith a NUL \x00 in it")]
    await claim(index, source, pages)
    before = await rows_of_source(index, source)
    assert await index.stores.pages.apply_new(pages, index.worker) is None
    assert await rows_of_source(index, source) == before


async def test_pages_that_know_fewer_names_than_those_of_their_source_are_not_written(index: Index) -> None:
    source = await index.source()
    pages = [replace(page, names_number=4) for page in pages_of(source)]
    async with index.database.transaction() as connection:
        await connection.execute("INSERT INTO mention_state (source_id, wanted) VALUES (%s, 5)", [source.source_id])
    assert await together(index, source, pages) is None
    assert await index.stores.pages.apply_new([replace(page, names_number=5) for page in pages], index.worker)


def test_only_pages_of_one_source_type_and_language_that_are_not_too_many_are_written_together() -> None:
    page, other = page_of(1, "a.md", TEXT), page_of(1, "b.md", TEXT)
    assert written_together([page, other])
    assert not written_together([page, page_of(2, "b.md", TEXT)])
    assert not written_together([page, page_of(1, "b.md", TEXT, language="german")])
    assert not written_together([page, replace(other, section_type="part")])
    assert not written_together([page, replace(other, key=replace(other.key, doc_type="card"))])
    many = page_of(1, "c.md", "".join(f"# {number}\ntext\n" for number in range(MOST_ROWS // 2)))
    assert written_together([many])
    assert not written_together([many, page])
