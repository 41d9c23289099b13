"""The one Protocol that every embedding provider implements."""

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from citemark.model.embedding import Calibration, EmbeddingIdentity

Vectors: TypeAlias = npt.NDArray[np.float32]
"""Unit vectors, shape (n, dimensions), float32."""


class Tokenizer(Protocol):
    """Counts text in the model's own word pieces."""

    def offsets(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Character ranges of the word pieces of each text, without special tokens, not truncated."""
        ...


class Embedder(Protocol):
    """Text to vectors. Blocking calls; the caller moves them to a thread."""

    @property
    def identity(self) -> EmbeddingIdentity:
        """Names the vector space."""
        ...

    @property
    def calibration(self) -> Calibration | None:
        """The fit shipped with the model, None for a model without one."""
        ...

    @property
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """One question to one unit vector, shape (dimensions,), full precision."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Texts to unit vectors, shape (len(texts), dimensions), in the order given."""
        ...
