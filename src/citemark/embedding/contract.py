"""The one Protocol that every embedding provider implements."""

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from citemark.model.vectors import Calibration, EmbeddingIdentity, SetOrigin

Vectors: TypeAlias = npt.NDArray[np.float32]
"""Unit vectors, shape (n, dimensions), float32."""


class Tokenizer(Protocol):
    """Counts text in word pieces. Chunks serve every model, so the bundled model's tokenizer measures them all."""

    def offsets(self, texts: Sequence[str]) -> Sequence[Sequence[tuple[int, int]]]:
        """Character ranges of the word pieces of each text, without special tokens, not truncated."""
        ...


class Embedder(Protocol):
    """Text to vectors. Blocking calls; the caller moves them to a thread."""

    @property
    def model(self) -> str:
        """The model's name, known without asking anybody."""
        ...

    @property
    def fingerprint(self) -> str:
        """That of the identity, known without asking anybody."""
        ...

    @property
    def identity(self) -> EmbeddingIdentity:
        """Names the vector space. A provider is asked for its dimensions, once.

        Raises:
            EmbeddingFailed: the provider cannot be asked, or answers nonsense.
        """
        ...

    @property
    def origin(self) -> SetOrigin:
        """What a set keeps of the model; asks like `identity`."""
        ...

    @property
    def calibration(self) -> Calibration | None:
        """The fit shipped with the model, None for a model without one."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """One question to one unit vector, shape (dimensions,), full precision.

        Raises:
            EmbeddingFailed: the provider did not answer in time, or not as it should.
        """
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Texts to unit vectors, shape (len(texts), dimensions), in the order given.

        Raises:
            TextsRefused: the provider works but refuses some of these texts.
            EmbeddingFailed: the provider did not answer, or not as it should.
        """
        ...
