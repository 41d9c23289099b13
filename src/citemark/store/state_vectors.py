"""The vectors of past states in memory, so that repeated questions about a state do not read all of them each time.

The comparison here only says which chunks can be among the nearest: PostgreSQL scores those, so an answer never depends
on what is cached.
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
"""Two states of 30,000 chunks in 384 dimensions; for larger states PostgreSQL compares all vectors."""

_UNCACHED_QUESTIONS = 2
"""Questions about a state that PostgreSQL answers before its vectors are read, which takes as long as five answers."""

_MOST_COUNTED = 100

_ROUNDING = 1e-4
"""More than two ways to sum a cosine in single precision differ by: between chunks this close PostgreSQL decides."""

Ids: TypeAlias = npt.NDArray[np.int64]
_Matrix: TypeAlias = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class StateChunks:
    """The chunks of a state in ascending order, with what their vectors are kept by once they are superseded."""

    state: object
    chunk_ids: Ids
    keys: Ids

    def named(self, names: Ids) -> Ids:
        """The chunks that are called so by their ids or by their keys; other numbers stay as they are."""
        order = np.argsort(self.keys)
        if not len(order):
            return names
        places = order[np.minimum(np.searchsorted(self.keys, names, sorter=order), len(order) - 1)]
        return np.where(self.keys[places] == names, self.chunk_ids[places], names)


@dataclass(frozen=True, slots=True)
class _Held:
    """Unit vectors, and the chunks that they belong to."""

    chunk_ids: Ids
    matrix: _Matrix


@dataclass(slots=True)
class StateVectors:
    """Unit vectors by state and set, in the order of the state's chunks; the least recently used are dropped first.

    A state that was begun to be read before a part of it was removed may be read again, with fewer chunks.
    """

    database: Database
    most_bytes: int = _MOST_BYTES
    _held: LRUCache[Any, _Held] = field(init=False)
    _question_counts: LRUCache[Any, int] = field(init=False)
    _loading: asyncio.Lock = field(init=False, default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        """Start with empty caches."""
        self._held = LRUCache(self.most_bytes, getsizeof=lambda held: held.matrix.nbytes)
        self._question_counts = LRUCache(_MOST_COUNTED)

    async def hopeful(
        self,
        chunks: StateChunks,
        set_id: EmbeddingSetId,
        source_ids: Sequence[int],
        kept: npt.NDArray[np.bool_] | None,
        vectors: Sequence[Vector],
        limit: int,
    ) -> Ids | None:
        """The chunks that can be among the nearest of any vector.

        Args:
            chunks: the chunks of the state.
            set_id: the embedding set of the vectors.
            source_ids: the sources of the chunks.
            kept: a mask of the chunks that count, or None for all.
            vectors: the vectors of the question.
            limit: how many nearest chunks are wanted for each vector.

        Returns:
            None if there have been hardly any questions about the state, its vectors take too much memory, or some have
            not been computed yet.
        """
        chunk_ids = chunks.chunk_ids
        if len(chunk_ids) * len(vectors[0]) * np.dtype(np.float32).itemsize > self.most_bytes:
            return None
        key = (chunks.state, set_id)
        count = self._question_counts[key] = self._question_counts.get(key, 0) + 1
        if count <= _UNCACHED_QUESTIONS:
            return None
        async with self._loading:  # a second question waits: it would read the same
            held = self._held.get(key)
            if held is None or not np.array_equal(held.chunk_ids, chunk_ids):
                matrix = await self._read(set_id, source_ids, chunks)
                if matrix is None:
                    return None
                held = self._held[key] = _Held(chunk_ids, matrix)
        positions = await asyncio.to_thread(_nearest, held.matrix, kept, vectors, limit)
        return chunk_ids[positions]

    async def _read(self, set_id: EmbeddingSetId, source_ids: Sequence[int], chunks: StateChunks) -> _Matrix | None:
        statement = self.database.queries.for_set("state_vectors", set_id)
        params = {
            "source_ids": list(source_ids),
            "chunk_ids": int_array(chunks.chunk_ids.tolist()),
            "names": int_array({*chunks.chunk_ids.tolist(), *chunks.keys.tolist()}),
        }

        async def work(connection: Any) -> list[Any]:
            return await self.database.rows_of_sources(connection, statement, params, binary=True)

        (row,) = await self.database.reading(work, on_replicas=True)
        found_ids = chunks.named(np.asarray(row["chunk_ids"] or (), np.int64))
        known, order = np.unique(found_ids, return_index=True)
        if not np.array_equal(known, chunks.chunk_ids):
            return None
        return await asyncio.to_thread(_units, row["vectors"], len(found_ids), order)


def _units(data: bytes, count: int, order: Ids) -> _Matrix:
    """Convert vectors as PostgreSQL sends them, each preceded by its dimensions, to unit vectors in the given order."""
    values = np.frombuffer(data, ">f2").reshape(count, -1)[:, 2:]
    matrix = values[order].astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))[:, np.newaxis]
    return np.divide(matrix, lengths, out=matrix, where=lengths > 0)


def _nearest(matrix: _Matrix, mask: npt.NDArray[np.bool_] | None, vectors: Sequence[Vector], limit: int) -> Ids:
    """The positions of all rows that could be among the nearest of any vector, allowing for rounding."""
    questions = np.asarray(vectors, np.float16).astype(np.float32)
    questions /= np.linalg.norm(questions, axis=1, keepdims=True)
    cosines = matrix @ questions.T
    if mask is not None:
        cosines[~mask] = -np.inf
    if limit < len(matrix):
        floors = np.partition(cosines, len(matrix) - limit, axis=0)[len(matrix) - limit]
        cosines[cosines < floors - _ROUNDING] = -np.inf
    return np.flatnonzero((cosines > -np.inf).any(axis=1))
