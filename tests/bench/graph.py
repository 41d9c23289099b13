"""Walks over a graph of documents and elements, made in the database as indexing would leave it."""

import random
import shutil
from pathlib import Path
from typing import Any, LiteralString

import psycopg
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from tests.bench.index import open_folder, versions_of
from tests.bench.locations import ROOT, cache
from tests.bench.measure import Latency, Stopwatch, load
from tests.bench.serving import COMMAND, environment
from tests.support.groups import groups

from citemark.app.tool_groups_file import ToolGroupsFile
from citemark.model.errors import BackendUnavailable
from citemark.model.sources import NewSource
from citemark.settings import Settings
from citemark.tools.index_contents import IndexContents

QUESTIONS = 200
_WARM_UP = 20
_READY = "bench-ready"
_LEAVING = 5
"""Edges that leave each node; as many arrive on average, so that its degree is ten."""

_STEPS = (7919, 104729, 1299709, 15485863, 32452843)
"""Primes that tell where the edges of a node lead: everywhere, and the same each time."""

_NODES: LiteralString = """
WITH d AS (INSERT INTO document (source_id, doc_type, native_id, valid_from)
           SELECT %(source)s, %(kind)s, 'n' || g || '.md', '2026-01-01' FROM generate_series(0, %(nodes)s - 1) g
           RETURNING source_id, document_id, native_id, valid_from)
INSERT INTO revision (source_id, document_id, content_hash, version, title, body, language, valid_from)
SELECT d.source_id, d.document_id, 'h', v.version, 'Node ' || v.name, 'Text of ' || v.name, 'english', d.valid_from
FROM d JOIN unnest(%(names)s::text[], %(versions)s::text[]) AS v (name, version) ON v.name = d.native_id
"""
_EDGES: LiteralString = """
INSERT INTO relationship (source_id, page_id, from_document_id, type, to_native_id, to_kind, to_name, to_key,
                          revision_id, start_char, end_char, valid_from)
SELECT d.source_id, d.document_id, d.document_id, e.type, e.native_id, e.kind, e.name,
       node_key(CASE WHEN e.native_id IS NULL THEN 0 ELSE d.source_id END, e.kind, coalesce(e.native_id, e.name)),
       r.revision_id, 0, 6, d.valid_from
FROM document d JOIN revision r USING (source_id, document_id)
CROSS JOIN LATERAL (SELECT substr(d.native_id, 2, length(d.native_id) - 4)::bigint AS g OFFSET 0) n
CROSS JOIN unnest(%(steps)s::bigint[]) WITH ORDINALITY AS s (step, turn)
CROSS JOIN LATERAL (SELECT (n.g * 31 + s.step) %% %(nodes)s AS other OFFSET 0) o
CROSS JOIN LATERAL (
    SELECT CASE WHEN d.doc_type = 'element' THEN 'Serving' WHEN s.turn = 1 THEN 'mentions' ELSE 'links_to' END AS type,
           CASE WHEN d.doc_type = 'page' AND s.turn = 1 THEN NULL ELSE 'n' || o.other || '.md' END AS native_id,
           CASE WHEN d.doc_type = 'page' AND s.turn = 1 THEN 'term' ELSE d.doc_type END AS kind,
           CASE WHEN d.doc_type = 'page' AND s.turn = 1 THEN 'element ' || o.other END AS name) e
WHERE d.source_id = %(source)s
UNION ALL
SELECT d.source_id, d.document_id, d.document_id, 'named', NULL, 'term', t.name, node_key(0, 'term', t.name),
       r.revision_id, 0, 6, d.valid_from
FROM document d JOIN revision r USING (source_id, document_id)
CROSS JOIN LATERAL (SELECT 'element ' || substr(d.native_id, 2, length(d.native_id) - 4) AS name OFFSET 0) t
WHERE d.source_id = %(source)s AND d.doc_type = 'element'
"""


async def measure(nodes: int) -> dict[str, object]:
    """graph_expand over two hops and graph_paths up to five, over stdio, between nodes drawn by a seed."""
    folder = await _ensure(nodes)
    chance = random.Random(11)
    drawn = [_node(chance, nodes) for _ in range(2 * (QUESTIONS + _WARM_UP))]
    before = load()
    # The graph was written past the indexer: a scan of its empty files would take it away.
    env = {**environment(folder), "CITEMARK_INDEX_IN_SERVER": "false"}
    server = StdioServerParameters(command=COMMAND, args=["serve"], env=env, cwd=str(ROOT))
    async with open_folder(folder), Client(stdio_client(server)) as client:
        near = [await _timed(client, "graph_expand", node_ids=[each], max_hops=2) for each in drawn[: len(drawn) // 2]]
        far = [
            await _timed(client, "graph_paths", from_ids=[one], to_ids=[other], max_hops=5)
            for one, other in zip(drawn[::2], drawn[1::2], strict=True)
        ]
    partial = sum(found["partial"] for _, found in far[_WARM_UP:])
    return {
        "nodes": nodes,
        "expand": Latency.of([seconds for seconds, _ in near[_WARM_UP:]]).as_dict(),
        "reached": sum(found["total"] for _, found in near[_WARM_UP:]) // QUESTIONS,
        "paths": Latency.of([seconds for seconds, _ in far[_WARM_UP:]]).as_dict(),
        "connected": sum(bool(found["paths"]) for _, found in far[_WARM_UP:]),
        "partial": partial,
        "load": [before, load()],
    }


def _node(chance: random.Random, nodes: int) -> str:
    half = nodes // 2
    kind = chance.choice(("docs:page", "model:element"))
    return f"{kind}:n{chance.randrange(half)}.md"


async def _timed(client: Client, name: str, **arguments: Any) -> tuple[float, dict[str, Any]]:
    watch = Stopwatch()
    result = await client.call_tool(name, arguments)
    seconds = watch.lap()
    if result.is_error:
        raise BackendUnavailable(f"{name} failed: {result.content}")
    return seconds, result.structured_content or {}


async def _ensure(nodes: int) -> Path:
    """The folder of the index, half documents and half elements, with a file for each."""
    folder, files = cache() / f"graph-{nodes}", cache() / f"graph-files-{nodes}"
    if (folder / _READY).exists():
        return folder
    print(f"making a graph of {nodes} nodes", flush=True)  # noqa: T201 - the bench talks to a terminal
    shutil.rmtree(folder, ignore_errors=True)
    half = nodes // 2
    files.mkdir(parents=True, exist_ok=True)
    for number in range(half):
        (files / f"n{number}.md").touch()
    versions = await versions_of(files)
    async with open_folder(folder) as opened:
        for name, kind in (("docs", "page"), ("model", "element")):
            new = NewSource(name=name, kind="docs", config={"root": str(files)}, keep_history=False)
            source = await opened.stores.sources.add(new)
            given = {
                "source": source.source_id,
                "kind": kind,
                "nodes": half,
                "steps": list(_STEPS[:_LEAVING]),
                "names": list(versions),
                "versions": list(versions.values()),
            }
            with psycopg.connect(opened.dsn, autocommit=True) as connection:
                connection.execute(_NODES, given)
                connection.execute(_EDGES, given)
        with psycopg.connect(opened.dsn, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")
    # What the indexer would have left for servers that start.
    ToolGroupsFile(Settings(data_dir=folder)).keep(IndexContents(groups(graph=True)))
    (folder / _READY).touch()
    return folder
