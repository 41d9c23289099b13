"""Bounds on what a scan reads of a server's listings, which may be endless by fault or by malice."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from citemark.model.errors import RetriableSourceError, SkippableSourceError

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ScanLimits:
    """Bounds of one scan, far above what accounts hold. A listing that reaches one is incomplete and says so.

    `answer_bytes` and `entries` apply to one response, `pages` to one list that comes in parts, and the others to the
    scan of one app. Each can be set by CITEMARK_NEXTCLOUD_MAX_...
    """

    answer_bytes: int = 64 * MIB
    entries: int = 100_000
    documents: int = 300_000
    folders: int = 50_000
    depth: int = 100
    pages: int = 1_000
    requests: int = 100_000


class ScanLimitReached(SkippableSourceError):
    """The server lists more than is read; the message names the setting that raises the limit."""

    def __init__(self, what: str, setting: str) -> None:
        super().__init__(f"{what} (CITEMARK_NEXTCLOUD_{setting}).")


class RequestLimitReached(RetriableSourceError):
    """A scan sent too many requests and is stopped."""


@dataclass(slots=True)
class _Allowance:
    most: int
    left: int


_ALLOWANCE: ContextVar[_Allowance | None] = ContextVar("citemark_nextcloud_requests", default=None)


@contextmanager
def request_limit(most: int) -> Generator[None]:
    """Allow at most `most` requests in the block and in the tasks that it starts."""
    token = _ALLOWANCE.set(_Allowance(most, most))
    try:
        yield
    finally:
        _ALLOWANCE.reset(token)


def count_request() -> None:
    """Count a request against the limit of the scan that it is part of, if any.

    Raises:
        RequestLimitReached: there have been too many.
    """
    allowance = _ALLOWANCE.get()
    if allowance is None:
        return
    if allowance.left <= 0:
        raise RequestLimitReached(
            f"The listing takes more than {allowance.most:,} requests (CITEMARK_NEXTCLOUD_MAX_REQUESTS)."
        )
    allowance.left -= 1
