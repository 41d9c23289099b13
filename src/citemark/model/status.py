"""How far indexing has come, and what is wrong in the sources."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """The counts of one source; text is searchable as soon as it is written, and vectors follow.

    `languages` counts the documents in each language, most first. `watching` says by what means a running process
    follows the source's changes, and `machine` on which host; they are empty if none does. `login_refused`: the server
    of an account does not accept its password. `paused`: it is neither listed nor read until it goes on. `by_meaning`
    counts the documents that can be found by meaning: their first passage has a vector.
    """

    source_id: int
    name: str
    kind: str
    documents: int
    chunks: int
    vectors: int
    texts_waiting: int
    vectors_waiting: int
    failed: int
    problems: int
    languages: Mapping[str, int]
    scanning: bool
    watching: str
    last_complete_scan: datetime | None
    reason: str
    texts_per_second: float
    vectors_per_second: float
    login_refused: bool = False
    by_meaning: int = 0
    paused: bool = False
    machine: str = ""

    @property
    def seconds_left(self) -> float | None:
        """Time until the vectors are complete at the rate of the last minute; None while no rate is known."""
        if not self.vectors_waiting:
            return 0.0
        return self.vectors_waiting / self.vectors_per_second if self.vectors_per_second else None


@dataclass(frozen=True, slots=True)
class SourceState:
    """How much of a source can be searched now, and what prevents the rest from being searched.

    `languages` counts the documents in each language, most first. `scan_error` says why the last scan was incomplete,
    `refused` that the server no longer accepts the stored password; both are empty if all is well.
    """

    documents: int
    languages: Mapping[str, int]
    texts_waiting: int
    vectors_waiting: int
    problems: int
    scanning: bool
    last_complete_scan: datetime | None
    scan_error: str
    refused: str

    def for_others(self) -> "SourceState":
        """The state for people other than the owner: a scan error may name file paths on the owner's machine."""
        return replace(self, scan_error="its owner can see why.") if self.scan_error else self


NOTHING_INDEXED = SourceState(
    documents=0,
    languages={},
    texts_waiting=0,
    vectors_waiting=0,
    problems=0,
    scanning=False,
    last_complete_scan=None,
    scan_error="",
    refused="",
)
"""The state of an account that is switched off, whatever is kept of it for a while."""


@dataclass(frozen=True, slots=True)
class ReportedProblem:
    """A problem in a source: with which document, at which stage, and when it was last seen."""

    native_id: str
    stage: str
    message: str
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class Notice:
    """What a person should know about a document that was read: nothing failed, so it is not a problem.

    `since` is the moment from which the document has been read in that way.
    """

    native_id: str
    message: str
    since: datetime


@dataclass(frozen=True, slots=True)
class BrokenLink:
    """A link as written, the document and line (from 1) that contain it, and the id of its intended target.

    `page_found` means that the target document exists but the place in it does not.
    """

    native_id: str
    line: int
    written: str
    target: str
    page_found: bool

    @property
    def message(self) -> str:
        """What is wrong, in words for a person."""
        page, _, anchor = self.target.partition("#")
        if self.page_found:
            return f"line {self.line}: {self.written!r} names {anchor!r}, which {page!r} has no heading for."
        return f"line {self.line}: {self.written!r} leads to {page!r}, which does not exist."


@dataclass(frozen=True, slots=True)
class DatabaseStatus:
    """The database: its size on disk, the versions of the server and of pgvector, and how many partitions it has.

    An index that is whole has 0.
    """

    size_bytes: int
    server: str
    pgvector: str
    partitions: int = 0
