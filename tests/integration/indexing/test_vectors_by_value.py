"""What is worth most gets its vectors first, and the passages of a log get none beyond the first hundred."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.support.index import Index
from tests.support.pages import page_of
from tests.support.word_tokenizer import WordTokenizer

from citemark.indexing.page_builder import build_page
from citemark.indexing.repeated_patterns import WORDS_FROM
from citemark.model.documents import Fetched
from citemark.model.ids import NativeId, Version
from citemark.model.pages import Page
from citemark.model.sources import Source
from citemark.model.text import Block, BlockKind, Extracted, Span
from citemark.model.vectors import EmbeddingIdentity
from citemark.store.database import Database


@pytest.fixture
async def index(database: Database) -> Index:
    return Index(database)


def long_page(source: Source, name: str, chunks: int) -> Page:
    """A page of many passages."""
    body = "".join(f"## Part {number} of {name}\nPassage {number} of {name}.\n" for number in range(chunks))
    return page_of(source.source_id, name, body)


@pytest.mark.requirement("vectors-made-by-value", "progress-counts-documents-found-by-meaning")
async def test_first_passages_come_before_short_recent_and_long_documents_and_logs_last(index: Index) -> None:
    vectors = index.stores.vectors
    target = await vectors.ensure(EmbeddingIdentity("model", "1", 3, 256))
    source = await index.source()
    await index.put_page(source, replace(long_page(source, "log", 40), words_from=WORDS_FROM))
    await index.put_page(source, long_page(source, "long", 30))
    await index.put_page(source, long_page(source, "longer", 120))
    recent = datetime.now(UTC) - timedelta(days=2)
    await index.put_page(source, replace(long_page(source, "recent", 25), modified_at=recent))
    await index.put_page(source, long_page(source, "short", 3))
    (status,) = await index.stores.status.sources("local", target.set_id)
    assert (status.documents, status.by_meaning) == (5, 0)
    order: list[str] = []
    for _ in range(5 + 2 + 24 + 29 + 119 + 39):
        (task,) = await vectors.claim(target.set_id, "w", limit=1, lease=60)
        await vectors.settle(target.set_id, "w", [task], [[1.0, 0.0, 0.0]])
        order.append(task.text.strip().rpartition("Passage ")[2].rstrip("."))
        if len(order) == 5:
            (status,) = await index.stores.status.sources("local", target.set_id)
            assert status.by_meaning == 5
    assert set(order[:5]) == {f"0 of {name}" for name in ("log", "long", "longer", "recent", "short")}
    assert {each.rpartition(" ")[2] for each in order[5:7]} == {"short"}
    assert {each.rpartition(" ")[2] for each in order[7:31]} == {"recent"}
    assert order[31:35] == ["1 of long", "1 of longer", "2 of long", "2 of longer"]
    assert {each.rpartition(" ")[2] for each in order[-39:]} == {"log"}


@pytest.mark.requirement("long-log-has-limited-vectors")
async def test_the_passages_of_a_log_beyond_the_first_hundred_have_words_and_no_vectors(index: Index) -> None:
    target = await index.stores.vectors.ensure(EmbeddingIdentity("model", "1", 3, 256))
    source = await index.source()
    lines = [f"2026-11-25T10:{n % 60:02}:17Z worker-{n % 7} finished job {n} in {n % 90} ms" for n in range(4_000)]
    body = "\n".join(lines)
    extracted = Extracted(title="log", body=body, blocks=(Block(BlockKind.CODE, Span(0, len(body))),))
    fetched = Fetched("docs_page", NativeId("server.log"), Version("1"), None, None, extracted)
    page = build_page(fetched, source.source_id, WordTokenizer(), language="english")
    assert len(page.chunks) > WORDS_FROM
    await index.put_page(source, page)
    assert await index.embed(target) == WORDS_FROM
    (status,) = await index.stores.status.sources("local", target.set_id)
    assert (status.chunks, status.vectors, status.vectors_waiting) == (len(page.chunks), WORDS_FROM, 0)
    (notice,) = await index.stores.sources.notices(source.source_id)
    assert "after its first 100 passages it is found by its words only" in notice.message
    again = await index.stores.vectors.ensure(EmbeddingIdentity("another", "2", 3, 256))
    assert (await index.stores.vectors.backlog(again.set_id)).waiting == WORDS_FROM


@pytest.mark.requirement("log-adds-one-early-passage", "log-delays-others-little")
async def test_a_log_adds_one_passage_to_what_is_embedded_before_every_other_document_is_found_by_meaning(
    index: Index,
) -> None:
    vectors = index.stores.vectors
    target = await vectors.ensure(EmbeddingIdentity("model", "1", 3, 256))
    source = await index.source()
    await index.put_page(source, replace(long_page(source, "log", 500), words_from=WORDS_FROM))
    for number in range(10):
        await index.put_page(source, long_page(source, f"document {number}", 4 + number))
    without = waiting = sum(range(4, 14))
    embedded = 0
    while waiting:
        tasks = await vectors.claim(target.set_id, "w", limit=5, lease=60)
        await vectors.settle(target.set_id, "w", tasks, [[1.0, 0.0, 0.0]] * len(tasks))
        waiting -= sum(not task.text.strip().endswith("of log.") for task in tasks)
        embedded += len(tasks)
    assert without < embedded <= without + 1 + 4, "the log's first passage, and the rest of the last batch"
    assert embedded <= 1.3 * without
