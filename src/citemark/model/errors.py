"""One class per failure, with typed data and a message that tells the caller what to do next.

The six codes are the contract of the tools; `tools/` maps a class to its `code` and does nothing else.
"""

from typing import Any, ClassVar, Literal

Code = Literal[
    "INVALID_ARGUMENT",
    "SCOPE_VIOLATION",
    "BACKEND_UNAVAILABLE",
    "TIMEOUT",
    "BUDGET_EXCEEDED",
    "INTERNAL_ERROR",
]


class CitemarkError(Exception):
    """The base class of every failure that Citemark anticipates."""

    code: ClassVar[Code] = "INTERNAL_ERROR"

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details = details


class InvalidArgument(CitemarkError):
    """The call itself is wrong; the message says how to correct it."""

    code: ClassVar[Code] = "INVALID_ARGUMENT"


class UnknownPassage(InvalidArgument):
    """A handle that expired, belongs to another caller or never existed; the three cannot be told apart."""

    def __init__(self, passage_id: str) -> None:
        super().__init__(
            f"passage_id {passage_id!r} is unknown or expired; search again and use a passage_id of the new result.",
            passage_id=passage_id,
        )


class UnknownCursor(InvalidArgument):
    """A cursor that expired, belongs to another question or never existed."""

    def __init__(self) -> None:
        super().__init__("cursor is unknown, expired or belongs to another query; search again without one.")


class ScopeViolation(CitemarkError):
    """The scope names a project that this server does not serve."""

    code: ClassVar[Code] = "SCOPE_VIOLATION"


class BackendUnavailable(CitemarkError):
    """The database, the model or a source cannot be reached; trying again later may work."""

    code: ClassVar[Code] = "BACKEND_UNAVAILABLE"


class DiskFull(BackendUnavailable):
    """The database has no room to write; waiting does not help until somebody frees some."""


class TimedOut(CitemarkError):
    """The call passed its deadline."""

    code: ClassVar[Code] = "TIMEOUT"


class BudgetExceeded(CitemarkError):
    """Not even one item fits the budget."""

    code: ClassVar[Code] = "BUDGET_EXCEEDED"


class ConfigurationError(CitemarkError):
    """A setting is wrong; the message names it and what it accepts."""

    code: ClassVar[Code] = "INVALID_ARGUMENT"


class SourceError(CitemarkError):
    """A source failed. The subclass decides what happens next."""

    code: ClassVar[Code] = "BACKEND_UNAVAILABLE"


class FatalSourceError(SourceError):
    """The source cannot be used until a person acts (a missing folder, a revoked password)."""


class UnwatchableSource(SourceError):
    """The operating system does not report changes in this source; regular scans find them instead.

    The message says why they are not reported.
    """


class RetriableSourceError(SourceError):
    """A failure that is worth another try, but not before `retry_after` seconds if that is given."""

    def __init__(self, message: str, retry_after: float | None = None, **details: Any) -> None:
        super().__init__(message, **details)
        self.retry_after = retry_after


class SkippableSourceError(SourceError):
    """This one document cannot be read; the rest of the source is unaffected.

    `readers` are the names of the readers that gave it up, where its content decided which.
    """

    def __init__(self, message: str, readers: tuple[str, ...] = (), **details: Any) -> None:
        super().__init__(message, **details)
        self.readers = readers
