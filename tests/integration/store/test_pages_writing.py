"""One transaction replaces a page, or nothing happens."""

import struct
from dataclasses import replace
from datetime import date
from hashlib import blake2b

import pytest
from tests.support.index import DOC_TYPE, OTHER, SMALL, Index, vector_of
from tests.support.pages import page_of

from citemark.model.documents import DocumentKey, StatedRelationship
from citemark.model.errors import SkippableSourceError
from citemark.model.ids import NativeId, Version
from citemark.model.ledger import Gone
from citemark.model.scope import Principal, RequestScope
from citemark.model.stated_dates import DayRange, StatedDates
from citemark.model.text import Span
from citemark.store.database import Database
from citemark.store.pages import LostLease

TEXT = "intro\n\n# Install\nRun make demo.\n\n# Use\nAsk a question.\n"


@pytest.fixture
def index(database: Database) -> Index:
    return Index(database)


async def everything(index: Index) -> list[object]:
    """All rows of all tables that a page is written to."""
    found: list[object] = []
    for table in (
        "document",
        "revision",
        "section",
        "chunk",
        "relationship",
        "chunk_terms",
        "chunk_delta",
        "vector_task",
    ):
        rows = await index.rows(f"SELECT to_jsonb(t) FROM {table} t ORDER BY to_jsonb(t)::text")  # type: ignore[arg-type]  # noqa: S608
        found.append((table, rows))
    return found


async def terms_at_head(index: Index) -> set[int]:
    """The terms of all chunks at HEAD."""
    packed = await index.rows("SELECT terms FROM chunk_terms")
    return {term_id for (terms,) in packed for term_id, _ in struct.iter_unpack(">qh", terms)}


async def test_a_page_is_searchable_text_at_once_and_waits_for_its_vectors(index: Index) -> None:
    await index.stores.vectors.ensure(SMALL)
    source = await index.source()
    applied = await index.put(source, "a.md", TEXT)
    assert (applied.chunks, applied.carried, applied.unchanged) == (3, 0, False)
    assert await index.value("SELECT count(*) FROM vector_task") == 3
    assert await index.value("SELECT count(*) FROM chunk_terms") == 3
    assert await index.value("SELECT indexed_version = wanted_version FROM item")


@pytest.mark.requirement("sync-queue-is-durable", "leases-of-dead-workers-age-out")
async def test_without_the_lease_nothing_is_written(index: Index) -> None:
    source = await index.source()
    await index.put(source, "a.md", TEXT)
    before = await everything(index)
    await index.want(source.source_id, "a.md", "2")
    await index.claim(source.source_id, worker="somebody else")
    page = page_of(source.source_id, "a.md", "other text")
    with pytest.raises(LostLease):
        await index.stores.pages.apply(page, index.worker)
    assert await everything(index) == before
    assert await index.value("SELECT leased_by FROM item") == "somebody else"


async def test_a_newer_version_takes_the_page_from_the_worker_that_read_an_older_one(index: Index) -> None:
    source = await index.source()
    await index.want(source.source_id, "a.md", "1")
    await index.claim(source.source_id)
    await index.want(source.source_id, "a.md", "2")
    page = page_of(source.source_id, "a.md", "text of version 1", version="1")
    with pytest.raises(LostLease):
        await index.stores.pages.apply(page, index.worker)
    assert [claim.wanted for claim in await index.claim(source.source_id, worker="next")] == ["2"]


async def test_seeing_the_same_version_again_takes_nothing_from_the_worker(index: Index) -> None:
    source = await index.source()
    page = page_of(source.source_id, "a.md", TEXT, version="1")
    await index.want(source.source_id, "a.md", "1")
    await index.claim(source.source_id)
    await index.want(source.source_id, "a.md", "1")
    assert (await index.stores.pages.apply(page, index.worker)).chunks == 3


@pytest.mark.requirement("full-text-follows-document-language")
async def test_the_same_text_is_rewritten_when_its_language_changes(index: Index) -> None:
    source = await index.source()
    await index.put(source, "a.md", TEXT)
    before = await terms_at_head(index)
    assert (await index.put(source, "a.md", TEXT, language="german")).chunks == 3
    assert await index.rows("SELECT DISTINCT language, configuration FROM chunk WHERE valid_to = 'infinity'") == [
        ("german", "german")
    ]
    after = await terms_at_head(index)
    assert before
    assert not before & after
    assert (await index.put(source, "a.md", TEXT, language="german")).unchanged


@pytest.mark.requirement("eight-languages-have-configurations")
async def test_a_language_without_a_configuration_is_indexed_without_stemming(index: Index) -> None:
    source = await index.source()
    await index.put(source, "a.md", "Ustawienia bazy danych", language="polish")
    assert await index.rows("SELECT language, configuration FROM chunk") == [("polish", "simple")]


@pytest.mark.requirement("crash-loses-and-repeats-nothing")
async def test_a_failed_transaction_leaves_no_trace(index: Index) -> None:
    source = await index.source()
    await index.put(source, "a.md", TEXT)
    before = await everything(index)
    await index.want(source.source_id, "a.md", "2")
    await index.claim(source.source_id)
    page = page_of(source.source_id, "a.md", "# One\nnew text\n# Two\nwith a NUL \x00 in it")
    with pytest.raises(SkippableSourceError, match="cannot take this text"):
        await index.stores.pages.apply(page, index.worker)
    assert await everything(index) == before


@pytest.mark.requirement("crash-loses-and-repeats-nothing")
async def test_a_new_page_that_fails_leaves_no_trace_although_its_commit_was_sent_with_it(index: Index) -> None:
    source = await index.source()
    await index.put(source, "a.md", TEXT)
    before = await everything(index)
    await index.want(source.source_id, "b.md", "1")
    await index.claim(source.source_id)
    page = page_of(source.source_id, "b.md", "# One\nnew text\n# Two\nmore")
    too_long = "".join(blake2b(bytes([number])).hexdigest() for number in range(100))
    last = replace(page.sections[-1], section=replace(page.sections[-1].section, slug=too_long))
    page = replace(page, sections=(*page.sections[:-1], last))
    with pytest.raises(SkippableSourceError, match="cannot take this text"):
        await index.stores.pages.apply(page, index.worker)
    assert await everything(index) == before


async def test_equal_text_under_a_new_version_or_address_only_moves_these(index: Index) -> None:
    source = await index.source()
    await index.put(source, "a.md", TEXT, version="1")
    chunks = await index.rows("SELECT chunk_id, valid_from FROM chunk ORDER BY 1")
    assert (await index.put(source, "a.md", TEXT, version="2")).unchanged
    assert await index.rows("SELECT chunk_id, valid_from FROM chunk ORDER BY 1") == chunks
    assert await index.rows("SELECT version, url FROM revision") == [("2", None)]
    moved = replace(page_of(source.source_id, "a.md", TEXT, version="3"), url="https://example.org/moved")
    assert (await index.put_page(source, moved)).unchanged
    assert await index.rows("SELECT version, url FROM revision") == [("3", "https://example.org/moved")]


@pytest.mark.requirement("days-and-labels-are-columns")
async def test_an_unchanged_page_that_is_read_again_gets_its_days_and_labels(index: Index) -> None:
    source = await index.source()
    page = page_of(source.source_id, "a.md", TEXT)
    await index.put_page(source, page)
    days = DayRange(date(2026, 12, 1), date(2026, 12, 3)), DayRange(date(2026, 12, 8), None)
    dated = replace(page, version=Version("2"), dates=StatedDates("2026-12-01"), days=days, labels=("legal",))
    assert (await index.put_page(source, dated)).unchanged
    assert await index.rows("SELECT days::text, dates ->> 'begin', labels FROM revision") == [
        ("{[2026-12-01,2026-12-04),[2026-12-08,)}", "2026-12-01", ["legal"])
    ]


@pytest.mark.requirement("unchanged-chunk-not-embedded-again", "vector-copied-from-living-row")
async def test_equal_text_carries_its_vector_over(index: Index) -> None:
    target = await index.stores.vectors.ensure(SMALL)
    source = await index.source()
    await index.put(source, "a.md", TEXT)
    await index.embed(target)
    applied = await index.put(source, "a.md", TEXT.replace("Ask a question.", "Ask two questions."))
    assert (applied.chunks, applied.carried) == (3, 2)
    assert await index.value("SELECT count(*) FROM vector_task") == 1
    carried = await index.rows(
        "SELECT c.context || E'\\n' || c.text, e.vector::text FROM embedding_1 e JOIN chunk c USING (chunk_id)"
    )
    assert len(carried) == 2
    for text, vector in carried:
        assert [float(part) for part in vector.strip("[]").split(",")] == pytest.approx(vector_of(text), abs=1e-3)


@pytest.mark.requirement("vector-copied-from-living-row")
async def test_a_vector_is_never_copied_from_another_tenant(index: Index) -> None:
    target = await index.stores.vectors.ensure(SMALL)
    mine, theirs = await index.source(), await index.source(tenant="theirs")
    await index.put(theirs, "a.md", TEXT)
    await index.embed(target)
    assert (await index.put(mine, "a.md", TEXT)).carried == 0


async def test_every_vector_set_gets_tasks_for_a_page(index: Index) -> None:
    await index.stores.vectors.ensure(SMALL)
    await index.stores.vectors.ensure(OTHER)
    await index.put(await index.source(), "a.md", TEXT)
    assert await index.rows("SELECT embedding_set_id, count(*) FROM vector_task GROUP BY 1 ORDER BY 1") == [
        (1, 3),
        (2, 3),
    ]


async def test_a_page_without_text_has_no_chunks_and_harms_nothing(index: Index) -> None:
    source = await index.source()
    await index.put(source, "a.md", TEXT)
    assert (await index.put(source, "a.md", "")).chunks == 0
    assert await index.value("SELECT count(*) FROM chunk_terms") == 0
    found = await index.stores.documents.find(source.source_id, "a.md")
    assert found is not None
    assert found.body == ""


async def test_a_removed_page_is_gone_from_head_and_from_the_ledger(index: Index) -> None:
    source = await index.source()
    await index.put(source, "a.md", TEXT)
    await index.drop(source, "a.md")
    assert await index.stores.documents.find(source.source_id, "a.md") is None
    assert await index.stores.ledger.known(source.source_id) == {}
    assert await index.value("SELECT count(*) FROM chunk_terms") == 0


@pytest.mark.requirement("ids-unique-per-source-and-type")
async def test_the_same_name_under_two_types_is_two_documents(index: Index) -> None:
    source = await index.source()
    await index.put(source, "a.md", TEXT)
    listed = await index.stores.ledger.known(source.source_id)
    assert list(listed) == [(DOC_TYPE, NativeId("a.md"))]
    assert await index.stores.documents.find(source.source_id, "a.md", "note") is None
    assert await index.stores.documents.find(source.source_id, "a.md", DOC_TYPE) is not None


async def test_the_properties_of_a_relationship_are_kept_with_it(index: Index) -> None:
    source = await index.source()
    stated = StatedRelationship(
        "Access", None, NativeId("b"), None, Span(0, 5), "r-1", {"access": "read", "name": "looks"}
    )
    await index.put(source, "a", "a reads b", relationships=(stated, replace(stated, native_id=None, metadata={})))
    rows = await index.rows("SELECT native_id, metadata FROM relationship ORDER BY native_id NULLS LAST")
    assert rows == [("r-1", {"access": "read", "name": "looks"}), (None, {})]


async def test_two_documents_of_different_types_with_one_id_keep_their_own_sections(index: Index) -> None:
    source = await index.source(keep_history=False)
    page = page_of(source.source_id, "5", TEXT)
    note = replace(page, key=DocumentKey(source.source_id, "note", NativeId("5")))
    await index.put_page(source, note)
    await index.put_page(source, page)
    owners = (
        "SELECT p.doc_type, d.native_id FROM document d JOIN document p"
        " ON p.source_id = d.source_id AND p.document_id = d.page_id ORDER BY 1, 2"
    )
    assert await index.rows(owners) == [
        (DOC_TYPE, "5#install"), (DOC_TYPE, "5#use"), ("note", "5#install"), ("note", "5#use"),
    ]  # fmt: skip
    await index.stores.ledger.record(source.source_id, [Gone(("note", NativeId("5")))])
    (claim,) = await index.claim(source.source_id)
    await index.stores.pages.remove(claim, index.worker)
    assert await index.rows(owners) == [(DOC_TYPE, "5#install"), (DOC_TYPE, "5#use")]
    allowed = await index.stores.sources.allowed(Principal.local(), RequestScope())
    chunk_ids = [row[0] for row in await index.rows("SELECT chunk_id FROM chunk")]
    chunks = await index.stores.search.read(allowed, chunk_ids)
    assert sorted(chunk.section_native_id for chunk in chunks.values()) == ["5", "5#install", "5#use"]
