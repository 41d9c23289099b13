"""How many of the hundred nearest chunks the graph index finds, of real vectors and of those of scale data."""

from typing import LiteralString, cast

import psycopg
from tests.bench.index import ensure_index, ensure_index_of_real_vectors, open_folder, open_index
from tests.bench.vectors import Matrix, question_vectors

from citemark.embedding.minilm import MiniLM
from citemark.model.candidates import NearestQuery
from citemark.model.scope import Principal, RequestScope
from citemark.store.stores import Stores

_NEAREST = 100
_MIXED = 100_000


async def measure() -> dict[str, object]:
    """Shares of what an exact scan finds: `real` of documents' own vectors, `mixed` of those made of them."""
    vectors = question_vectors()
    folder = await ensure_index_of_real_vectors()
    async with open_folder(folder) as index:
        _have_the_graph_walked(index.dsn)
    async with open_folder(folder) as index:
        real = await _recall(index.stores, vectors)
    await ensure_index(_MIXED)
    async with open_index(_MIXED) as index:
        return {"real": real, "mixed": await _recall(index.stores, vectors)}


async def _recall(stores: Stores, vectors: Matrix) -> dict[str, object]:
    allowed = await stores.sources.allowed(Principal.local(), RequestScope())
    target = await stores.vectors.ensure(MiniLM().identity)
    shares: list[float] = []
    for vector in vectors:
        found: list[set[int]] = []
        for exact in (False, True):
            asked = NearestQuery(target.set_id, [vector.tolist()], [None], (), _NEAREST, exact=exact)
            ((hits,), _) = await stores.search.nearest(allowed, asked)
            found.append({*hits.chunk_ids})
        near, nearest = found
        shares.append(len(near & nearest) / len(nearest))
    return {"vectors": allowed.chunks, "questions": len(shares), "recall": round(sum(shares) / len(shares), 4)}


def _have_the_graph_walked(dsn: str) -> None:
    """As for a larger table: for few rows, PostgreSQL would rather compare them all. New connections have it."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        for setting in ("enable_sort", "enable_seqscan", "enable_bitmapscan"):
            connection.execute(cast("LiteralString", f"ALTER DATABASE {connection.info.dbname} SET {setting} = off"))
