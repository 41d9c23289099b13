"""Embedding sets and the work of filling them."""

from dataclasses import dataclass

from citemark.model.ids import ChunkId, EmbeddingSetId, SourceId


@dataclass(frozen=True, slots=True)
class EmbeddingSet:
    """All vectors of one model. Questions are asked of the active set; a building one is filled beside it."""

    set_id: EmbeddingSetId
    model: str
    fingerprint: str
    dimensions: int
    active: bool


@dataclass(frozen=True, slots=True)
class VectorTask:
    """One leased chunk that lacks a vector; `digest` is equal for equal text."""

    source_id: SourceId
    chunk_id: ChunkId
    text: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class VectorBacklog:
    """Chunks of a set that wait for a vector, and those given up."""

    waiting: int
    parked: int
