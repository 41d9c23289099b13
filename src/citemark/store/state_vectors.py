"""The vectors of past states in memory, so that many questions of a state do not read all of them each time.

What is compared here only says which chunks can be among the nearest: PostgreSQL scores those, so that an answer never
depends on what is remembered.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from cachetools import LRUCache

from citemark.model.ids import EmbeddingSetId
from citemark.model.vectors import Vector
from citemark.store.database import Database, int_array

_MOST_BYTES = 96 * 2**20
"""Two states of 30,000 chunks in 384 dimensions; PostgreSQL compares all vectors of larger ones."""

_ASKED = 2
"""Questions of a state that PostgreSQL answers before its vectors are read: that takes as long as five such answers."""

_MOST_COUNTED = 100

_ROUNDING = 1e-4
"""More than two ways to add up a cosine in single precision differ by: among so near chunks PostgreSQL decides."""

Ids: TypeAlias = npt.NDArray[np.int64]
_Matrix: TypeAlias = npt.NDArray[np.float32]


@dataclass(slots=True)
class StateVectors:
    """Unit vectors by state and set, in the order of the state's chunks; the least used are forgotten first."""

    database: Database
    most_bytes: int = _MOST_BYTES
    _known: LRUCache[Any, _Matrix] = field(init=False)
    _asked: LRUCache[Any, int] = field(init=False)
    _loading: asyncio.Lock = field(init=False, default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        """Begin with nothing."""
        self._known = LRUCache(self.most_bytes, getsizeof=lambda matrix: matrix.nbytes)
        self._asked = LRUCache(_MOST_COUNTED)

    async def hopeful(
        self,
        state: object,
        set_id: EmbeddingSetId,
        source_ids: Sequence[int],
        chunk_ids: Ids,
        kept: npt.NDArray[np.bool_] | None,
        vectors: Sequence[Vector],
        limit: int,
    ) -> Ids | None:
        """The chunks that can be among the nearest of some vector.

        Args:
            state: what names the state.
            set_id: of the vectors.
            source_ids: of the chunks.
            chunk_ids: of the state, in ascending order.
            kept: which of them count, None for all.
            vectors: of the question.
            limit: how many nearest are wanted of each.

        Returns:
            None where a state has hardly been asked of, its vectors take too much memory, or some have not been
            computed yet.
        """
        if len(chunk_ids) * len(vectors[0]) * np.dtype(np.float32).itemsize > self.most_bytes:
            return None
        key = (state, set_id)
        asked = self._asked[key] = self._asked.get(key, 0) + 1
        if asked <= _ASKED:
            return None
        async with self._loading:  # a second question waits: it would read the same
            matrix = self._known.get(key)
            if matrix is None:
                matrix = await self._read(set_id, source_ids, chunk_ids)
                if matrix is None:
                    return None
                self._known[key] = matrix
        places = await asyncio.to_thread(_nearest, matrix, kept, vectors, limit)
        return chunk_ids[places]

    async def _read(self, set_id: EmbeddingSetId, source_ids: Sequence[int], chunk_ids: Ids) -> _Matrix | None:
        statement = self.database.queries.for_set("state_vectors", set_id)
        params = {"source_ids": list(source_ids), "chunk_ids": int_array(chunk_ids.tolist())}

        async def work(connection: Any) -> list[Any]:
            cursor = await connection.execute(statement, params, binary=True)
            return await cursor.fetchall()

        (row,) = await self.database.reading(work)
        found = np.asarray(row["chunk_ids"] or (), np.int64)
        order = np.argsort(found)
        if not np.array_equal(found[order], chunk_ids):
            return None
        return await asyncio.to_thread(_units, row["vectors"], order)


def _units(sent: bytes, order: Ids) -> _Matrix:
    """Vectors as PostgreSQL sends them, their dimensions before each, as unit vectors in another order."""
    values = np.frombuffer(sent, ">f2").reshape(len(order), -1)[:, 2:]
    matrix = values[order].astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))[:, np.newaxis]
    return np.divide(matrix, lengths, out=matrix, where=lengths > 0)


def _nearest(matrix: _Matrix, kept: npt.NDArray[np.bool_] | None, vectors: Sequence[Vector], limit: int) -> Ids:
    """The places of all rows that the rounding could bring among the nearest of some vector."""
    asked = np.asarray(vectors, np.float16).astype(np.float32)
    asked /= np.linalg.norm(asked, axis=1, keepdims=True)
    cosines = matrix @ asked.T
    if kept is not None:
        cosines[~kept] = -np.inf
    if limit < len(matrix):
        floors = np.partition(cosines, len(matrix) - limit, axis=0)[len(matrix) - limit]
        cosines[cosines < floors - _ROUNDING] = -np.inf
    return np.flatnonzero((cosines > -np.inf).any(axis=1))
