"""What the ledger knows of a source's documents, and the changes a plan makes of a listing."""

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from citemark.model.documents import Listed
from citemark.model.ids import NativeId, SourceId, Version

ItemKey: TypeAlias = tuple[str, NativeId]
"""(doc_type, native_id) inside one source."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One ledger entry, as far as planning needs it.

    `parked`: given up at the wanted version. `text_version` is that of the code which tried it last.
    """

    wanted: Version | None
    indexed: Version | None
    missing_since: datetime | None
    parked: bool = False
    text_version: int = 0

    @property
    def waits(self) -> bool:
        """Whether it is in the text queue."""
        return self.wanted != self.indexed and not self.parked


@dataclass(frozen=True, slots=True)
class Want:
    """The source lists a version other than the one wanted so far."""

    listed: Listed


@dataclass(frozen=True, slots=True)
class Outdated:
    """The document is as it was, but was read and cut by an older version of the code."""

    key: ItemKey


@dataclass(frozen=True, slots=True)
class Miss:
    """A complete listing lacks the document; the grace begins."""

    key: ItemKey


@dataclass(frozen=True, slots=True)
class Gone:
    """The document is believed to be deleted."""

    key: ItemKey


Change: TypeAlias = Want | Outdated | Miss | Gone


@dataclass(frozen=True, slots=True)
class Claim:
    """A leased piece of the text queue. `wanted` None: remove the document."""

    source_id: SourceId
    doc_type: str
    native_id: NativeId
    wanted: Version | None
    indexed: Version | None
    tries: int


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits: documents for text, of those given up, and when the next one may be tried."""

    waiting: int
    parked: int
    next_at: datetime | None
