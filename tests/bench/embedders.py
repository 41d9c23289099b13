"""Embedders that stand in for the bundled model and take no time, so that the rest is what is measured."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from zlib import crc32

import numpy as np

from citemark.embedding.contract import Vectors
from citemark.embedding.minilm import MiniLM
from citemark.model.vectors import Calibration, EmbeddingIdentity, SetOrigin


class TimelessEmbedder(ABC):
    """Everything of the bundled model but its vectors."""

    def __init__(self) -> None:
        """Take the model's identity; it is never loaded."""
        self._model = MiniLM()

    @property
    def identity(self) -> EmbeddingIdentity:
        """The real model's."""
        return self._model.identity

    @property
    def calibration(self) -> Calibration:
        """The real model's."""
        return self._model.calibration

    @property
    def model(self) -> str:
        """The real model's."""
        return self._model.model

    @property
    def fingerprint(self) -> str:
        """The real model's."""
        return self._model.fingerprint

    @property
    def origin(self) -> SetOrigin:
        """The real model's."""
        return self._model.origin

    def embed_query(self, text: str) -> Vectors:
        """One vector."""
        return self.embed_documents([text])[0]

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimensions)."""
        return self.embed_documents(texts)

    @abstractmethod
    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimensions)."""


class RandomVectors(TimelessEmbedder):
    """Any directions, the same in each run: what remains is everything else."""

    def __init__(self) -> None:
        """Begin the sequence."""
        super().__init__()
        self._random = np.random.default_rng(1)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Random unit vectors."""
        found: Vectors = self._random.normal(size=(len(texts), self.identity.dimensions)).astype(np.float32)
        return found / np.linalg.norm(found, axis=1, keepdims=True)


class KnownVectors(TimelessEmbedder):
    """Looks questions up that were embedded before: what remains is retrieval.

    A question without the names that nobody writes was not embedded before. It gets the vector of another question,
    always the same: to search with it takes as long.
    """

    def __init__(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep the vector of each text."""
        super().__init__()
        self._vectors = vectors
        self._known = dict(zip(texts, vectors, strict=True))

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """A look-up each."""
        return np.stack([self._known.get(text, self._any_vector(text)) for text in texts])

    def _any_vector(self, text: str) -> Vectors:
        return self._vectors[crc32(text.encode()) % len(self._vectors)]
