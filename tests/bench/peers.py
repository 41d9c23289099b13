"""Four libraries that search the same chunks with the same vectors: hybrid, text fetched, no allowed."""

import os
import re
import shutil
from collections.abc import Callable, Sequence
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from tests.bench.locations import cache
from tests.bench.vectors import Matrix

from citemark.retrieval.retrievers import reciprocal_ranks

# Only the benchmark's own environment has them, so nothing is known of their types.
os.environ.setdefault("LANCEDB_LOG", "error")  # it warns of its own defaults at each question
lancedb: Any = import_module("lancedb")
indexes: Any = import_module("lancedb.index")
arrow: Any = import_module("pyarrow")
qdrant: Any = import_module("qdrant_edge")
apsw: Any = import_module("apsw")
sqlite_vec: Any = import_module("sqlite_vec")
tantivy: Any = import_module("tantivy")

_ROWS = 5000
_M, _EF_CONSTRUCTION = 16, 64
_DENSE, _WORDS = "dense", "words"
_LEG = 100
_WORD = re.compile(r"\w+")


class Peer(Protocol):
    """A library under the same questions."""

    name: str
    every: int
    """It is asked each so-manieth question: 1 for all."""

    def ask(self, text: str, vector: Sequence[float], limit: int) -> list[str]:
        """Texts of the best chunks."""
        ...


class Lance:
    """lancedb: HNSW over scalar-quantised vectors, BM25 over its full-text index, its own rank fusion."""

    name = "lancedb"
    every = 1

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
    every = 1

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


class SqliteVec:
    """sqlite-vec beside FTS5 in one file: every vector compared, BM25, the two lists fused by rank here."""

    name = "sqlite-vec + FTS5"
    every = 10

    def __init__(self, size: int, texts: Sequence[str], vectors: Callable[[], Matrix]) -> None:
        path = cache() / f"sqlite-{size}.db"
        ready = path.with_suffix(".ready")
        if not ready.exists():
            path.unlink(missing_ok=True)
            self._make(path, texts, vectors())
            ready.touch()
        self._connection = self._open(path)

    def ask(self, text: str, vector: Sequence[float], limit: int) -> list[str]:
        """Both legs a hundred deep; any word of the question may match, as in the product."""
        packed = sqlite_vec.serialize_float32(list(vector))
        near = self._ids("SELECT rowid FROM near WHERE vector MATCH ? AND k = ? ORDER BY distance", packed, _LEG)
        said = " OR ".join(f'"{word}"' for word in _WORD.findall(text))
        words = self._ids("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", said, _LEG)
        best = list(reciprocal_ranks([near, words]))[:limit]
        marks = ",".join("?" * len(best))
        found = dict(self._connection.execute(f"SELECT id, text FROM chunk WHERE id IN ({marks})", best))  # noqa: S608
        return [found[number] for number in best]

    def _ids(self, statement: str, *values: object) -> list[int]:
        return [row[0] for row in self._connection.execute(statement, values)]

    @staticmethod
    def _open(path: Path) -> Any:
        connection: Any = apsw.Connection(str(path))
        connection.enable_load_extension(True)
        connection.load_extension(sqlite_vec.loadable_path())
        return connection

    @classmethod
    def _make(cls, path: Path, texts: Sequence[str], vectors: Matrix) -> None:
        connection = cls._open(path)
        with connection:
            connection.execute("CREATE TABLE chunk (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
            connection.execute("CREATE VIRTUAL TABLE words USING fts5 (text, content='', tokenize='porter')")
            connection.execute(
                f"CREATE VIRTUAL TABLE near USING vec0 (vector float[{vectors.shape[1]}] distance_metric=cosine)"
            )
            connection.executemany("INSERT INTO chunk VALUES (?, ?)", enumerate(texts, start=1))
            connection.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", enumerate(texts, start=1))
            rows = ((number, vector.tobytes()) for number, vector in enumerate(vectors.astype("float32"), start=1))
            connection.executemany("INSERT INTO near (rowid, vector) VALUES (?, ?)", rows)
        connection.close()


class Tantivy:
    """tantivy: BM25 alone, the words' leg of a hybrid search and no more."""

    name = "tantivy (words only)"
    every = 1

    def __init__(self, size: int, texts: Sequence[str], vectors: Callable[[], Matrix]) -> None:
        _ = vectors
        folder = cache() / f"tantivy-{size}"
        if not (folder / "ready").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            self._make(folder, texts)
            (folder / "ready").touch()
        self._index = tantivy.Index.open(str(folder))
        self._searcher = self._index.searcher()

    def ask(self, text: str, vector: Sequence[float], limit: int) -> list[str]:
        """The best chunks that hold any word of the question."""
        _ = vector
        query = self._index.parse_query(" ".join(_WORD.findall(text)), ["text"])
        hits = self._searcher.search(query, limit).hits
        return [self._searcher.doc(address)["text"][0] for _, address in hits]

    @staticmethod
    def _make(folder: Path, texts: Sequence[str]) -> None:
        schema = tantivy.SchemaBuilder().add_text_field("text", stored=True, tokenizer_name="en_stem").build()
        index = tantivy.Index(schema, path=str(folder))
        writer = index.writer(heap_size=256 * 1024 * 1024, num_threads=1)
        for text in texts:
            writer.add_document(tantivy.Document(text=text))
        writer.commit()
        writer.wait_merging_threads()
