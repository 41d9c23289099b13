"""What a walk over the graph reads does not grow with the number of documents, whether it finds anything or not."""

import pytest
from tests.integration.evidence.graph_client import GRAPH, call, entity, link, write
from tests.integration.retrieval.world import World
from tests.support.memory_source import MemorySource
from tests.support.rows_looked_at import WITH_DOCUMENTS, opened, rows_beside
from tests.unit.tools.clients import connected

from citemark.embedding.minilm import MiniLM
from citemark.model.graph import MENTIONS, NAMED
from citemark.store.database import Database

_FURTHER_DOCUMENTS = (
    WITH_DOCUMENTS
    + b""",
     r AS (INSERT INTO revision (source_id, document_id, content_hash, version, title, body, language, valid_from)
           SELECT source_id, document_id, 'h', 'v', 'Page ' || native_id, 'b', 'english', valid_from FROM d
           RETURNING source_id, document_id, revision_id)
INSERT INTO relationship (source_id, page_id, from_document_id, type, to_native_id, to_kind, to_name, to_key,
                          revision_id, start_char, end_char, valid_from)
SELECT d.source_id, d.document_id, d.document_id, 'links_to', o.native_id, 'docs_page', NULL,
       node_key(d.source_id, 'docs_page', o.native_id), r.revision_id, 0, 1, d.valid_from
FROM d JOIN r USING (source_id, document_id) JOIN d o ON o.source_id = d.source_id AND o.document_id = d.document_id + 1
"""
)


@pytest.mark.requirement("walks-read-no-more-beside-more-documents")
async def test_walks_read_as_many_rows_beside_ten_thousand_documents_as_beside_two_thousand(
    dsn: str, model: MiniLM
) -> None:
    memory: dict[int, MemorySource] = {}
    first, last, alone = (f"docs:docs_page:{name}.md" for name in ("0", "8", "alone"))

    async def ask(database: Database) -> None:
        async with connected(World(database, model, memory).services, families=GRAPH) as client:
            for _ in range(3):
                assert (await call(client, "expand", node_ids=[first], max_hops=2))["edges"]
                assert (await call(client, "paths", from_ids=[first], to_ids=[last], max_hops=5))["paths"]
                nowhere = await call(client, "paths", from_ids=[first], to_ids=[alone], max_hops=5)
                assert (nowhere["paths"], bool(nowhere["empty_message"])) == ([], True)

    async with opened(dsn) as database:
        world = World(database, model, memory)
        docs = await world.source("docs", {})
        for number in range(9):
            stated = [link(f"{number + 1}.md"), entity("term", f"step {number}", NAMED)]
            stated += [entity("term", f"step {number // 2}", MENTIONS)] if number else []
            await write(world, docs, f"{number}.md", f"# Step {number}\n\nAs said.\n", *stated)
        await write(world, docs, "alone.md", "# Alone\n\nNothing leads here.\n")
        await world.scanned(docs)
    few = await rows_beside(dsn, _FURTHER_DOCUMENTS, range(1, 2_001), ask)
    many = await rows_beside(dsn, _FURTHER_DOCUMENTS, range(2_001, 10_001), ask)
    assert many < 1.2 * few
