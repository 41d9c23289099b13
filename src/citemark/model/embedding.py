"""What identifies a set of vectors, and how relevance becomes a score under it."""

from dataclasses import dataclass
from typing import TypeAlias

Vector: TypeAlias = list[float]
"""A unit vector of the model's dimensions."""


Knots: TypeAlias = tuple[tuple[float, float], ...]
"""A piecewise linear map: (value, image) pairs, ascending in both."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Piecewise linear maps from relevance to a score in [0, 1].

    `fused` maps cos + bm25/ub(q) in [-1, 2]; `lexical` maps bm25/ub(q) in [0, 1] of a chunk that has no
    vector yet. Each is a tuple of (relevance, score) knots, ascending in both. `cosine` maps the model's cosines to the
    scale that `fused` was fitted on; empty where that is the model's own.
    """

    fused: Knots
    lexical: Knots
    cosine: Knots = ()


@dataclass(frozen=True, slots=True)
class EmbeddingIdentity:
    """Everything that, when changed, makes old vectors incomparable with new ones.

    `fingerprint` is a hash of the weights and of the way text is prepared for them.
    """

    model: str
    fingerprint: str
    dimensions: int
    max_tokens: int
    languages: tuple[str, ...] = ()
