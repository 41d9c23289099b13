"""Every kind of edge that real documents and a real model state reaches the graph, with the words it comes from."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.support.indexing_loop import IndexingLoop

from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.archimate.source.connector import archimate_connector
from citemark.indexing.sync import sync_sources
from citemark.sources.docs.connector import docs_connector
from citemark.store.database import Database

PAGES = ("learn", "tools")
KINDS = {
    *("contains", "links_to", "references", "in_folder", "named", "defines", "uses_code", "mentions"),
    *("shows", "Serving", "Realization", "Assignment", "Flow", "Triggering", "Access", "Composition"),
}


@pytest.mark.requirement("every-edge-kind-in-real-files")
async def test_documents_and_a_model_state_every_kind_with_its_words(
    database: Database, shared_data: Path, tmp_path: Path
) -> None:
    for part in PAGES:
        shutil.copytree(shared_data / "docs-mcp" / "docs" / "docs" / "2025-11-25" / part, tmp_path / part)
    parsers = ParserPool()
    connectors = {
        "docs": docs_connector({"root": str(tmp_path)}, parsers),
        "model": archimate_connector(
            {"path": str(shared_data / "archimate" / "Archisurance.archimate")}, parsers=parsers
        ),
    }
    with ThreadPoolExecutor(1) as threads:
        loop = IndexingLoop(database, threads)
        sources = {name: await loop.index.source(name) for name in connectors}
        by_id = {source.source_id: source for source in sources.values()}
        await sync_sources(
            loop.indexer, by_id, {sources[name].source_id: made for name, made in connectors.items()}, []
        )
    await parsers.close()
    rows = await loop.index.rows(
        "SELECT x.type, bool_and(x.to_key IS NOT NULL) AS keyed, bool_and(r.revision_id IS NOT NULL) AS cited,"
        " bool_and(x.end_char <= length(r.body)) AS inside"
        " FROM relationship x LEFT JOIN revision r USING (source_id, revision_id) GROUP BY 1"
    )
    assert {row[0] for row in rows} >= KINDS
    assert [row for row in rows if row[1:] != (True, True, True)] == []
    quoted = await loop.index.rows(
        "SELECT lower(substr(r.body, x.start_char + 1, x.end_char - x.start_char)) AS words, x.to_name"
        " FROM relationship x JOIN revision r USING (source_id, revision_id)"
        " WHERE x.type = 'mentions' AND x.to_name ~ '^[a-z ]+$'"
    )
    assert quoted
    assert [row for row in quoted if " ".join(row[0].split()) != row[1]] == []
