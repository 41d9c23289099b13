"""Responses of the use cases of accounts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from citemark.evidence.preview import preview_of
from citemark.evidence.scoring import ScoredSpan
from citemark.model.citation import Citation
from citemark.model.ids import PassageId
from citemark.model.left_out import LeftOut
from citemark.model.stated_dates import Occasion
from citemark.services.responses import ResponseMeta

SyncState = Literal["idle", "syncing", "error", "disabled"]


@dataclass(frozen=True, slots=True)
class AccountHit:
    """One document that answers: its best passage, with the spans of that passage, best first."""

    native_id: str
    doc_type: str
    title: str
    text: str
    spans: tuple[ScoredSpan, ...]
    score: float
    metadata: Mapping[str, str]
    citation: Citation
    passage_id: PassageId
    occasion: Occasion | None = None

    def excerpt(self, chars: int) -> str:
        """The sentences that answer best, in at most `chars` characters."""
        return preview_of(self.spans, self.text, chars)


@dataclass(frozen=True, slots=True)
class AccountHits:
    """The documents of a page, best first.

    `total` counts the documents that reach the score: those that their servers confirmed, on this page and earlier
    ones, and those on later pages, about which the servers have not been asked.
    """

    hits: tuple[AccountHit, ...]
    meta: ResponseMeta
    total: int


@dataclass(frozen=True, slots=True)
class AppProgress:
    """The number of documents of one app: indexed, waiting, given up."""

    app: str
    enabled: bool
    indexed: int
    pending: int
    failed: int


@dataclass(frozen=True, slots=True)
class AccountProgress:
    """How far the index of one account has come. `lag` is the age of the last complete scan, in seconds.

    `scan_due` means that a scan was requested and has not begun, `refused` that the server does not accept the stored
    password. `erase_at` is when what came from an account that is switched off is removed.
    `not_by_meaning` counts the documents that are found by their words only, so far. `left_out` is what the last scan
    found and did not index.
    """

    name: str
    server: str
    state: SyncState
    apps: tuple[AppProgress, ...]
    vectors_pending: int
    last_complete_scan: datetime | None
    lag: float | None
    last_error: str
    scan_due: bool = False
    refused: bool = False
    erase_at: datetime | None = None
    not_by_meaning: int = 0
    left_out: LeftOut = field(default_factory=LeftOut)

    @property
    def enabled(self) -> bool:
        """Whether the account is kept in sync."""
        return self.state != "disabled"
