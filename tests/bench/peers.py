"""Two libraries that search the same chunks with the same vectors: hybrid, text fetched, no fence."""

import shutil
from collections.abc import Callable, Sequence
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from tests.bench.places import cache
from tests.bench.vectors import Matrix

# Only the benchmark's own environment has them, so nothing is known of their types.
lancedb: Any = import_module("lancedb")
indexes: Any = import_module("lancedb.index")
arrow: Any = import_module("pyarrow")
qdrant: Any = import_module("qdrant_edge")

_ROWS = 5000
_M, _EF_CONSTRUCTION = 16, 64
_DENSE, _WORDS = "dense", "words"


class Peer(Protocol):
    """A library under the same questions."""

    name: str

    def ask(self, text: str, vector: Sequence[float], limit: int) -> list[str]:
        """Texts of the best chunks."""
        ...


class Lance:
    """lancedb: HNSW over scalar-quantised vectors, BM25 over its full-text index, its own rank fusion."""

    name = "lancedb"

    def __init__(self, size: int, texts: Sequence[str], vectors: Callable[[], Matrix]) -> None:
        folder = cache() / f"lancedb-{size}"
        if not (folder / "ready").exists():
            shutil.rmtree(folder, ignore_errors=True)
            self._make(folder, texts, vectors())
            (folder / "ready").touch()
        self._table: Any = lancedb.connect(str(folder)).open_table("chunks")

    def ask(self, text: str, vector: Sequence[float], limit: int) -> list[str]:
        """Both legs at the library's own depth, fused by its default."""
        question = self._table.search(query_type="hybrid").vector(vector).text(text)
        rows = question.select(["chunk", "text"]).limit(limit).to_list()
        return [row["text"] for row in rows]

    @staticmethod
    def _make(folder: Path, texts: Sequence[str], vectors: Matrix) -> None:
        width = vectors.shape[1]
        data = arrow.table(
            {
                "chunk": arrow.array(range(len(texts)), arrow.int64()),
                "text": arrow.array(texts, arrow.string()),
                "vector": arrow.FixedSizeListArray.from_arrays(arrow.array(vectors.ravel(), arrow.float32()), width),
            }
        )
        table: Any = lancedb.connect(str(folder)).create_table("chunks", data)
        graph = indexes.HnswSq(distance_type="cosine", num_partitions=1, m=_M, ef_construction=_EF_CONSTRUCTION)
        table.create_index("vector", config=graph, wait_timeout=timedelta(hours=1))
        table.create_index("text", config=indexes.FTS(), wait_timeout=timedelta(hours=1))
        table.optimize()


class Qdrant:
    """qdrant-edge: HNSW in full precision, its own BM25 as a sparse vector, reciprocal rank fusion."""

    name = "qdrant-edge"

    def __init__(self, size: int, texts: Sequence[str], vectors: Callable[[], Matrix]) -> None:
        folder = cache() / f"qdrant-{size}"
        self._words = qdrant.Bm25()
        if not (folder / "ready").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            self._make(folder / "shard", texts, vectors())
            (folder / "ready").touch()
        self._shard = qdrant.EdgeShard.load(str(folder / "shard"))

    def ask(self, text: str, vector: Sequence[float], limit: int) -> list[str]:
        """Both legs a hundred deep, as the product's."""
        legs = [
            qdrant.Prefetch(limit=100, query=qdrant.Query.Nearest(list(vector), using=_DENSE)),
            qdrant.Prefetch(limit=100, query=qdrant.Query.Nearest(self._words.embed_query(text), using=_WORDS)),
        ]
        found = self._shard.query(
            qdrant.QueryRequest(limit=limit, prefetches=legs, query=qdrant.Fusion.Rrf(k=60), with_payload=True)
        )
        return [(point.payload or {})["text"] for point in found]

    def _make(self, folder: Path, texts: Sequence[str], vectors: Matrix) -> None:
        config = qdrant.EdgeConfig(
            vectors={_DENSE: qdrant.EdgeVectorParams(size=vectors.shape[1], distance=qdrant.Distance.Cosine)},
            sparse_vectors={_WORDS: qdrant.EdgeSparseVectorParams(modifier=qdrant.Modifier.Idf)},
            hnsw_config=qdrant.HnswIndexConfig(m=_M, ef_construct=_EF_CONSTRUCTION, full_scan_threshold=10_000),
        )
        folder.mkdir()
        shard = qdrant.EdgeShard.create(str(folder), config)
        for start in range(0, len(texts), _ROWS):
            points = [
                qdrant.Point(
                    number,
                    {_DENSE: vectors[number].tolist(), _WORDS: self._words.embed_document(texts[number])},
                    {"text": texts[number]},
                )
                for number in range(start, min(start + _ROWS, len(texts)))
            ]
            shard.update(qdrant.UpdateOperation.upsert_points(points))
        shard.optimize()
        shard.flush()
        shard.close()
