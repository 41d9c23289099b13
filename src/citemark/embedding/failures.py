"""What may go wrong between a text and its vector. Messages are for people; `summary` alone is fit for a log."""

from collections.abc import Mapping
from typing import ClassVar

from citemark.model.errors import CitemarkError, Code


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
