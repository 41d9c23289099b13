"""Passages: chunks offered to one principal under opaque, expiring handles."""

from dataclasses import dataclass
from datetime import datetime

from citemark.model.ids import ChunkId, PassageId, SourceId
from citemark.model.scope import ResolvedContext
from citemark.model.text import Span


@dataclass(frozen=True, slots=True)
class Passage:
    """A handle and the chunk behind it; `span` is the best span inside the chunk's text.

    `context` is the past state from which it was read, or None for HEAD.
    """

    passage_id: PassageId
    source_id: SourceId
    chunk_id: ChunkId
    span: Span
    created_at: datetime
    context: ResolvedContext | None = None


@dataclass(frozen=True, slots=True)
class RankedHit:
    """One entry of a stored ranked list."""

    source_id: SourceId
    rank: int
    chunk_id: ChunkId
    score: float
    why: dict[str, float | int | str | list[int] | None]
