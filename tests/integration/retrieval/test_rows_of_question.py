"""What a question reads does not grow with the number of documents."""

import pytest
from tests.integration.retrieval.world import CALLER, World
from tests.support.memory_source import MemorySource
from tests.support.rows_looked_at import WITH_DOCUMENTS, opened, rows_beside

from citemark.embedding.minilm import MiniLM
from citemark.services.requests import SearchRequest
from citemark.store.database import Database

QUESTIONS = (
    "How often is the boiler descaled?",
    "What does Zeppelin-77 say about the Kraken and the boiler?",
    "who looks after the greenhouse in Wonderland",
)

FURTHER_DOCUMENTS = (
    WITH_DOCUMENTS
    + b"""
INSERT INTO revision (source_id, document_id, content_hash, version, title, body, language, valid_from, tags, metadata)
SELECT source_id, document_id, 'h', 'v', 'Page ' || native_id, 'b', 'english', valid_from, '{steam,water}',
       '{"by": "Ada"}' FROM d
"""
)


@pytest.mark.requirement("questions-read-no-more-beside-more-documents")
async def test_a_question_reads_as_many_rows_beside_ten_thousand_documents_as_beside_two_thousand(
    dsn: str, model: MiniLM
) -> None:
    memory: dict[int, MemorySource] = {}

    async def ask(database: Database) -> None:
        world = World(database, model, memory)
        for _ in range(3):
            for question in QUESTIONS:
                assert (await world.page(question)).hits
                assert await world.services.evidence.retrieve(CALLER, SearchRequest(question))

    async with opened(dsn) as database:
        texts = {f"{number}.md": f"The boiler {number} is descaled every {number} weeks." for number in range(20)}
        await World(database, model, memory).source("docs", texts)
    few = await rows_beside(dsn, FURTHER_DOCUMENTS, range(1, 2_001), ask)
    many = await rows_beside(dsn, FURTHER_DOCUMENTS, range(2_001, 10_001), ask)
    assert many < 1.2 * few
