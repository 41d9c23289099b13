"""How much of a server's listings is read before they are taken for endless."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from citemark.model.errors import RetriableSourceError, SkippableSourceError

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ScanLimits:
    """What one scan may take, far above what accounts hold; what reaches a limit is listed incompletely, and says so.

    `answer_bytes` and `entries` are of one answer, `pages` of one list that comes in parts, all others of the scan of
    one app.
    """

    answer_bytes: int = 64 * MIB
    entries: int = 100_000
    documents: int = 300_000
    folders: int = 50_000
    depth: int = 100
    pages: int = 1_000
    requests: int = 100_000


class ScanLimitReached(SkippableSourceError):
    """The server lists more than is read; the message names the setting that says how much that is."""

    def __init__(self, what: str, setting: str) -> None:
        super().__init__(f"{what} (CITEMARK_NEXTCLOUD_{setting}).")


class RequestLimitReached(RetriableSourceError):
    """A scan that asks and asks is ended."""


@dataclass(slots=True)
class _Allowance:
    most: int
    left: int


_ALLOWANCE: ContextVar[_Allowance | None] = ContextVar("citemark_nextcloud_requests", default=None)


@contextmanager
def request_limit(most: int) -> Generator[None]:
    """In the block, and in the tasks that it begins, at most so many requests are sent."""
    token = _ALLOWANCE.set(_Allowance(most, most))
    try:
        yield
    finally:
        _ALLOWANCE.reset(token)


def count_request() -> None:
    """Count a request.

    Raises:
        TooManyRequests: there have been too many of the scan that it is part of.
    """
    allowance = _ALLOWANCE.get()
    if allowance is None:
        return
    if allowance.left <= 0:
        raise RequestLimitReached(
            f"The listing takes more than {allowance.most:,} requests (CITEMARK_NEXTCLOUD_MAX_REQUESTS)."
        )
    allowance.left -= 1
