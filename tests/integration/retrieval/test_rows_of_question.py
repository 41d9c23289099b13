"""What a question reads does not grow with the number of documents."""

import pytest
from tests.integration.retrieval.world import CALLER, World
from tests.support.memory_source import MemorySource
from tests.support.rows_looked_at import rows_looked_at

from citemark.embedding.minilm import MiniLM
from citemark.services.requests import SearchRequest
from citemark.store.database import Database

QUESTIONS = (
    "How often is the boiler descaled?",
    "What does Zeppelin-77 say about the Kraken and the boiler?",
    "who looks after the greenhouse in Wonderland",
)

FURTHER_DOCUMENTS = b"""
WITH d AS (INSERT INTO document (source_id, doc_type, native_id, valid_from)
           SELECT s.source_id, 'docs_page', 'x' || g, '2026-01-01'
           FROM source s, generate_series(%(start)s::int, %(end)s::int) g
           RETURNING source_id, document_id, native_id, valid_from),
     i AS (INSERT INTO item (source_id, doc_type, native_id, wanted_version, indexed_version)
           SELECT source_id, 'docs_page', native_id, 'v', 'v' FROM d)
INSERT INTO revision (source_id, document_id, content_hash, version, title, body, language, valid_from, tags, metadata)
SELECT source_id, document_id, 'h', 'v', 'Page ' || native_id, 'b', 'english', valid_from, '{steam,water}',
       '{"by": "Ada"}' FROM d
"""


async def rows_of_questions(dsn: str, model: MiniLM, memory: dict[int, MemorySource], *, start: int, end: int) -> int:
    """Rows that questions read beside further documents, of which those from `start` to `end` are made now."""
    database = Database(dsn, pool_size=2)
    await database.open()
    if not start:
        texts = {f"{number}.md": f"The boiler {number} is descaled every {number} weeks." for number in range(20)}
        await World(database, model, memory).source("docs", texts)
    async with database.transaction() as connection:
        await connection.execute(FURTHER_DOCUMENTS, {"start": start + 1, "end": end})
    async with database.transaction() as connection:
        await connection.execute("ANALYZE")
    await database.close()
    before = rows_looked_at(dsn)
    database = Database(dsn, pool_size=2)
    await database.open()
    world = World(database, model, memory)
    for _ in range(3):
        for question in QUESTIONS:
            assert (await world.page(question)).hits
            assert await world.services.evidence.retrieve(CALLER, SearchRequest(question))
    await database.close()
    return rows_looked_at(dsn) - before


@pytest.mark.requirement("questions-read-no-more-beside-more-documents")
async def test_a_question_reads_as_many_rows_beside_ten_thousand_documents_as_beside_two_thousand(
    dsn: str, model: MiniLM
) -> None:
    memory: dict[int, MemorySource] = {}
    few = await rows_of_questions(dsn, model, memory, start=0, end=2_000)
    many = await rows_of_questions(dsn, model, memory, start=2_000, end=10_000)
    assert many < 1.2 * few
