"""The Protocol that every embedding model implements, and the errors that making vectors can raise.

Messages are for people; only the `summary` of an error is fit for a log.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import sub
from typing import ClassVar, Protocol, TypeAlias, cast, overload

import numpy as np
import numpy.typing as npt

from citemark.model.errors import CitemarkError, Code
from citemark.model.vectors import Calibration, EmbeddingIdentity, SetOrigin

Vectors: TypeAlias = npt.NDArray[np.float32]
"""Unit vectors, shape (n, dimensions), float32."""


CharRange: TypeAlias = tuple[int, int]


class CharRanges(Sequence[CharRange]):
    """A sequence of character ranges as two rows of numbers, which take less time and memory to make than pairs."""

    def __init__(self) -> None:
        self.starts = array("I")
        self.ends = array("I")

    @classmethod
    def of(cls, ranges: Iterable[CharRange]) -> "CharRanges":
        """The same ranges in this form."""
        made = cls()
        for start, end in ranges:
            made.starts.append(start)
            made.ends.append(end)
        return made

    @property
    def longest(self) -> int:
        """The length of the longest range, 0 without any."""
        return max(map(sub, self.ends, self.starts), default=0)

    def extend(self, starts: Sequence[int], ends: Sequence[int], shift: int = 0) -> None:
        """Add ranges, moved by `shift` characters."""
        self.starts.extend([start + shift for start in starts] if shift else starts)
        self.ends.extend([end + shift for end in ends] if shift else ends)

    def __eq__(self, other: object) -> bool:
        """Whether another sequence has the same ranges."""
        return isinstance(other, Sequence) and list(self) == list(cast("Sequence[object]", other))

    __hash__ = None  # type: ignore[assignment] - like that of every sequence that can grow

    @overload
    def __getitem__(self, index: int) -> CharRange: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[CharRange]: ...
    def __getitem__(self, index: int | slice) -> CharRange | Sequence[CharRange]:
        """One range, or a slice of them."""
        if isinstance(index, slice):
            return list(zip(self.starts[index], self.ends[index], strict=True))
        return self.starts[index], self.ends[index]

    def __iter__(self) -> Iterator[CharRange]:
        """The ranges in order."""
        return zip(self.starts, self.ends, strict=True)

    def __len__(self) -> int:
        """The number of ranges."""
        return len(self.starts)


class Tokenizer(Protocol):
    """Splits text into word pieces. Chunks serve every model, so the bundled model's tokenizer measures them all."""

    def offsets(self, texts: Sequence[str]) -> Sequence[Sequence[CharRange]]:
        """Character ranges of the word pieces of each text, without special tokens, not truncated."""
        ...


class Embedder(Protocol):
    """Turns text into vectors with blocking calls, which the caller runs in a thread."""

    @property
    def model(self) -> str:
        """The model's name; needs no request."""
        ...

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the identity; needs no request."""
        ...

    @property
    def identity(self) -> EmbeddingIdentity:
        """The identity of the vector space. The first call asks a provider for its dimensions.

        Raises:
            EmbeddingFailed: the provider cannot be asked, or its answer makes no sense.
        """
        ...

    @property
    def origin(self) -> SetOrigin:
        """What an embedding set stores about the model; asks the provider as `identity` does."""
        ...

    @property
    def calibration(self) -> Calibration | None:
        """The fit shipped with the model, or None for a model without one."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """Embed one question as one unit vector, shape (dimensions,), in full precision.

        Raises:
            EmbeddingFailed: the provider did not answer in time, or not as it should.
        """
        ...

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions, or phrasings of one question, as unit vectors, shape (len(texts), dimensions).

        They are embedded in full precision, and in one call.

        Raises:
            EmbeddingFailed: the provider did not answer in time, or not as it should.
        """
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts as unit vectors, shape (len(texts), dimensions), in the order given.

        Raises:
            TextsRefused: the provider works but refuses some of these texts.
            EmbeddingFailed: the provider did not answer, or not as it should.
        """
        ...


class EmbeddingFailed(CitemarkError):
    """No vectors were made. `summary` never quotes the provider, whose words may repeat a text or a key."""

    code: ClassVar[Code] = "BACKEND_UNAVAILABLE"

    def __init__(self, message: str, summary: str) -> None:
        super().__init__(message, reason=summary)
        self.summary = summary

    def __repr__(self) -> str:
        # Retries are logged with this.
        return f"{type(self).__name__}({self.summary!r})"


class ProviderUnavailable(EmbeddingFailed):
    """Trying again may help, but not before `retry_after` seconds have passed, if that is given."""

    def __init__(self, message: str, summary: str, retry_after: float | None = None) -> None:
        super().__init__(message, summary)
        self.retry_after = retry_after


class RateLimited(ProviderUnavailable):
    """The provider asks for fewer requests."""


class ProviderBroken(ProviderUnavailable):
    """The provider accepted the request and failed, or took too long: a text of the batch may be the cause."""


class ProviderSlow(ProviderBroken):
    """The provider did not answer in time: smaller batches may help."""


class ProviderRefused(EmbeddingFailed):
    """Trying again does not help: a key, a name or an address is wrong, and the message says which."""


class RequestRefused(ProviderRefused):
    """The provider does not accept this request: its model does not know a setting, or a text is to blame."""


class BadAnswer(ProviderRefused):
    """The answer is not what the protocol promises: a web page, too few vectors, wrong dimensions, or not numbers."""


class TextsRefused(EmbeddingFailed):
    """The provider works but refuses some texts; `reasons` has the reasons by the index of the text."""

    def __init__(self, reasons: Mapping[int, str]) -> None:
        super().__init__(f"The embedding provider refuses {len(reasons)} texts.", "texts refused")
        self.reasons = dict(reasons)
