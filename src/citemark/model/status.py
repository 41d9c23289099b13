"""How far the index has come."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """One source's counts. Text is searchable as soon as it is written; vectors follow.

    `languages` counts the documents of each, most first. `watching` says by what means a running process follows the
    source's changes; empty when none does.
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

    @property
    def seconds_left(self) -> float | None:
        """Time until the vectors are complete at the rate of the last minute; None while no rate is known."""
        if not self.vectors_waiting:
            return 0.0
        return self.vectors_waiting / self.vectors_per_second if self.vectors_per_second else None


@dataclass(frozen=True, slots=True)
class SourceState:
    """What of a source can be asked now, and what keeps the rest from it.

    `languages` counts the documents of each, most first. `scan_error` says why the last scan was incomplete, `refused`
    that the server does not accept the stored password any more; both are empty where all is well.
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
        """What people besides the owner are told: why a scan failed may name places on the owner's machine."""
        return replace(self, scan_error="its owner can see why.") if self.scan_error else self


@dataclass(frozen=True, slots=True)
class ReportedProblem:
    """Something wrong in a source: with which document, at which stage, seen last when."""

    native_id: str
    stage: str
    message: str
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class BrokenLink:
    """A link as written, in which document and line (from 1), and the id of what it should lead to.

    `page_found`: the document exists, the place in it does not.
    """

    native_id: str
    line: int
    written: str
    target: str
    page_found: bool

    @property
    def message(self) -> str:
        """What is wrong, for a person."""
        page, _, place = self.target.partition("#")
        if self.page_found:
            return f"line {self.line}: {self.written!r} names {place!r}, which {page!r} has no heading for."
        return f"line {self.line}: {self.written!r} leads to {page!r}, which is not there."


@dataclass(frozen=True, slots=True)
class DatabaseStatus:
    """The database: its size on disk, and versions."""

    size_bytes: int
    server: str
    pgvector: str
