"""A section that a page goes on having is one row; every revision has it as it was called and where it stood then."""

import random
from datetime import UTC, datetime

import psycopg
import pytest
from tests.support.index import Index
from tests.support.pages import page_of

from citemark.model.baselines import BaselineSource
from citemark.model.ids import NativeId
from citemark.model.pages import Page
from citemark.model.scope import Principal, RequestScope
from citemark.model.sources import Source
from citemark.store.database import Database
from citemark.store.history import HistoryStore

pytestmark = pytest.mark.both_forms

ME = Principal("local", "me", frozenset())
HEADS = ["One", "Two", "Three", "Four", "Five"]


@pytest.fixture
def index(database: Database) -> Index:
    return Index(database)


def edited(count: int, seed: int) -> list[str]:
    """Texts whose sections come, go, move, and are spelled in another way under the same name."""
    chance = random.Random(seed)
    texts: list[str] = []
    for number in range(count):
        heads = [head for head in HEADS if chance.random() < 0.85]
        if chance.random() < 0.2:
            chance.shuffle(heads)
        spelled = [head.upper() if chance.random() < 0.1 else head for head in heads]
        said = [f"says {number if chance.random() < 0.3 else 0}. {'x ' * chance.randrange(9)}" for _ in spelled]
        parts = [f"# {head}\n{text}\n" for head, text in zip(spelled, said, strict=True)]
        texts.append("line\n" * chance.randrange(4) + "".join(parts) + f"end {number}\n")
    return texts


async def written(index: Index, source: Source, texts: list[str]) -> list[tuple[str, Page]]:
    """Write a page anew with each text; the revision of each."""
    pages: list[tuple[str, Page]] = []
    for text in texts:
        page = page_of(source.source_id, "a.md", text)
        await index.put_page(source, page)
        pages.append((str(await index.value("SELECT max(revision_id) FROM revision")), page))
    return pages


async def check(index: Index, source: Source, revision: str, page: Page) -> None:
    """A revision has the sections that it was written with, and no others."""
    documents = index.stores.documents
    for name in HEADS:
        native_id = NativeId(f"a.md#{name.lower()}")
        entry = next((entry for entry in page.sections if entry.section.slug == name.lower()), None)
        state = await documents.cited(source.source_id, native_id, revision)
        assert (state == "unknown") == (entry is None), (revision, name)
        found = await documents.at_revision(source.source_id, native_id, revision)
        if entry is not None:
            assert found is not None
            assert found.document.span == entry.section.span
            assert (found.document.section_slug, found.document.title) == (entry.section.slug, entry.section.title)
        else:
            assert found is None or found.document.section_slug is None
    allowed = await index.stores.sources.allowed(ME, RequestScope(project_id="default"))
    ids = [
        row[0]
        for row in await index.rows("SELECT chunk_id FROM chunk WHERE revision_id = %s ORDER BY ordinal", int(revision))
    ]
    chunks = await index.stores.search.read(allowed, ids)
    titles = {entry.section.slug: entry.section.title for entry in page.sections}
    assert [chunks[number].section_title for number in ids] == [
        titles.get(chunk.section or "") for chunk in page.chunks
    ]


@pytest.mark.requirement("sections-are-kept-once")
@pytest.mark.parametrize("most", [2, 16])
async def test_every_revision_has_its_sections_as_they_were_called_and_where_they_stood(
    index: Index, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr("citemark.store.pages._MOST_PLACES", most)
    source = await index.source()
    for revision, page in await written(index, source, edited(30, seed=most)):
        await check(index, source, revision, page)
    for revision, page in await written(index, source, edited(30, seed=most + 1)):
        await check(index, source, revision, page)


@pytest.mark.requirement("sections-are-kept-once")
async def test_a_section_that_stays_takes_one_row_for_seventeen_revisions(index: Index) -> None:
    source = await index.source()
    pages = await written(index, source, [f"# One\nsays {number}\n# Two\nstays\n" for number in range(18)])
    assert await index.value("SELECT count(*) FROM section") == 4
    for revision, page in pages:
        await check(index, source, revision, page)


@pytest.mark.requirement("sections-are-kept-once")
@pytest.mark.parametrize("held", [[0], [3, 4, 9], [11], [12, 13, 20]])
async def test_a_purge_leaves_the_sections_of_what_a_baseline_holds_and_no_others(
    index: Index, held: list[int]
) -> None:
    source = await index.source()
    pages: list[tuple[str, Page]] = []
    for number, text in enumerate(edited(25, seed=3)):
        pages += await written(index, source, [text])
        if number in held:
            at = await index.stores.horizon.now()
            await index.stores.baselines.create("local", f"b{number}", at, at, [BaselineSource(source.source_id)])
    history = index.stores.of(HistoryStore)
    await history.purge(source.source_id, datetime.now(UTC))
    for number in [*held, 24]:
        await check(index, source, *pages[number])
    for number in held:
        assert await index.stores.baselines.delete("local", f"b{number}")
        await history.purge(source.source_id, datetime.now(UTC))
    await check(index, source, *pages[-1])
    assert await index.value("SELECT count(*) FROM section") == len(pages[-1][1].sections)


@pytest.mark.requirement("sections-are-kept-once")
@pytest.mark.parametrize("name", ["citemark", "citemark 41"])
async def test_each_revision_has_its_own_sections_beside_a_server_that_reads_them_there(
    index: Index, dsn: str, name: str
) -> None:
    source = await index.source()
    texts = [f"# One\nsays {number}\n" for number in range(6)]
    async with await psycopg.AsyncConnection.connect(dsn, application_name=name):
        pages = await written(index, source, texts[:3])
        assert await index.value("SELECT count(*) FROM section WHERE revision_ids_before IS NULL") == 3
    pages += await written(index, source, texts[3:])
    assert await index.value("SELECT count(*) FROM section") == 3
    for revision, page in pages:
        await check(index, source, revision, page)


@pytest.mark.requirement("sections-are-kept-once")
async def test_sections_of_a_source_without_history_remember_no_places(index: Index) -> None:
    source = await index.source()
    await index.rows("UPDATE source SET keep_history = false")
    await written(index, source, [f"# One\nsays {number}\n" for number in range(3)])
    assert await index.rows("SELECT revision_ids_before, start_chars_before, end_chars_before FROM section") == [
        (None,) * 3
    ]
