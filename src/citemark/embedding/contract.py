"""The one Protocol that every embedding provider implements."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from citemark.model.errors import CitemarkError, Code
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

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Questions, or one question in several phrasings, to unit vectors, shape (len(texts), dimensions).

        In full precision, and in one go.

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


class EmbeddingFailed(CitemarkError):
    """The root. `summary` holds no words of a provider, which may repeat a text or a key."""

    code: ClassVar[Code] = "BACKEND_UNAVAILABLE"

    def __init__(self, message: str, summary: str) -> None:
        super().__init__(message, reason=summary)
        self.summary = summary

    def __repr__(self) -> str:
        # What retries are logged with.
        return f"{type(self).__name__}({self.summary!r})"


class ProviderUnavailable(EmbeddingFailed):
    """Trying again may help, not before `retry_after` seconds when given."""

    def __init__(self, message: str, summary: str, retry_after: float | None = None) -> None:
        super().__init__(message, summary)
        self.retry_after = retry_after


class RateLimited(ProviderUnavailable):
    """The provider asks for patience."""


class ProviderBroken(ProviderUnavailable):
    """It took the request and failed, or took too long: a text of the batch may be the cause."""


class ProviderSlow(ProviderBroken):
    """It did not answer in time: fewer texts at once may help."""


class ProviderRefused(EmbeddingFailed):
    """Trying again does not help: a key, a name or an address is wrong, and the message says which."""


class RequestRefused(ProviderRefused):
    """The provider does not take this request: a setting that the model does not know, or a text of the batch."""


class BadAnswer(ProviderRefused):
    """The answer is not what the protocol promises: a web page, too few vectors, wrong dimensions, no numbers."""


class TextsRefused(EmbeddingFailed):
    """The provider works, and refuses some texts; `reasons` by place in the sequence that was given."""

    def __init__(self, reasons: Mapping[int, str]) -> None:
        super().__init__(f"The embedding provider refuses {len(reasons)} texts.", "texts refused")
        self.reasons = dict(reasons)
