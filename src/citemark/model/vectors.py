"""Vectors: what identifies a model, how its cosines become scores, embedding sets and the queue that fills them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from citemark.model.errors import ConfigurationError
from citemark.model.ids import ChunkId, EmbeddingSetId, SourceId

MOST_DIMENSIONS = 4000
"""The most dimensions that pgvector's graph index over half-precision vectors accepts."""


class TooManyDimensions(ConfigurationError):
    """A model's vectors are too long for the index."""

    def __init__(self, model: str, dimensions: int) -> None:
        super().__init__(
            f"The model {model!r} makes vectors of {dimensions} dimensions, and the vector index takes at most "
            f"{MOST_DIMENSIONS}. Set embedding_dimensions to that or less if the model can shorten its vectors, or use "
            "another model.",
            model=model,
            dimensions=dimensions,
        )


@dataclass(frozen=True, slots=True)
class SetOrigin:
    """What an embedding set records about the model that fills it.

    `recipe` holds the settings of a provider without its key; it is empty for the bundled model. `probe` is the vector
    of a fixed text, by which a provider is recognised.
    """

    recipe: Mapping[str, Any] = field(default_factory=dict[str, Any])
    probe: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class EmbeddingSet:
    """All vectors of one model; questions use the active set, while a new set may be filled alongside it.

    `random_pairs` holds quantiles of the cosines of random pairs of its vectors; it is empty until there are enough.
    """

    set_id: EmbeddingSetId
    model: str
    fingerprint: str
    dimensions: int
    active: bool
    origin: SetOrigin = field(default_factory=SetOrigin)
    random_pairs: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class VectorTask:
    """One leased chunk that lacks a vector; `digest` is equal for equal text."""

    source_id: SourceId
    chunk_id: ChunkId
    context: str
    text: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class VectorBacklog:
    """How many chunks of a set wait for a vector, and how many were given up."""

    waiting: int
    parked: int


Vector: TypeAlias = list[float]
"""A unit vector of the model's dimensions."""


Knots: TypeAlias = tuple[tuple[float, float], ...]
"""A piecewise linear map: (value, image) pairs, ascending in both."""


@dataclass(frozen=True, slots=True)
class References:
    """A model's vectors of short texts on all kinds of matters, which say how near a question is to anything by chance.

    `vectors` holds unit vectors as 4-byte floats in this machine's order, shape (languages, texts, dimensions): as many
    for each of the named `languages`. `apart` is by how much higher the mean cosine of two texts of one language is
    than that of texts of two.
    """

    languages: tuple[str, ...]
    vectors: bytes
    apart: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Piecewise linear maps from relevance to a score in [0, 1].

    `fused` maps cos + bm25/ub(q) in [-1, 2]; `lexical` maps bm25/ub(q) in [0, 1] of a chunk that has no vector yet.
    Each is a tuple of (relevance, score) knots, ascending in both. `cosine` maps the model's cosines to the scale on
    which `fused` was fitted; it is empty if that is the model's own scale. `agreement` has, for questions in two, three
    and more phrasings, maps to the confidence that anything answers; what they map is the best score under each
    phrasing, averaged over the better half of them. With `references`, each question has a scale of its own for each
    language, and `fused` maps what that makes of its cosines (`retrieval.scale`).
    """

    fused: Knots
    lexical: Knots
    cosine: Knots = ()
    agreement: tuple[Knots, ...] = ()
    references: References | None = None

    def agreement_of(self, phrasings: int) -> Knots:
        """The agreement map for this number of phrasings; empty for a single one, or if none was fitted."""
        if phrasings == 1 or not self.agreement:
            return ()
        return self.agreement[min(phrasings - 1, len(self.agreement)) - 1]


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
